// SPDX-License-Identifier: GPL-2.0-or-later
//
// For docs/flame-graphs.md: interpreted by node, whose bytecode handlers jump to one
// another.  The argument says how many rounds it runs.

'use strict';

const text = 'the quick brown fox jumps over the lazy dog';

function hash(word) {
  let value = 7;
  for (let i = 0; i < word.length; i++) {
    value = ((value << 5) ^ word.charCodeAt(i)) | 0;
  }
  return value;
}

function count(words) {
  const seen = new Map();
  for (const word of words) {
    const key = hash(word);
    seen.set(key, (seen.get(key) || 0) + 1);
  }
  return seen.size;
}

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function main(rounds) {
  let sum = 0;
  for (let i = 0; i < rounds; i++) {
    sum += count(text.split(' ')) + fibonacci(9);
  }
  return sum;
}

console.log(main(Number(process.argv[2])));
