// SPDX-License-Identifier: GPL-2.0-or-later
//
// Little more than node's own start, with its threads.

console.log([3, 1, 2].sort().map((x) => x * x).join(" "));
