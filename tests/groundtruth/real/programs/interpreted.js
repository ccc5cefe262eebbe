// SPDX-License-Identifier: GPL-2.0-or-later
//
// Enough for node's compiler to make code: recursion, closures, a map, sorting with a
// callback, regular expressions, exceptions; and to throw it away again: functions that
// were optimised, and inlined into one another, for values that are of another kind later.
// Runs with --allow-natives-syntax.

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function descend(depth) {
  if (depth === 0) throw new Error("bottom");
  return descend(depth - 1) + 1;
}

const counts = new Map();
for (let i = 0; i < 600; i++) {
  const word = "word" + (i % 37);
  counts.set(word, (counts.get(word) || 0) + i);
}
const sorted = [...counts].sort((a, b) => a[1] - b[1]);
let caught = 0;
for (let depth = 0; depth < 20; depth++) {
  try {
    descend(depth);
  } catch (error) {
    caught += error.message.length;
  }
}
function makeLevels(round) {
  return new Function(`
    // Code of its own in round ${round}.
    function inner(value) { return value.number + 1; }
    function middle(value) { return inner(value) * 2; }
    function outer(value) { return middle(value) + 3; }
    for (const level of [inner, middle, outer]) %PrepareFunctionForOptimization(level);
    outer({ number: 1 });
    outer({ number: 2 });
    %OptimizeFunctionOnNextCall(outer);
    return outer;`)();
}
let levels = 0;
for (let round = 0; round < 10; round++) {
  const outer = makeLevels(round);
  levels += outer({ number: 3 }) + outer({ other: 1, number: 4 }) + outer({ number: 5 });
}
const digits = JSON.stringify(sorted).replace(/[^0-9]/g, "").length;
console.log(fibonacci(15), sorted[0][0], caught, levels, digits);
