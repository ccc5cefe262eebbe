// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work for node's pool of threads, which comes back in the order in which it is done; and
// a loop that ends by the clock.

const fs = require("fs");

const order = [];
for (let i = 0; i < 40; i++)
  fs.readFile(__filename, () => order.push(i));

const began = Date.now();
while (Date.now() - began < 5);
process.on("exit", () => console.log(order.join(" "), new Date().toISOString()));
