// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a graph draws: a tree of frames, which a view makes of the call tree.
//
// Owns: the two kinds of views.  A PathView is the call tree itself, from the callers
// down.  A GroupView puts paths together by function, as far as they agree: from
// functions up to their callers (the inverted graph, the upper half of a sandwich), or
// from one function down to what it calls (the lower half).  Its frames are made when
// they are looked at.
//
// A view has frames by number, 0 is its root.  A frame has a function, kind, parent and
// children; cost(frame, run), where a run may be BOTH; numbers(frame, run, event).

const STEPS_AT_ONCE = 16e3; // how many paths may be looked at for one drawing

// The costliest of many frames; of those that cost the same, the first.
class Costliest {
  constructor(most) {
    this.most = most;
    this.least = 0; // what costs no more is not among them
    this.kept = [];
  }

  add(frame, cost) {
    if (cost <= this.least) return;
    this.kept.push({ frame, cost });
    if (this.kept.length < 2 * this.most) return;
    this.keepMost();
    this.least = this.kept[this.most - 1].cost;
  }

  keepMost() {
    // Sorting leaves what costs the same in its order.
    this.kept.sort((one, other) => other.cost - one.cost);
    this.kept.length = Math.min(this.kept.length, this.most);
  }

  // The costliest first.
  all() {
    this.keepMost();
    return this.kept.map(({ frame }) => frame);
  }
}

class PathView {
  constructor(tree, event) {
    Object.assign(this, { tree, event, functions: tree.functions });
    this.unfinished = false;
  }

  kindOf(frame) {
    return this.tree.kindOf(frame);
  }

  parentOf(frame) {
    return frame === ROOT ? NOBODY : this.pathTo(frame).at(-2);
  }

  childrenOf(frame) {
    return this.tree.childrenOf(frame);
  }

  // take(child, cost) for each that costs so much, or more.
  eachChildFrom(least, frame, run, take) {
    this.tree.eachChildFrom(least, frame, this.tree.sumsOf(run, this.event), take);
  }

  cost(frame, run) {
    return this.tree.inclusiveCost(run, this.event, frame);
  }

  numbers(frame, run, event) {
    return {
      self: this.tree.selfCost(run, event, frame),
      inclusive: this.tree.inclusiveCost(run, event, frame),
      total: this.tree.total(run, event),
    };
  }

  calls(frame, run) {
    return this.tree.calls(run, frame);
  }

  pathTo(frame) {
    return this.tree.pathTo(frame);
  }

  beginDrawing() {}

  endDrawing() {}

  // What a link calls the frame, and back.
  keyOf(frame) {
    return String(frame);
  }

  find(key) {
    const frame = Number(key);
    return Number.isInteger(frame) && frame >= 0 && frame < this.tree.size ? frame : ROOT;
  }

  // The frames of functions that match, the costliest first.
  matching(matches, run, most) {
    const sums = this.tree.sumsOf(run, this.event);
    const { tree: { ends, size }, functions } = this;
    const found = new Costliest(most);
    inParts(size - 1, (from, to) => {
      for (let node = from + 1; node <= to; node++) {
        if (matches[functions[node]]) found.add(node, sums[ends[node]] - sums[node]);
      }
    });
    return found.all();
  }
}

class GroupView {
  // Frames go from functions towards their callers, or towards what they call.
  constructor(tree, event, towardsCallers, ofFunction) {
    Object.assign(this, { tree, event, towardsCallers, ofFunction });
    const { profile } = tree;
    this.runs = profile.isComparison ? [0, 1, BOTH] : [0];
    this.sums = this.runs.map((run) => tree.sumsOf(run, event));
    this.slots = new Int32Array(profile.functions.length).fill(NOBODY);
    this.parents = [];
    this.functions = [];
    this.firsts = []; // a path of each frame, for its kind
    this.places = []; // the paths of each frame, as far as they have come; or null
    this.origins = []; // and where they started from, whose cost they stand for
    this.kids = [];
    this.costs = this.runs.map(() => []);
    this.scratch = new Paths();
    this.budget = Infinity;
    this.isHasty = false;
    this.unfinished = false;
    if (this.isOfAll) this.beginWithAll();
    else this.beginWithOne();
  }

  // Is it of all functions, by their self costs?
  get isOfAll() {
    return this.ofFunction === NOBODY;
  }

  // From the functions that have a self cost.  Their paths, also those without one, are
  // put together when they are looked at.
  beginWithAll() {
    const { tree, sums } = this;
    const count = tree.profile.functions.length;
    const costs = sums.map(() => new Float64Array(count));
    const firsts = new Uint32Array(count);
    sums.forEach((column, run) => {
      inParts(tree.size - 1, (from, to) =>
        this.addSelfCosts(costs[run], firsts, column, from + 1, to));
    });
    this.append(NOBODY, NOBODY, ROOT,
      this.runs.map((run) => tree.total(run, this.event)));
    this.places[ROOT] = this.origins[ROOT] = new Uint32Array(0);
    this.kids[ROOT] = [];
    for (let index = 0; index < count; index++) {
      if (!firsts[index]) continue;
      this.kids[ROOT].push(
        this.append(ROOT, index, firsts[index], costs.map((column) => column[index])));
    }
  }

  // Of the paths from one to another, both included; firsts: by function, the first of
  // its paths that has a cost.
  addSelfCosts(costs, firsts, sums, first, last) {
    const { functions } = this.tree;
    for (let node = first; node <= last; node++) {
      const cost = sums[node + 1] - sums[node];
      if (!cost) continue;
      const found = functions[node];
      costs[found] += cost;
      if (!firsts[found] || node < firsts[found]) firsts[found] = node;
    }
  }

  // The paths of a frame, and where they started from.
  pathsOf(frame) {
    if (!this.places[frame]) {
      this.places[frame] = this.tree.nodesOf(this.functions[frame]);
      this.origins[frame] = this.places[frame];
    }
    return [this.places[frame], this.origins[frame]];
  }

  // From the paths of a function; what is recursive lies within another one.
  beginWithOne() {
    const { tree: { ends }, sums } = this;
    const found = new Paths();
    const costs = sums.map(() => 0);
    const nodes = this.tree.nodesOf(this.ofFunction);
    let open = 0;
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i];
      if (node < open) continue;
      open = ends[node];
      found.add(node);
      for (let run = 0; run < sums.length; run++) {
        costs[run] += sums[run][open] - sums[run][node];
      }
    }
    const outermost = found.all();
    const first = outermost.length ? outermost[0] : ROOT;
    this.append(NOBODY, this.ofFunction, first, costs);
    this.places[ROOT] = this.origins[ROOT] = outermost;
  }

  append(parent, functionIndex, first, costs) {
    const frame = this.parents.push(parent) - 1;
    this.functions.push(functionIndex);
    this.firsts.push(first);
    this.places.push(null);
    this.origins.push(null);
    this.kids.push(null);
    for (let run = 0; run < costs.length; run++) this.costs[run].push(costs[run]);
    return frame;
  }

  // Make the children of a frame of the places that its paths come to next.
  group(parent, places, origins) {
    const count = places.length;
    const slotOf = new Uint32Array(count);
    const met = [];
    const counts = [];
    inParts(count, (from, to) =>
      this.findSlots(places.subarray(from, to), slotOf.subarray(from, to), met, counts));
    for (const found of met) this.slots[found] = NOBODY;
    const costs = this.sums.map((sums) => {
      const column = new Float64Array(met.length);
      inParts(count, (from, to) =>
        this.addCosts(column, sums, slotOf.subarray(from, to),
          origins.subarray(from, to)));
      return column;
    });
    // Paths of one function are side by side, in their order.
    const ends = [];
    counts.reduce((end, each) => ends.push(end + each) && end + each, 0);
    const next = Uint32Array.from(ends, (end, slot) => end - counts[slot]);
    const sorted = new Uint32Array(count);
    const sortedOrigins = origins === places ? sorted : new Uint32Array(count);
    inParts(count, (from, to) => {
      for (let i = from; i < to; i++) {
        const at = next[slotOf[i]]++;
        sorted[at] = places[i];
        sortedOrigins[at] = origins[i];
      }
    });
    this.kids[parent] = met.map((found, slot) => {
      const first = ends[slot] - counts[slot];
      const frame = this.append(parent, found, sorted[first],
        costs.map((column) => column[slot]));
      this.places[frame] = sorted.subarray(first, ends[slot]);
      this.origins[frame] = sortedOrigins.subarray(first, ends[slot]);
      return frame;
    });
  }

  // For each place the slot of its function; met: the functions by slot, and how many
  // places each has.
  findSlots(places, slotOf, met, counts) {
    const { slots } = this;
    const { functions } = this.tree;
    for (let i = 0; i < places.length; i++) {
      const found = functions[places[i]];
      if (slots[found] === NOBODY) {
        slots[found] = met.push(found) - 1;
        counts.push(0);
      }
      slotOf[i] = slots[found];
      counts[slotOf[i]]++;
    }
  }

  // What paths add to the frames that they are in.
  addCosts(costs, sums, slotOf, origins) {
    const { ends } = this.tree;
    const { isOfAll } = this;
    for (let i = 0; i < slotOf.length; i++) {
      const origin = origins[i];
      costs[slotOf[i]] += sums[isOfAll ? origin + 1 : ends[origin]] - sums[origin];
    }
  }

  // What is looked at until endDrawing() is limited.  In haste, what alone would take all
  // of that is left for later, too; otherwise each drawing gets further.
  beginDrawing(isHasty) {
    this.budget = STEPS_AT_ONCE;
    this.isHasty = isHasty;
    this.unfinished = false;
  }

  endDrawing() {
    this.budget = Infinity;
  }

  childrenOf(frame) {
    if (this.kids[frame]) return this.kids[frame];
    const [{ length }] = this.pathsOf(frame);
    if (this.budget <= 0 || (this.isHasty && length > this.budget)) {
      this.unfinished = true;
      return [];
    }
    const [places, origins] = this.towardsCallers
      ? this.callersOf(frame) : this.calleesOf(frame);
    this.budget -= this.places[frame].length + places.length;
    this.group(frame, places, origins);
    return this.kids[frame];
  }

  // take(child, cost) for each that costs so much, or more.
  eachChildFrom(least, frame, run, take) {
    for (const child of this.childrenOf(frame)) {
      const cost = this.cost(child, run);
      if (cost >= least) take(child, cost);
    }
  }

  callersOf(frame) {
    const { parents } = this.tree;
    const [before, origins] = this.pathsOf(frame);
    const places = new Uint32Array(before.length);
    const kept = new Uint32Array(before.length);
    let count = 0;
    for (let i = 0; i < before.length; i++) {
      const parent = parents[before[i]];
      if (parent <= ROOT) continue;
      places[count] = parent;
      kept[count++] = origins[i];
    }
    return [places.subarray(0, count), kept.subarray(0, count)];
  }

  calleesOf(frame) {
    const { ends } = this.tree;
    const [before] = this.pathsOf(frame);
    const found = this.scratch;
    found.length = 0;
    for (let i = 0; i < before.length; i++) {
      const end = ends[before[i]];
      for (let child = before[i] + 1; child < end; child = ends[child]) found.add(child);
    }
    const places = found.all();
    return [places, places];
  }

  kindOf(frame) {
    return this.tree.kindOf(this.firsts[frame]);
  }

  parentOf(frame) {
    return this.parents[frame];
  }

  cost(frame, run) {
    return this.costs[run === BOTH ? 2 : run][frame];
  }

  numbers(frame, run, event) {
    const { tree } = this;
    const total = tree.total(run, event);
    if (this.isOfAll && (frame === ROOT || event === this.event)) {
      const inclusive = frame === ROOT ? total : this.cost(frame, run);
      return { self: null, inclusive, total };
    }
    const sums = tree.sumsOf(run, event);
    const { ends } = tree;
    const [, nodes] = this.pathsOf(frame);
    let self = 0;
    let inclusive = 0;
    for (let i = 0; i < nodes.length; i++) {
      self += sums[nodes[i] + 1] - sums[nodes[i]];
      if (!this.isOfAll) inclusive += sums[ends[nodes[i]]] - sums[nodes[i]];
    }
    if (this.isOfAll) return { self: null, inclusive: self, total };
    return { self: this.towardsCallers ? null : self, inclusive, total };
  }

  calls(frame, run) {
    if (frame === ROOT && this.isOfAll) return 0;
    const counts = this.tree.callCounts[run];
    const [, nodes] = this.pathsOf(frame);
    let sum = 0;
    for (let i = 0; i < nodes.length; i++) sum += counts[nodes[i]];
    return sum;
  }

  pathTo(frame) {
    const path = [];
    for (let each = frame; each !== NOBODY; each = this.parents[each]) path.push(each);
    return path.reverse();
  }

  keyOf(frame) {
    return this.pathTo(frame).slice(1).map((each) => this.functions[each]).join(".");
  }

  find(key) {
    let frame = ROOT;
    for (const word of key ? key.split(".") : []) {
      const next = this.childrenOf(frame)
        .find((child) => this.functions[child] === Number(word));
      if (next === undefined) break;
      frame = next;
    }
    return frame;
  }

  // As far as frames have been made.
  matching(matches, run, most) {
    const found = new Costliest(most);
    for (let frame = 0; frame < this.parents.length; frame++) {
      const index = this.functions[frame];
      if (index !== NOBODY && matches[index]) found.add(frame, this.cost(frame, run));
    }
    return found.all();
  }
}
