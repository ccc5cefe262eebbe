// SPDX-License-Identifier: GPL-2.0-or-later
//
// Maps, random numbers and JSON; a loop that becomes worth compiling.

const os = require("os");

const table = new Map();
for (let i = 0; i < 3000; i++) {
  const word = "word" + Math.floor(Math.random() * 500);
  table.set(word, (table.get(word) || 0) + os.cpus().length);
}
const again = JSON.parse(JSON.stringify([...table]));
const total = again.reduce((sum, pair) => sum + pair[1], 0);
process.exitCode = total === 3000 * os.cpus().length ? 0 : 1;
