// SPDX-License-Identifier: GPL-2.0-or-later

import { withCodSpeed } from '@codspeed/tinybench-plugin';
import { Bench } from 'tinybench';
import { BENCHMARKS, writeCounts } from './bodies.mjs';

const bench = withCodSpeed(new Bench());
for (const [name, body] of BENCHMARKS) bench.add(name, body);
await bench.run();
writeCounts();
