// SPDX-License-Identifier: GPL-2.0-or-later

import codspeedPlugin from '@codspeed/vitest-plugin';
import { defineConfig } from 'vitest/config';

// Under a tool, on a loaded machine, nothing is too slow.
const test = { testTimeout: 0, hookTimeout: 0, teardownTimeout: 3_600_000 };

export default defineConfig({ plugins: [codspeedPlugin()], test });
