// SPDX-License-Identifier: GPL-2.0-or-later

import codspeed from '@codspeed/vitest-plugin';
import { defineConfig } from 'vitest/config';

export default defineConfig({ plugins: [codspeed()] });
