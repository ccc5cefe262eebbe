// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the benchmarks of node do: tests/suites/checked.py says what that is.

export function digits(text) {
  let number = 0;
  for (let i = 0; i < text.length; i++) {
    number = number * 10 + text.charCodeAt(i) - 48;
  }
  return number;
}

export function parse(text) {
  let sum = 0;
  for (const word of text.split(',')) sum += digits(word);
  return sum;
}

export function numbersAsText() {
  return Array.from({ length: 40 }, (_, number) => number).join(',');
}

export function merge(left, right) {
  const merged = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    merged.push(left[i] <= right[j] ? left[i++] : right[j++]);
  }
  while (i < left.length) merged.push(left[i++]);
  while (j < right.length) merged.push(right[j++]);
  return merged;
}

export function sort(numbers) {
  if (numbers.length < 2) return numbers;
  const half = numbers.length >> 1;
  return merge(sort(numbers.slice(0, half)), sort(numbers.slice(half)));
}

export function unsorted() {
  return Array.from({ length: 64 }, (_, i) => (i * 7919) % 64);
}

export function make_node(after) {
  return { after };
}

export function allocate() {
  let node = null;
  for (let i = 0; i < 100; i++) node = make_node(node);
  return node;
}

export function count_word(counts, word) {
  counts.set(word, (counts.get(word) ?? 0) + 1);
}

export function strings() {
  const counts = new Map();
  for (const word of 'the quick brown fox '.repeat(40).trim().split(' ')) {
    count_word(counts, word);
  }
  return counts.get('fox');
}
