// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the benchmarks of both plugins do, in functions that count their own calls.
//
// Owns: the benchmarks by name.  A plugin runs each several times, the last time between
// START and STOP; writeCounts() writes what was counted then.

import { writeFileSync } from 'node:fs';

let calls = {};
const counted = new Map();

const count = (name) => {
  calls[name] = (calls[name] ?? 0) + 1;
};

function countedFibonacci(n) {
  count('countedFibonacci');
  return n < 2 ? n : countedFibonacci(n - 1) + countedFibonacci(n - 2);
}

function countedWord(words, word) {
  count('countedWord');
  return words.set(word, (words.get(word) ?? 0) + 1);
}

function countedWords(text) {
  count('countedWords');
  return text.split(' ').reduce(countedWord, new Map()).size;
}

function countedCompare(a, b) {
  count('countedCompare');
  return a - b;
}

function countedSort(size) {
  count('countedSort');
  const numbers = Array.from({ length: size }, (_, i) => (i * 7919) % 1009);
  return numbers.sort(countedCompare)[size >> 1];
}

function countedThrow(depth) {
  count('countedThrow');
  if (depth === 0) throw new Error('as it should');
  return countedThrow(depth - 1);
}

function countedCatch(times) {
  count('countedCatch');
  let caught = 0;
  for (let i = 0; i < times; i++) {
    try {
      countedThrow(i % 5);
    } catch {
      caught++;
    }
  }
  return caught;
}

function countedLater(number) {
  count('countedLater');
  return number + 1;
}

async function later(times) {
  let number = 0;
  for (let i = 0; i < times; i++) number = countedLater(await number);
  return number;
}

const TEXT = 'the quick brown fox jumps over the lazy dog and runs on '.repeat(40);

const BODIES = {
  recursion: () => countedFibonacci(13),
  callbacks: () => countedWords(TEXT),
  sorting: () => countedSort(300),
  exceptions: () => countedCatch(40),
  promises: () => later(50),
};

// [name, what a plugin is to run], of each.
export const BENCHMARKS = Object.entries(BODIES).map(([name, body]) => [
  name,
  async () => {
    calls = {};
    counted.set(name, calls);
    await body();
  },
]);

export function writeCounts() {
  writeFileSync(process.env.COUNTS, JSON.stringify(Object.fromEntries(counted)));
}
