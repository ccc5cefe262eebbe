// SPDX-License-Identifier: GPL-2.0-or-later
//
// Columns of numbers in a block.
//
// Owns: reading them; export/page_columns.py has their form.  They stay as they are until
// somebody needs the numbers.  Where a number belongs to a path, path 0 is the root, and
// NOBODY is no path and no function.

const ROOT = 0;
const NOBODY = -1;

const PLANE_LENGTHS = 16; // bytes: four numbers of 32 bits
const AT_ONCE = 1 << 14;

// work(from, to) for parts of so many things: one long loop would be run by slow code to
// its end.
function inParts(count, work) {
  for (let from = 0; from < count; from += AT_ONCE) {
    work(from, Math.min(from + AT_ONCE, count));
  }
}

// A larger array, which begins with the same.
function longer(array) {
  const made = new array.constructor(2 * array.length);
  made.set(array);
  return made;
}

// Lets the browser do what else there is.
function laterTurn() {
  return new Promise((done) => {
    setTimeout(done);
  });
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
    const { bytes } = this;
    const larger = this.larger();
    for (let i = 0; i < bytes.length; i++) {
      take(bytes[i] === 0xff ? larger() : bytes[i], i);
    }
  }

  // Writes all values into an array, from a place on.  The browser copies bytes; what is
  // left is larger, and seldom.
  copyTo(array, from) {
    const { bytes } = this;
    array.set(bytes, from);
    if (!this.words.length) return;
    const larger = this.larger();
    inParts(bytes.length, (first, end) => {
      for (let i = first; i < end; i++) {
        if (bytes[i] === 0xff) array[from + i] = larger();
      }
    });
  }

  // Writes sums into an array: at each place from this one on, of all values up to there.
  sumTo(array, from) {
    const { bytes } = this;
    const larger = this.larger();
    let before = 0;
    inParts(bytes.length, (first, end) => {
      let sum = before;
      for (let i = first; i < end; i++) {
        sum += bytes[i] === 0xff ? larger() : bytes[i];
        array[from + i] = sum;
      }
      before = sum;
    });
  }

  // The narrowest kind of array that holds all values.
  kind() {
    return this.pairs.length ? Float64Array : this.longs.length ? Uint32Array
      : this.words.length ? Uint16Array : Uint8Array;
  }

  // As kind(), of one that holds NOBODY, too; no value has more than 31 bits.
  kindOfSigned() {
    const isNarrow = !this.longs.length && this.words.every((word) => word < 0x8000);
    return isNarrow ? Int16Array : Int32Array;
  }

  // Of the root and each path behind it its value; the root has none.
  byPath() {
    const found = new (this.kind())(this.length + 1);
    this.copyTo(found, 1);
    return found;
  }

  // Of the root and each path the sum of all before it; and behind them, of all.
  sumsByPath() {
    const isNarrow = this.most() <= 0xffffffff;
    const sums = new (isNarrow ? Uint32Array : Float64Array)(this.length + 2);
    this.sumTo(sums, 2);
    return sums;
  }

  // What gives, one after the other, the values that are no byte.
  larger() {
    const { words, longs, pairs } = this;
    let word = 0;
    let long = 0;
    let pair = 0;
    return () => {
      let value = words[word++];
      if (value === 0xffff) value = longs[long++];
      if (value === 0xffffffff) {
        value = pairs[pair] + pairs[pair + 1] * 2 ** 32;
        pair += 2;
      }
      return value;
    };
  }

  // As much as all values together, or more.
  most() {
    const sum = (numbers) => numbers.reduce((before, number) => before + number, 0);
    if (this.pairs.length) return Infinity;
    return 0xff * this.length + sum(this.words) + sum(this.longs);
  }

  // All values, in an array of this kind.
  values(Kind) {
    const found = new Kind(this.length);
    this.copyTo(found, 0);
    return found;
  }
}
