// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark program: counts words and calls itself, N times over.
//
//    words.js N

'use strict';

function countWords(text) {
  const counts = new Map();
  for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts.size;
}

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

const text = 'the quick brown fox jumps over the lazy dog '.repeat(200);
let sum = 0;
for (let i = 0; i < Number(process.argv[2]); i++) sum += countWords(text) + fibonacci(15);
console.log(sum);
