// SPDX-License-Identifier: GPL-2.0-or-later
//
// The blocks of numbers in the page: from text to arrays.
//
// Owns: when and where that is done; unpack.js does it.  Blocks stand behind this script,
// in pieces, each with a call of blockArrived(): so they are unpacked while the browser
// still reads what follows, in workers, beside all else.  Where a page may have none it
// unpacks them itself.  What is needed first, and takes longest, stands before the page's
// own script.

const WORKERS = 2;
const CUT_OFF = "a part of its numbers is missing";
const SEEN_WITHIN = 1000; // milliseconds since the page was asked for

class Blocks {
  constructor() {
    this.found = new Map(); // by name, what is known of the block
    this.workers = [];
    this.begun = 0; // how many blocks they have been given
    this.startWorkers(document.currentScript.textContent);
    this.isWhole = false; // the browser has read all of the page
    this.isCalm = false; // the first view stands
    document.addEventListener("DOMContentLoaded", () => {
      this.isWhole = true;
      if (typeof begin === "undefined") sayCutOff();
      for (const block of this.found.values()) this.failIfLost(block);
    });
  }

  // What is made of a block; a promise.
  made(name) {
    const block = this.block(name);
    this.failIfLost(block);
    block.isWanted = true;
    this.begin(block);
    return block.promise;
  }

  // Unpack what nobody has asked for, too.
  unpackRest() {
    this.isCalm = true;
    for (const block of this.found.values()) this.begin(block);
  }

  failIfLost({ isHere, failed }) {
    if (this.isWhole && !isHere) failed(new Error(CUT_OFF));
  }

  block(name) {
    if (!this.found.has(name)) {
      // pieces: [text, what it becomes], as long as it may have to be unpacked again.
      const block = { name, isHere: false, isDone: false, pieces: [], sent: 0 };
      block.promise = new Promise((done, failed) => {
        Object.assign(block, { done, failed });
      });
      block.promise.catch(() => {}); // whoever asks for it is told
      this.found.set(name, block);
    }
    return this.found.get(name);
  }

  // A piece of a block; the last one, if it is said what the block is to become.
  arrived(name, what, element) {
    const block = this.block(name);
    if (!block.isDone) block.pieces.push([element.textContent, what]);
    block.isHere = what !== undefined;
    element.remove(); // it would be kept twice
    // What stands before the page's own script is needed first.
    if (typeof begin === "undefined") block.isWanted = true;
    this.begin(block);
  }

  // Others would take from the first view the processors that it needs.
  begin(block) {
    if (block.isDone || !(block.isWanted || this.isCalm)) return;
    block.isBegun = true;
    if (this.workers.length) this.send(block);
    else if (block.isHere) this.unpackHere(block);
  }

  // What is there of it, to a worker; they take turns.
  send(block) {
    block.worker ||= this.workers[this.begun++ % this.workers.length];
    for (; block.sent < block.pieces.length; block.sent++) {
      const [text, what] = block.pieces[block.sent];
      block.worker.postMessage([block.name, text, what]);
    }
  }

  // Their code is that of this script.
  startWorkers(code) {
    try {
      const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      for (let i = 0; i < WORKERS; i++) this.workers.push(this.startWorker(url));
    } catch {
      this.workers = [];
    }
  }

  startWorker(url) {
    const worker = new Worker(url);
    worker.onmessage = ({ data: [name, made, error] }) =>
      this.finish(this.block(name), made, error);
    worker.onerror = (event) => {
      event.preventDefault();
      this.doWithoutWorkers();
    };
    return worker;
  }

  // A damaged block may be done with before all of it has arrived.
  finish(block, made, error) {
    Object.assign(block, { isDone: true, pieces: [] });
    if (made) block.done(made);
    else block.failed(new Error(error));
  }

  doWithoutWorkers() {
    if (!this.workers.length) return;
    this.workers = [];
    for (const block of this.found.values()) if (block.isBegun) this.begin(block);
  }

  async unpackHere(block) {
    const { pieces } = block;
    block.isDone = true; // nobody else has to begin
    const open = new Map();
    let made = null;
    try {
      for (const [text, what] of pieces) {
        made = await unpackPiece(open, block.name, text, what);
      }
    } catch (error) {
      this.finish(block, null, String(error));
      return;
    }
    this.finish(block, made);
  }
}

// To lay out and paint what holds no numbers yet takes from those who unpack them a
// tenth of all the time: a page that opens quickly is seen when it has them.
function hidePage() {
  document.documentElement.hidden = true;
  setTimeout(showPage, Math.max(SEEN_WITHIN - performance.now(), 0));
}

function showPage() {
  document.documentElement.hidden = false;
}

// Of a page that ends before its own script, which says all else.
function sayCutOff() {
  document.getElementById("summary").textContent =
    `This page cannot be shown: ${CUT_OFF}.`;
}

const blocks = typeof document === "undefined" ? null : new Blocks();
if (blocks) hidePage();

function blockArrived(name, what) {
  blocks.arrived(name, what, document.currentScript.previousElementSibling);
}
