// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark program: benchmarks of tinybench, run by CodSpeed's plugin, which issues the
// client requests.
//
//    tinybench.mjs FOLDER N    N benchmarks; the packages are in FOLDER, a work tree of git
//
// What the plugin prints has times and paths in it; only results are printed here.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, number] = process.argv.slice(2);
process.chdir(folder);
process.env.CODSPEED_ENV = 'runner';
process.env.CODSPEED_RUNNER_MODE = 'simulation';

const print = console.log;
console.log = () => {};
const { resolve } = createRequire(`${folder}/package.json`);
const load = async (name) => import(pathToFileURL(resolve(name)).href);
const { Bench } = await load('tinybench');
const { withCodSpeed } = await load('@codspeed/tinybench-plugin');

const TEXT = 'the quick brown fox jumps over the lazy dog and runs on '.repeat(40);

function countWords(text) {
  const counts = new Map();
  for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts.size;
}

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

const sortNumbers = () =>
  Array.from({ length: 500 }, (_, i) => (i * 7919) % 1009).sort((a, b) => a - b)[250];
const readJson = () => JSON.parse(JSON.stringify({ text: TEXT, list: [1, 2, 3] })).list[2];

const BODIES = [() => countWords(TEXT), () => fibonacci(15), sortNumbers, readJson];

const results = [];
const bench = withCodSpeed(new Bench());
for (let i = 0; i < Number(number); i++) {
  const body = BODIES[i % BODIES.length];
  bench.add(`benchmark ${i}`, () => {
    results[i] = body();
  });
}
await bench.run();
print(results.join(' '));
