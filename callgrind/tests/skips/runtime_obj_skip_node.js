// SPDX-License-Identifier: GPL-2.0-or-later
//
// A benchmark as integrations run it: folds node away, starts the measurement some calls
// deep in JavaScript, and calls functions of an addon: userFunction from functions that
// were under way then, otherFunction from some that are called later.
//
//    runtime_obj_skip_node.js ADDON fold|keep
//
// The addon has the client requests.  With `keep` it does the same, and nothing is
// skipped.

'use strict';

const fs = require('fs');

const DEPTH = 12;
const addon = {exports: {}};
process.dlopen(addon, process.argv[2]);
const requests = addon.exports;

function inner() {
  requests.otherFunction();
}

function outer(times) {
  for (let i = 0; i < times; i++) inner();
}

// Calls itself, so that JIT code of it is on the stack many times.
function measured(depth) {
  if (depth > 0) {
    const result = measured(depth - 1) + 1;
    requests.userFunction();
    return result;
  }
  requests.start();
  requests.userFunction();
  outer(5);
  return 0;
}

const isReal = process.argv[3] === 'fold' ? 1 : 0;
const paths = new Set([process.execPath, fs.realpathSync(process.execPath)]);
// Where distributions have made a library of it, that is node.
const maps = fs.readFileSync('/proc/self/maps', 'latin1');
for (const path of maps.match(/\/.*\/libnode\.so.*/g) || []) paths.add(path);
for (const path of paths) requests.addObjSkip(path, isReal);
outer(3);
const result = measured(DEPTH);
requests.userFunction();
requests.stop();
if (result !== DEPTH) process.exit(1);
