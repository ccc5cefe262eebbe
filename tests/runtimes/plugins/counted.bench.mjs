// SPDX-License-Identifier: GPL-2.0-or-later

import { afterAll, bench, describe } from 'vitest';
import { BENCHMARKS, writeCounts } from './bodies.mjs';

describe('counted', () => {
  for (const [name, body] of BENCHMARKS) bench(name, body);
  afterAll(writeCounts);
});
