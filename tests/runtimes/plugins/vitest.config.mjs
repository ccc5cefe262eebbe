// SPDX-License-Identifier: GPL-2.0-or-later

import codspeedPlugin from '@codspeed/vitest-plugin';
import { defineConfig } from 'vitest/config';

// Under a tool, on a loaded machine, nothing is too slow.  That a worker waits for a
// minute for its main thread is an error that no option sets a time for.
const test = {
   testTimeout: 0,
   hookTimeout: 0,
   teardownTimeout: 3_600_000,
   dangerouslyIgnoreUnhandledErrors: true,
};

export default defineConfig({ plugins: [codspeedPlugin()], test });
