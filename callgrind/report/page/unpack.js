// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is made of a block of the page, from its text to arrays.
//
// Owns: how that is done.  It is done in a worker, beside all else, or without one
// (blocks.js); so nothing here may need the page.  To write to memory for the first time
// takes longer than to compute what is written: so arrays are as narrow as their numbers,
// and what can stay where it was unpacked stays there.

// By what a block is to become: from its bytes to arrays.
const MAKERS = {
  bytes: (bytes) => ({ bytes }),
  shape: (bytes) => ({ ends: endsOf(columnsOf(bytes)[0]) }),
  functions: (bytes) => functionsOf(...columnsOf(bytes)),
  // Of the only tree of a page: of each path its number, or the sum of all before it.
  values: (bytes) => ({ bytes, values: columnsOf(bytes)[0].byPath() }),
  sums: (bytes) => ({ bytes, sums: columnsOf(bytes)[0].sumsByPath() }),
};

// A block that is unpacked, of which the text arrives in pieces.
class Unpacking {
  constructor() {
    const { readable, writable } = new DecompressionStream("deflate");
    this.writer = writable.getWriter();
    this.parts = this.allParts(readable.getReader());
    this.parts.catch(() => {}); // whoever waits for it is told
  }

  async allParts(reader) {
    const parts = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return parts;
      parts.push(value);
    }
  }

  async add(text) {
    await this.writer.write(bytesOfBase64(text));
  }

  async end() {
    await this.writer.close();
    return joined(await this.parts);
  }
}

function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

// Goes on with a block; what is made of it, when this is its last piece.  open: by name,
// the blocks of which more is to come.  Only with the last piece it is said what to make.
async function unpackPiece(open, name, text, what) {
  const unpacking = open.get(name) || new Unpacking();
  open.set(name, unpacking);
  await unpacking.add(text);
  if (!what) return null;
  open.delete(name);
  return MAKERS[what](await unpacking.end());
}

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Of each path the number behind the last one below it, from how far each goes back from
// the one before.
function endsOf(back) {
  const size = back.length + 1; // with the root
  const ends = new Uint32Array(size);
  const levels = back.words.length ? back.values(Uint32Array) : back.bytes;
  let open = new Uint32Array(2 * AT_ONCE); // by depth, the paths that have no end yet
  let depth = 0; // of the last of them
  inParts(levels.length, (from, to) => {
    if (open.length <= depth + AT_ONCE) open = longer(open);
    const path = open;
    let last = depth;
    for (let node = from + 1; node <= to; node++) {
      for (let left = levels[node - 1]; left > 0; left--) ends[path[last--]] = node;
      path[++last] = node;
    }
    depth = last;
  });
  for (; depth >= 0; depth--) ends[open[depth]] = size;
  return ends;
}

function functionsOf(functionColumn, kindColumn) {
  const functions = new (functionColumn.kindOfSigned())(functionColumn.length + 1);
  functions[ROOT] = NOBODY;
  functionColumn.copyTo(functions, 1);
  return { functions, kinds: kindColumn.bytes };
}

// In a worker: one piece after the other.
function answerPage() {
  const open = new Map();
  let before = Promise.resolve();
  self.onmessage = ({ data: [name, text, what] }) => {
    before = before.then(() => unpackPiece(open, name, text, what)).then(
      (made) => made && self.postMessage([name, made], buffersOf(made)),
      (error) => self.postMessage([name, null, String(error)]));
  };
}

function buffersOf(made) {
  return [...new Set(Object.values(made).map(({ buffer }) => buffer))];
}

if (typeof document === "undefined") answerPage();
