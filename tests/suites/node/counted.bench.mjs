// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmarks of vitest.

import { bench, describe } from 'vitest';

import { allocate, numbersAsText, parse, sort, strings, unsorted } from './counted.mjs';
import { pool, threads } from './pool.mjs';

const text = numbersAsText();
const numbers = unsorted();
const workers = threads();

describe('counted', () => {
  bench('parse', () => { parse(text); });
  bench('sort', () => { sort(numbers); });
  bench('allocate', () => { allocate(); });
  bench('strings', () => { strings(); });
  bench('pool', async () => { await pool(workers); });
});
