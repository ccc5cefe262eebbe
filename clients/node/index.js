// SPDX-License-Identifier: BSD-2-Clause
//
// Part of callgrind-requests; see the file LICENSE that comes with it.
//
// Owns: measure().  requests.c makes the requests.

'use strict';

const requests = require('./build/Release/requests.node');

// Calls a function, which may be async; what it spends is a part called `name`.  Where it
// throws there is no part.
function measure(name, call) {
  if (typeof name !== 'string') throw new TypeError('the name must be a string');
  if (!requests.runningOnValgrind()) return call();
  const keep = (result) => {
    requests.stop();
    requests.dumpAt(name);
    return result;
  };
  const drop = (error) => {
    requests.stop();
    requests.zero();
    throw error;
  };
  requests.zero();
  requests.start();
  let result;
  try {
    result = call();
  } catch (error) {
    return drop(error);
  }
  if (typeof result?.then === 'function') return result.then(keep, drop);
  return keep(result);
}

module.exports = { ...requests, measure };
