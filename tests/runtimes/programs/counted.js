// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls functions of many kinds and counts each time that one is entered, also where it
// goes on after a `yield` or an `await`.  With `deoptimise`, optimises one function often
// and then breaks what it was optimised for; that wants --allow-natives-syntax.
//
//    counted.js [deoptimise]

'use strict';

const counts = {
  countedLeaf: 0,
  countedFib: 0,
  countedKey: 0,
  countedThrower: 0,
  countedAsync: 0,
  countedGenerator: 0,
};

function countedLeaf(x) {
  counts.countedLeaf++;
  return (x * 7 + 3) & 0xffff;
}

function countedFib(n) {
  counts.countedFib++;
  return n < 2 ? n : countedFib(n - 1) + countedFib(n - 2);
}

function countedKey(item) {
  counts.countedKey++;
  return item.key;
}

function countedThrower(n) {
  counts.countedThrower++;
  if (n % 3 === 0) throw new Error('three');
  return n;
}

async function countedAsync(n) {
  counts.countedAsync++;
  if (n === 0) return 0;
  await null;
  counts.countedAsync++;
  const rest = await countedAsync(n - 1);
  counts.countedAsync++;
  return rest + 1;
}

function* countedGenerator(n) {
  // V8 enters it once to make the generator, and then for each value.
  counts.countedGenerator++;
  for (let i = 0; i < n; i++) {
    counts.countedGenerator++;
    yield countedLeaf(i);
  }
  counts.countedGenerator++;
}

function sumOfCalls() {
  let sum = countedFib(15);
  for (let i = 0; i < 3000; i++) sum += countedLeaf(i);
  const list = [];
  for (let i = 0; i < 300; i++) list.push({ key: (i * 7919) % 1009 });
  list.sort((a, b) => countedKey(a) - countedKey(b));
  sum += list[17].key;
  for (let i = 0; i < 100; i++) {
    try {
      sum += countedThrower(i);
    } catch (error) {
      sum += 1;
    }
  }
  for (const value of countedGenerator(200)) sum += value;
  return sum + JSON.stringify(JSON.parse(JSON.stringify(list))).length;
}

const DEOPTIMISATIONS = 20;

function deoptimise() {
  // A new function each time, so that each has one optimised code to lose.
  counts.countedDeoptimised = 0;
  const source = `(function countedDeoptimised(x) {
    counts.countedDeoptimised++;
    let sum = 0;
    for (let i = 0; i < 50; i++) sum += x.key;
    return sum;
  })`;
  let text = '';
  for (let i = 0; i < DEOPTIMISATIONS; i++) {
    // eslint-disable-next-line no-eval
    const callee = eval(`${source} // ${i}`);
    eval('%PrepareFunctionForOptimization(callee)');
    callee({ key: 1 });
    callee({ key: 2 });
    eval('%OptimizeFunctionOnNextCall(callee)');
    callee({ key: 3 });
    text += callee({ other: 0, key: 'a' }).length;
  }
  return text.length;
}

let sum = sumOfCalls();
if (process.argv[2] === 'deoptimise') sum += deoptimise();
countedAsync(50).then((depth) => {
  console.log(`sum ${sum + depth}`);
  for (const name of Object.keys(counts)) console.log(`count ${name} ${counts[name]}`);
});
