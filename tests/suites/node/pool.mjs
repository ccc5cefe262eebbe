// SPDX-License-Identifier: GPL-2.0-or-later
//
// Nine tasks for three threads.

import { Worker, isMainThread, parentPort } from 'node:worker_threads';

import { digits } from './counted.mjs';

export function task(number) {
  return digits(String(number));
}

// Gives each of three threads its numbers, one after another; the sum of what they answer.
export async function pool(workers) {
  let next = 0;
  let sum = 0;
  const serve = (worker) => new Promise((resolve, reject) => {
    const give = () => {
      if (next === 9) return resolve();
      worker.postMessage(next++);
    };
    worker.removeAllListeners('message');
    worker.once('error', reject);
    worker.on('message', (answer) => {
      sum += answer;
      give();
    });
    give();
  });
  await Promise.all(workers.map(serve));
  return sum;
}

export function threads() {
  return [1, 2, 3].map(() => {
    const worker = new Worker(new URL(import.meta.url));
    worker.unref();
    return worker;
  });
}

if (!isMainThread && parentPort) {
  parentPort.on('message', (number) => parentPort.postMessage(task(number)));
}
