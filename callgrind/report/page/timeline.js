// SPDX-License-Identifier: GPL-2.0-or-later
//
// The timeline that the page may hold: when calls began and ended, by thread.
//
// Owns: what is known of a call: its thread, function, begin, end and depth, and its
// neighbours.  Calls are numbered thread by thread, and by their begins, outer ones first
// (export/page_timeline.py): what is within a call lies right behind it.  Times are
// instructions, on one axis for all threads.

const NO_CALL = -1;
const PIECE_WORDS = {
  w: "", r: "the rest of a call that began before", o: "not ended",
  m: "a piece of a call that began before, and has not ended",
};

class Timeline {
  constructor(document) {
    this.threads = document.threads;
    this.limit = document.limit;
    this.marksLost = document.marksLost;
    this.end = Math.max(1, ...this.threads.map(({ start, time }) => start + time));
    this.mostHeld = Math.max(0, ...this.threads.map((thread) => this.mostHeldBy(thread)));
  }

  async load() {
    const columns = columnsOf((await blocks.made("timeline")).bytes);
    const [depths, functions, steps, durations, pieces] = columns;
    this.depths = depths.values(Uint32Array);
    this.functions = functions.values(Int32Array);
    this.begins = steps.values(Float64Array);
    this.ends = durations.values(Float64Array);
    this.pieces = pieces.values(Uint8Array);
    this.size = this.begins.length;
    this.parents = new Int32Array(this.size).fill(NO_CALL);
    let first = 0;
    for (const thread of this.threads) {
      thread.first = first;
      thread.rows = [];
      this.place(thread);
      first += thread.calls;
    }
  }

  // Times of a thread's calls, from the steps between them; and the calls of each depth.
  place(thread) {
    const open = [];
    let now = thread.start;
    const rows = thread.rows;
    for (let call = thread.first; call < thread.first + thread.calls; call++) {
      now += this.begins[call];
      this.begins[call] = now;
      this.ends[call] += now;
      const depth = this.depths[call];
      if (depth) this.parents[call] = open[depth - 1];
      open[depth] = call;
      if (!rows[depth]) rows[depth] = [];
      rows[depth].push(call);
    }
  }

  // Bytes that the process held when this thread changed them; 0: it never did.
  mostHeldBy(thread) {
    return thread.held.reduce((most, [, , held]) => Math.max(most, held), 0);
  }

  threadOf(call) {
    return this.threads.find(({ first, calls }) => call >= first && call < first + calls);
  }

  duration(call) {
    return this.ends[call] - this.begins[call];
  }

  pieceOf(call) {
    return PIECE_WORDS[String.fromCharCode(this.pieces[call])];
  }

  // From the outermost call to this one.
  pathTo(call) {
    const path = [];
    for (let each = call; each !== NO_CALL; each = this.parents[each]) path.push(each);
    return path.reverse();
  }

  // The place in a row of the last call that begins at the time or before it; or -1.
  lastBefore(row, time) {
    let [low, high] = [0, row.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.begins[row[middle]] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  // The call beside it on its thread and depth, or NO_CALL.
  beside(call, step) {
    const row = this.threadOf(call).rows[this.depths[call]];
    return row[this.lastBefore(row, this.begins[call]) + step] ?? NO_CALL;
  }

  // The longest call directly within it, or NO_CALL.
  longestWithin(call) {
    const row = this.threadOf(call).rows[this.depths[call] + 1] || [];
    let best = NO_CALL;
    for (let at = Math.max(this.lastBefore(row, this.begins[call]), 0);
      at < row.length && this.begins[row[at]] <= this.ends[call]; at++) {
      const found = row[at];
      if (this.parents[found] !== call) continue;
      if (best === NO_CALL || this.duration(found) > this.duration(best)) best = found;
    }
    return best;
  }

  // The outermost call of the thread before or behind, at about the same time.
  otherThread(call, step) {
    const from = this.threads.indexOf(this.threadOf(call));
    for (let at = from + step; this.threads[at]; at += step) {
      const row = this.threads[at].rows[0];
      if (row) return row[Math.max(this.lastBefore(row, this.begins[call]), 0)];
    }
    return NO_CALL;
  }

  // The first call of the costliest thread.
  firstCall() {
    const withCalls = this.threads.filter(({ calls }) => calls);
    if (!withCalls.length) return NO_CALL;
    return withCalls.reduce((one, other) => (other.time > one.time ? other : one)).first;
  }

  // How often a function is there, and how long in all; what lies within another call of
  // it counts once.
  sumOf(fn) {
    let [count, time, until] = [0, 0, -1];
    for (const { first, calls } of this.threads) {
      until = -1;
      for (let call = first; call < first + calls; call++) {
        if (this.functions[call] !== fn) continue;
        count++;
        if (this.begins[call] < until) continue;
        time += this.duration(call);
        until = this.ends[call];
      }
    }
    return { count, time };
  }

  matching(matches) {
    const found = [];
    for (let call = 0; call < this.size; call++) {
      if (matches[this.functions[call]]) found.push(call);
    }
    return found;
  }
}

// Bytes that are held at a time of the thread; NaN before it has changed them.
function heldAt(thread, time) {
  let found = NaN;
  for (const [begin, end, most, last] of thread.held) {
    if (begin > time) break;
    found = time < end ? most : last;
  }
  return found;
}

// What is seen of the axis, as the page's address has it: FROM-TO.
function spanOf(text, end) {
  const found = /^(\d+)-(\d+)$/.exec(text);
  const [from, to] = found ? [+found[1], +found[2]] : [0, end];
  return from < to && to <= end ? [from, to] : [0, end];
}

// The span that a span of some width would be, held within the axis.
function spanWithin(from, width, end) {
  const held = Math.min(Math.max(width, 10), end);
  const start = Math.min(Math.max(Math.round(from), 0), Math.max(end - held, 0));
  const stop = Math.min(Math.round(start + held), end);
  return start === 0 && stop === end ? "" : `${start}-${stop}`;
}
