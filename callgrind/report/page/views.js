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
// A view has frames by number, 0 is its root.  A frame has a function, kind, parent,
// depth and children; cost(frame, run), where a run may be BOTH; numbers(frame, run,
// event).

const STEPS_AT_ONCE = 5e5; // how many paths may be looked at for one drawing

class PathView {
  constructor(tree, event) {
    Object.assign(this, { tree, event, parents: tree.parents, depths: tree.depths });
    this.functions = tree.functions;
    this.unfinished = false;
  }

  kindOf(frame) {
    return String.fromCharCode(this.tree.kinds[frame]);
  }

  childrenOf(frame) {
    return this.tree.childrenOf(frame);
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
    const { ends } = this.tree;
    const found = [];
    for (let node = 1; node < this.tree.size; node++) {
      const isMatch = matches[this.functions[node]];
      if (isMatch && sums[ends[node]] > sums[node]) found.push(node);
    }
    return found.sort((one, other) => this.cost(other, run) - this.cost(one, run))
      .slice(0, most);
  }
}

class GroupView {
  // Frames go from functions towards their callers, or towards what they call.
  constructor(tree, event, towardsCallers, ofFunction) {
    Object.assign(this, { tree, event, towardsCallers, ofFunction });
    const { profile } = tree;
    this.runs = profile.isComparison ? [0, 1, BOTH] : [0];
    this.slots = new Int32Array(profile.functions.length).fill(NOBODY);
    this.parents = [];
    this.depths = [];
    this.functions = [];
    this.firsts = []; // a path of each frame, for its kind
    this.places = []; // the paths of each frame, as far as they have come
    this.origins = []; // and where they started from, whose cost they stand for
    this.kids = [];
    this.costs = [];
    this.budget = Infinity;
    this.unfinished = false;
    this.begin();
  }

  begin() {
    const { tree, ofFunction } = this;
    if (ofFunction === NOBODY) {
      const none = new Uint32Array(0);
      this.append(NOBODY, NOBODY, none, none);
      for (const run of this.runs) this.costs[ROOT][run] = tree.total(run, this.event);
      this.kids[ROOT] = tree.profile.functions.map((_, index) => this.withCost(index))
        .map((paths, index) => (paths.length ? [index, paths] : null))
        .filter((found) => found)
        .map(([index, paths]) => this.append(ROOT, index, paths, paths));
    } else {
      let open = 0;
      const outermost = tree.nodesOf(ofFunction).filter((node) => {
        if (node < open) return false; // what is recursive lies within
        open = tree.ends[node];
        return true;
      });
      this.append(NOBODY, ofFunction, outermost, outermost);
    }
  }

  // The paths of a function that have a self cost.
  withCost(index) {
    const columns = this.runs.map((run) => this.tree.sumsOf(run, this.event));
    return this.tree.nodesOf(index).filter((node) =>
      columns.some((sums) => sums[node + 1] > sums[node]));
  }

  append(parent, functionIndex, places, origins) {
    const frame = this.parents.push(parent) - 1;
    this.depths.push(parent === NOBODY ? 0 : this.depths[parent] + 1);
    this.functions.push(functionIndex);
    this.firsts.push(places.length ? places[0] : ROOT);
    this.places.push(places);
    this.origins.push(origins);
    this.kids.push(null);
    const costs = {};
    for (const run of this.runs) costs[run] = this.costOf(origins, run);
    this.costs.push(costs);
    return frame;
  }

  // What paths add to the frames that they are in.
  costOf(origins, run) {
    const sums = this.tree.sumsOf(run, this.event);
    const { ends } = this.tree;
    let sum = 0;
    if (this.ofFunction === NOBODY) {
      for (const node of origins) sum += sums[node + 1] - sums[node];
    } else {
      for (const node of origins) sum += sums[ends[node]] - sums[node];
    }
    return sum;
  }

  // Make the children of a frame of the places that its paths come to next.
  group(parent, places, origins) {
    const { slots } = this;
    const { functions } = this.tree;
    const counts = [];
    const met = [];
    for (let i = 0; i < places.length; i++) {
      const found = functions[places[i]];
      if (slots[found] === NOBODY) {
        slots[found] = met.push(found) - 1;
        counts.push(0);
      }
      counts[slots[found]]++;
    }
    const groups = counts.map((count) =>
      [new Uint32Array(count), new Uint32Array(count)]);
    const filled = new Uint32Array(met.length);
    for (let i = 0; i < places.length; i++) {
      const slot = slots[functions[places[i]]];
      groups[slot][0][filled[slot]] = places[i];
      groups[slot][1][filled[slot]++] = origins[i];
    }
    for (const found of met) slots[found] = NOBODY;
    this.kids[parent] = met.map((found, slot) =>
      this.append(parent, found, ...groups[slot]));
  }

  beginDrawing() {
    this.budget = STEPS_AT_ONCE;
    this.unfinished = false;
  }

  childrenOf(frame) {
    if (this.kids[frame]) return this.kids[frame];
    if (this.budget <= 0) {
      this.unfinished = true;
      return [];
    }
    const [places, origins] = this.towardsCallers
      ? this.callersOf(frame) : this.calleesOf(frame);
    this.budget -= this.places[frame].length + places.length;
    this.group(frame, places, origins);
    return this.kids[frame];
  }

  callersOf(frame) {
    const { parents } = this.tree;
    const [before, origins] = [this.places[frame], this.origins[frame]];
    const places = [];
    const kept = [];
    for (let i = 0; i < before.length; i++) {
      if (parents[before[i]] <= ROOT) continue;
      places.push(parents[before[i]]);
      kept.push(origins[i]);
    }
    return [places, kept];
  }

  calleesOf(frame) {
    const { ends } = this.tree;
    const places = [];
    for (const node of this.places[frame]) {
      for (let child = node + 1; child < ends[node]; child = ends[child]) {
        places.push(child);
      }
    }
    return [places, places];
  }

  kindOf(frame) {
    return String.fromCharCode(this.tree.kinds[this.firsts[frame]]);
  }

  cost(frame, run) {
    return this.costs[frame][run];
  }

  numbers(frame, run, event) {
    const { tree } = this;
    const total = tree.total(run, event);
    if (frame === ROOT && this.ofFunction === NOBODY) {
      return { self: null, inclusive: total, total };
    }
    const sums = tree.sumsOf(run, event);
    const { ends } = tree;
    let self = 0;
    let inclusive = 0;
    for (const node of this.origins[frame]) {
      self += sums[node + 1] - sums[node];
      inclusive += sums[ends[node]] - sums[node];
    }
    if (this.ofFunction === NOBODY) return { self: null, inclusive: self, total };
    return { self: this.towardsCallers ? null : self, inclusive, total };
  }

  calls(frame, run) {
    if (frame === ROOT && this.ofFunction === NOBODY) return 0;
    return this.origins[frame].reduce((sum, node) => sum + this.tree.calls(run, node), 0);
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
    this.budget = Infinity;
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
    const found = [];
    for (let frame = 0; frame < this.parents.length; frame++) {
      const index = this.functions[frame];
      if (index !== NOBODY && matches[index] && this.cost(frame, run)) found.push(frame);
    }
    return found.sort((one, other) => this.cost(other, run) - this.cost(one, run))
      .slice(0, most);
  }
}
