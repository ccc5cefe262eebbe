// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark program: words and recursion in node.
//
//    words.mjs N           counts words and calls itself, N times over
//    words.mjs N FOLDER    N benchmarks of tinybench, run by CodSpeed's plugin, which
//                          issues the client requests; FOLDER has the packages, and is a
//                          work tree of git. What the plugin prints has times and paths
//                          in it; only results are printed here.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [number, folder] = process.argv.slice(2);
const print = console.log;

function countWords(text) {
  const counts = new Map();
  for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts.size;
}

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

const LONG = 'the quick brown fox jumps over the lazy dog '.repeat(200);
const TEXT = 'the quick brown fox jumps over the lazy dog and runs on '.repeat(40);
const BODIES = [
  () => countWords(TEXT),
  () => fibonacci(15),
  () => Array.from({ length: 500 }, (_, i) => (i * 7919) % 1009).sort((a, b) => a - b)[9],
  () => JSON.parse(JSON.stringify({ text: TEXT, list: [1, 2, 3] })).list[2],
];

async function byPlugin() {
  process.chdir(folder);
  process.env.CODSPEED_ENV = 'runner';
  process.env.CODSPEED_RUNNER_MODE = 'simulation';
  console.log = () => {};
  const { resolve } = createRequire(`${folder}/package.json`);
  const load = async (name) => import(pathToFileURL(resolve(name)).href);
  const { Bench } = await load('tinybench');
  const { withCodSpeed } = await load('@codspeed/tinybench-plugin');
  const results = [];
  const bench = withCodSpeed(new Bench());
  for (let i = 0; i < Number(number); i++)
    bench.add(`benchmark ${i}`, () => { results[i] = BODIES[i % BODIES.length](); });
  await bench.run();
  print(results.join(' '));
}

if (folder) await byPlugin();
else {
  let sum = 0;
  for (let i = 0; i < Number(number); i++) sum += countWords(LONG) + fibonacci(15);
  print(sum);
}
