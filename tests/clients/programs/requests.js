// SPDX-License-Identifier: GPL-2.0-or-later
//
// tests/clients/contract.py says what it does.

'use strict';

const callgrind = require('callgrind-requests');

let sum = 0;

// No loop: V8 would replace its code inside of that, which is one more way into it.
function counted() {
  sum += 1;
}

callgrind.start();
for (let i = 0; i < 3; i++) counted();
callgrind.stop();
callgrind.dumpAt('first part');

callgrind.addObjSkip(process.argv[2]);
callgrind.addDesc('kind: second');
callgrind.start();
callgrind.mark('in the second');
counted();
callgrind.stop();
callgrind.dumpAt('second\npart');

callgrind.start();
counted();
callgrind.stop();
callgrind.zero();
callgrind.dump();

callgrind.start();
callgrind.toggleCollect();
counted();
callgrind.toggleCollect();
callgrind.stop();
callgrind.dumpAt('toggled');
console.log('under Valgrind:', callgrind.runningOnValgrind() ? 'yes' : 'no');
