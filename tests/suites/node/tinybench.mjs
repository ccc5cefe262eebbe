// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmarks of tinybench.

import { withCodSpeed } from '@codspeed/tinybench-plugin';
import { Bench } from 'tinybench';

import { allocate, numbersAsText, parse, sort, strings, unsorted } from './counted.mjs';
import { pool, threads } from './pool.mjs';

const text = numbersAsText();
const numbers = unsorted();
const workers = threads();
const bench = withCodSpeed(new Bench());

bench.add('parse', () => { parse(text); });
bench.add('sort', () => { sort(numbers); });
bench.add('allocate', () => { allocate(); });
bench.add('strings', () => { strings(); });
bench.add('pool', async () => { await pool(workers); });

await bench.run();
await Promise.all(workers.map((worker) => worker.terminate()));
