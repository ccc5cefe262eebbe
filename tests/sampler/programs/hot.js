// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work in a named function, until half a second of CPU time is used up.

function hotFunction(rounds) {
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum += Math.sqrt(i) * 1.5;
  return sum;
}

let kept = 0;
while (process.cpuUsage().user < 5e5) kept += hotFunction(100000);
if (kept < 0) console.log(kept);
