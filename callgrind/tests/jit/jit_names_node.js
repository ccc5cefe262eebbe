// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls ourOuter 20 times and ourInner 400 times.

'use strict';

function ourInner(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum * 31 + i) | 0;
  return sum;
}

function ourOuter(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum ^= ourInner(100);
  return sum;
}

for (let i = 0; i < 20; i++) ourOuter(20);
