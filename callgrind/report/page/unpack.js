// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is made of a block of the page, from its text to arrays.
//
// Owns: how that is done.  It is done in a worker, beside all else, or without one
// (blocks.js); so nothing here may need the page.

// By what a block is to become: from its bytes to arrays.
const MAKERS = {
  bytes: (bytes) => ({ bytes }),
  shape: (bytes) => shapeOf(columnsOf(bytes)[0]),
  functions: (bytes) => functionsOf(...columnsOf(bytes)),
  // Of the only tree of a page: of each path its number, or the sum of all before it.
  values: (bytes) => ({ bytes, values: columnsOf(bytes)[0].byPath() }),
  sums: (bytes) => ({ bytes, sums: columnsOf(bytes)[0].sumsByPath() }),
};

async function madeOf(text, what) {
  return MAKERS[what](await unpacked(text));
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

// Parents, depths and ends, from how far each path goes back from the one before.
function shapeOf(back) {
  const size = back.length + 1; // with the root
  const parents = new Int32Array(size);
  const depths = new Uint32Array(size);
  const ends = new Uint32Array(size);
  const levels = back.words.length ? back.values(Uint32Array) : back.bytes;
  parents[ROOT] = NOBODY;
  let last = ROOT;
  inParts(levels.length, (from, to) => {
    let before = last;
    for (let node = from + 1; node <= to; node++) {
      for (let left = levels[node - 1]; left > 0; left--) {
        ends[before] = node;
        before = parents[before];
      }
      parents[node] = before;
      depths[node] = depths[before] + 1;
      before = node;
    }
    last = before;
  });
  for (; last !== NOBODY; last = parents[last]) ends[last] = size;
  return { parents, depths, ends };
}

function functionsOf(functionColumn, kindColumn) {
  const functions = new Int32Array(functionColumn.length + 1);
  functions[ROOT] = NOBODY;
  functionColumn.copyTo(functions, 1);
  const kinds = new Uint8Array(kindColumn.length + 1);
  kinds[ROOT] = "c".charCodeAt(0);
  kindColumn.copyTo(kinds, 1);
  return { functions, kinds };
}

// In a worker: one text after the other, or the first, which is waited for, would be done
// with the last.
function answerPage() {
  let before = Promise.resolve();
  self.onmessage = ({ data: [name, text, what] }) => {
    before = before.then(() => madeOf(text, what)).then(
      (made) => self.postMessage([name, made], buffersOf(made)),
      (error) => self.postMessage([name, null, String(error)]));
  };
}

function buffersOf(made) {
  return [...new Set(Object.values(made).map(({ buffer }) => buffer))];
}

if (typeof document === "undefined") answerPage();
