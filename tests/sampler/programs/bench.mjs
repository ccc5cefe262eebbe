// SPDX-License-Identifier: GPL-2.0-or-later
//
// A benchmark as users of tinybench write it.

import { Bench } from "tinybench";
import { withCodSpeed } from "@codspeed/tinybench-plugin";

function hotFunction(rounds) {
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum += Math.sqrt(i) * 1.5;
  return sum;
}

let kept = 0;
// About a second of work, however little of the processor there is in that time.
const bench = withCodSpeed(new Bench({ time: 1500, iterations: 20000 }));
bench.add("hot", () => { kept += hotFunction(50000); });
await bench.run();
if (kept < 0) console.log(kept);
