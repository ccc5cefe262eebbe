// SPDX-License-Identifier: GPL-2.0-or-later
//
// The blocks of numbers in the page.
//
// Owns: reading them; export/page_data.py says what they are.  A block is unpacked once;
// its columns stay as they are until somebody needs the numbers.

const PLANE_LENGTHS = 16; // bytes: four numbers of 32 bits

// The bytes of a block of the page; a promise.
async function unpackedBlock(name) {
  const element = document.getElementById(`block-${name}`);
  const packed = bytesOfBase64(element.textContent);
  element.remove(); // the text is needed no more
  const stream = new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// The columns of a block, in order.
function columnsOf(bytes) {
  const columns = [];
  for (let at = 0; at < bytes.length; at = columns[columns.length - 1].end) {
    columns.push(new Column(bytes, at));
  }
  return columns;
}

class Column {
  constructor(bytes, at) {
    const lengths = new Uint32Array(bytes.slice(at, at + PLANE_LENGTHS).buffer);
    let place = at + PLANE_LENGTHS;
    const plane = (Kind, count, width) => {
      const end = place + count * width;
      // Narrow planes stay where they are; the others have to be aligned.
      const made = width === 1 ? bytes.subarray(place, end)
        : new Kind(bytes.slice(place, end).buffer);
      place = end;
      return made;
    };
    this.length = lengths[0];
    this.bytes = plane(Uint8Array, lengths[0], 1);
    this.words = plane(Uint16Array, lengths[1], 2);
    this.longs = plane(Uint32Array, lengths[2], 4);
    this.pairs = plane(Uint32Array, lengths[3], 8);
    this.end = place;
  }

  // take(value, place) for each value, in order.
  each(take) {
    const { bytes, words, longs, pairs } = this;
    let word = 0;
    let long = 0;
    let pair = 0;
    for (let i = 0; i < bytes.length; i++) {
      let value = bytes[i];
      if (value === 0xff) value = words[word++];
      if (value === 0xffff) value = longs[long++];
      if (value === 0xffffffff) {
        value = pairs[pair] + pairs[pair + 1] * 2 ** 32;
        pair += 2;
      }
      take(value, i);
    }
  }

  // Writes all values into an array, from a place on.  A loop without a call: this is
  // much of what opening a large page takes.
  copyTo(array, from) {
    const { bytes, words, longs, pairs } = this;
    if (!words.length) { // none is larger than a byte
      array.set(bytes, from);
      return;
    }
    let word = 0;
    let long = 0;
    let pair = 0;
    for (let i = 0; i < bytes.length; i++) {
      let value = bytes[i];
      if (value === 0xff) {
        value = words[word++];
        if (value === 0xffff) value = longs[long++];
        if (value === 0xffffffff) {
          value = pairs[pair] + pairs[pair + 1] * 2 ** 32;
          pair += 2;
        }
      }
      array[from + i] = value;
    }
  }

  // Writes sums into an array: at each place from this one on, of all values up to there.
  sumTo(array, from) {
    this.copyTo(array, from);
    const end = from + this.length;
    let sum = 0;
    for (let i = from; i < end; i++) {
      sum += array[i];
      array[i] = sum;
    }
  }

  // All values, in an array of this kind.
  values(Kind) {
    const found = new Kind(this.length);
    this.copyTo(found, 0);
    return found;
  }
}
