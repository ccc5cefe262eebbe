// SPDX-License-Identifier: GPL-2.0-or-later
//
// The blocks of numbers in the page: from text to bytes.
//
// Owns: when and where that is done.  Blocks stand behind this script, each with a call
// of blockArrived(): so they are unpacked while the browser still reads what follows, in
// a worker, beside all else.  Where a page may have no worker it unpacks them itself.

class Blocks {
  constructor() {
    this.found = new Map(); // by name, what is known of the block
    this.worker = this.startWorker();
    this.isWhole = false; // the browser has read all of the page
    document.addEventListener("DOMContentLoaded", () => {
      this.isWhole = true;
      for (const block of this.found.values()) this.failIfLost(block);
    });
  }

  // The bytes of a block; a promise.
  bytes(name) {
    const block = this.block(name);
    this.failIfLost(block);
    return block.promise;
  }

  failIfLost({ isHere, failed }) {
    if (this.isWhole && !isHere) failed(new Error("a part of its numbers is missing"));
  }

  block(name) {
    if (!this.found.has(name)) {
      const block = { isHere: false };
      block.promise = new Promise((done, failed) => {
        Object.assign(block, { done, failed });
      });
      block.promise.catch(() => {}); // whoever asks for it is told
      this.found.set(name, block);
    }
    return this.found.get(name);
  }

  arrived(name) {
    const block = this.block(name);
    const element = document.getElementById(`block-${name}`);
    block.isHere = true;
    block.text = element.textContent;
    element.remove(); // it would be kept twice
    if (this.worker) this.worker.postMessage([name, block.text]);
    else this.unpackHere(block);
  }

  // The worker's code is this script's own functions.  One block after the other, or the
  // first, which is waited for, would be done with the last.
  startWorker() {
    const code = `${bytesOfBase64}\n${unpacked}\nlet before = Promise.resolve();
    onmessage = ({ data }) => {
      before = before.then(() => unpacked(data[1])).then(
        (bytes) => postMessage([data[0], bytes], [bytes.buffer]),
        (error) => postMessage([data[0], null, String(error)]));
    };`;
    try {
      const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      const worker = new Worker(url);
      worker.onmessage = ({ data: [name, bytes, error] }) => {
        if (bytes) this.finish(this.block(name), bytes);
        else this.block(name).failed(new Error(error));
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.doWithoutWorker();
      };
      return worker;
    } catch {
      return null;
    }
  }

  finish(block, bytes) {
    block.text = null;
    block.done(bytes);
  }

  doWithoutWorker() {
    this.worker = null;
    for (const block of this.found.values()) if (block.text) this.unpackHere(block);
  }

  unpackHere(block) {
    unpacked(block.text).then((bytes) => this.finish(block, bytes), block.failed);
  }
}

async function unpacked(text) {
  const { readable, writable } = new DecompressionStream("deflate");
  const writer = writable.getWriter();
  const all = Promise.all([writer.write(bytesOfBase64(text)), writer.close()]);
  const [bytes] = await Promise.all([new Response(readable).arrayBuffer(), all]);
  return new Uint8Array(bytes);
}

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

const blocks = new Blocks();

function blockArrived(name) {
  blocks.arrived(name);
}
