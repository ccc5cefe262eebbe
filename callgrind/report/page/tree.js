// SPDX-License-Identifier: GPL-2.0-or-later
//
// The trees that the page holds, and all sums over them.
//
// Owns: what is known of a path: its function, its parent, what lies below it, its calls
// and costs in the trees that are chosen.  Paths are numbered depth first (data.js), and
// 0 is the root of all of them: what is below a path are the numbers up to its end.  So a
// cost is kept as sums from the first path on, and the inclusive cost of a path is a
// difference of two.

const BUNDLED = "b".charCodeAt(0);
const BOTH = "both"; // in place of a run: the larger self cost of the two, path by path
const MOST_SUMS = 48e6; // numbers; older sums are dropped, and made again when needed
// Self and inclusive cost, calls, and up to which path the group is on the path.
const SUMS_OF_GROUP = 4;
const MOST_RELATED = 64; // functions whose callers or callees are kept
const AT_A_TURN = 1 << 18; // paths, of work for which nobody waits
const KIND_WORDS = {
  c: "", i: "inlined", j: "JIT code", k: "kernel", s: "skipped", p: "pruned",
  t: "truncated", b: "bundled",
};

class Profile {
  constructor(text) {
    Object.assign(this, JSON.parse(text));
    this.isComparison = this.runs.length > 1;
    this.last = this.runs.length - 1;
    this.trees = this.runs.flatMap((run, number) =>
      run.trees.map((tree) => ({ ...tree, run: number })));
  }

  // As it is shown: the last digits of an address are what distinguishes it.
  functionName(index) {
    return shortAddress(this.fullName(index));
  }

  fullName(index) {
    return index === NOBODY ? "all" : this.functions[index][0];
  }

  // Is it code that was made at run time, whose name nobody has told?
  isNameless(index) {
    return index !== NOBODY && this.functions[index][1] === NOBODY &&
      /^0x[0-9a-f]+$/.test(this.functions[index][0]);
  }

  objectOf(index) {
    const object = index === NOBODY ? NOBODY : this.functions[index][1];
    return object === NOBODY ? "" : this.objects[object];
  }

  fileOf(index) {
    const source = index === NOBODY ? NOBODY : this.functions[index][2];
    return source === NOBODY ? "" : this.sources[source];
  }

  sourceOf(index) {
    const file = this.fileOf(index);
    const line = file ? this.functions[index][3] : 0;
    return line ? `${file}:${line}` : file;
  }
}

function shortAddress(name) {
  return name.startsWith("0x0") ? name.replace(/^0x0+\B/, "0x") : name;
}

// The event that counts samples, where costs were sampled; or -1.
function samplesEvent({ sampled, events }) {
  return sampled ? events.findIndex(([name]) => name === "samples") : -1;
}

// A list of paths that grows.
class Paths {
  constructor() {
    this.room = new Uint32Array(1024);
    this.length = 0;
  }

  add(path) {
    if (this.length === this.room.length) this.room = longer(this.room);
    this.room[this.length++] = path;
  }

  all() {
    return this.room.subarray(0, this.length);
  }
}

class CallTree {
  constructor(profile) {
    this.profile = profile;
    this.size = profile.paths + 1;
    this.eventColumns = profile.events.map(() => null);
    this.pairs = new Map(); // {nodes, others}, by function and which way
    this.pairedPaths = 0; // how many paths are in them
  }

  async load() {
    const [shape, functions, calls] = await Promise.all(
      ["shape", "functions", "calls"].map((name) => blocks.made(name)));
    Object.assign(this, shape, functions); // ends, functions, kinds
    [this.callColumn, this.stepColumn] = columnsOf(calls.bytes);
    this.callValues = calls.values;
    this.select(() => true);
  }

  async loadEvent(event) {
    if (this.eventColumns[event]) return;
    const { bytes, sums } = await blocks.made(String(event));
    [this.eventColumns[event]] = columnsOf(bytes);
    if (sums && this.sums.size < this.mostSums) {
      this.sums.set(this.sumsKey(this.profile.trees[0].run, event), sums);
    }
  }

  // What a sample stands for, in general; at most, where there were several rates, so
  // that no interval is too narrow.  Differences between two runs are shown as they
  // are.  Time off the processor was measured; with it there is the sum of both.
  async findPeriod() {
    const { events, sampled, isComparison } = this.profile;
    const indexOf = (wanted) => events.findIndex(([name]) => name === wanted);
    const samples = samplesEvent(this.profile);
    const [both, on, off] = ["wall", "on-cpu", "off-cpu"].map(indexOf);
    if (!sampled || isComparison) return;
    if (off >= 0) events[off].isMeasured = true;
    const clock = on >= 0 ? on : 0;
    if (samples < 0 || samples === clock || clock === off) return;
    await Promise.all([this.loadEvent(samples), this.loadEvent(clock)]);
    const count = this.total(0, samples);
    if (!count) return;
    const period = Math.max(this.total(0, clock) / count, this.profile.longestPeriod);
    events[clock].period = period;
    if (both >= 0) {
      const sampledPart = on >= 0 ? on : both;
      Object.assign(events[both], { period, sampledPart, mostSamples: count });
    }
  }

  // The event that is the part of this one that was sampled: mostly itself.
  sampledPart(event) {
    return this.profile.events[event].sampledPart ?? event;
  }

  hasEvent(event) {
    return this.eventColumns[event] !== null;
  }

  // Count only the trees for which test(tree) holds.
  select(test) {
    this.chosen = this.profile.trees.map(test);
    this.sums = new Map();
    this.related = new Map();
    this.callCounts = this.profile.runs.map((_, run) =>
      (this.callValues && this.isOnlyTreeOf(run) ? this.callValues
        : this.gather(this.callColumn, run)));
    this.shown = this.countShown();
  }

  // A column's values by path, of the trees that are chosen of a run.
  gather(column, run) {
    const { trees } = this.profile;
    if (trees.length === 1) {
      return this.isOnlyTreeOf(run) ? column.byPath() : new Uint32Array(this.size);
    }
    const values = new Float64Array(this.size);
    this.eachEntry(column, (tree, node, value) => {
      if (this.chosen[tree] && trees[tree].run === run) values[node] += value;
    });
    return values;
  }

  // Where there is one tree: is it chosen, and one of this run?
  isOnlyTreeOf(run) {
    return this.chosen[0] && (run === BOTH || this.profile.trees[0].run === run);
  }

  // visit(tree, path, value) for all values of a column of several trees.
  eachEntry(column, visit) {
    const { trees } = this.profile;
    if (!this.places) this.places = this.stepColumn.values(Uint32Array);
    let tree = 0;
    let left = trees.length ? trees[0].nodes : 0;
    let node = ROOT;
    column.each((value, i) => {
      while (!left) {
        tree++;
        left = trees[tree].nodes;
        node = ROOT;
      }
      node += this.places[i] + 1;
      left--;
      visit(tree, node, value);
    });
  }

  // How many paths the chosen trees have.
  countShown() {
    const { trees } = this.profile;
    if (trees.length === 1) return this.chosen[0] ? this.size - 1 : 0;
    const met = new Uint8Array(this.size);
    this.eachEntry(this.callColumn, (tree, node) => {
      if (this.chosen[tree]) met[node] = 1;
    });
    return met.reduce((sum, one) => sum + one, 0);
  }

  // For each path, the cost of all before it; run may be BOTH.
  sumsOf(run, event) {
    const key = this.sumsKey(run, event);
    const found = this.sums.get(key);
    if (found) return found;
    for (const old of this.sums.keys()) {
      if (this.sums.size < this.mostSums) break;
      this.sums.delete(old);
    }
    const made = this.makeSums(run, event);
    this.sums.set(key, made);
    return made;
  }

  sumsKey(run, event) {
    return 3 * event + (run === BOTH ? 2 : run);
  }

  get mostSums() {
    return Math.max(4, Math.floor(MOST_SUMS / this.size));
  }

  makeSums(run, event) {
    const column = this.eventColumns[event];
    if (this.profile.trees.length === 1 && this.isOnlyTreeOf(run)) {
      return column.sumsByPath();
    }
    const sums = new Float64Array(this.size + 1);
    if (this.profile.trees.length === 1) return sums;
    const self = this.gather(column, run === BOTH ? 0 : run);
    if (run === BOTH) {
      const other = this.gather(column, 1);
      for (let i = 0; i < self.length; i++) self[i] = Math.max(self[i], other[i]);
    }
    for (let i = 0; i < self.length; i++) sums[i + 1] = sums[i] + self[i];
    return sums;
  }

  selfCost(run, event, node) {
    const sums = this.sumsOf(run, event);
    return sums[node + 1] - sums[node];
  }

  inclusiveCost(run, event, node) {
    const sums = this.sumsOf(run, event);
    return sums[this.ends[node]] - sums[node];
  }

  total(run, event) {
    return this.inclusiveCost(run, event, ROOT);
  }

  calls(run, node) {
    return this.callCounts[run][node];
  }

  kindOf(node) {
    return node === ROOT ? "c" : String.fromCharCode(this.kinds[node - 1]);
  }

  // The paths that end with a function, in order.
  nodesOf(functionIndex) {
    if (!this.byFunction) this.sortByFunction();
    const [first, end] = [functionIndex, functionIndex + 1].map((i) => this.firstOf[i]);
    return this.byFunction.subarray(first, end);
  }

  sortByFunction() {
    const count = this.profile.functions.length;
    this.firstOf = new Uint32Array(count + 1);
    for (let node = 1; node < this.size; node++) this.firstOf[this.functions[node] + 1]++;
    for (let i = 0; i < count; i++) this.firstOf[i + 1] += this.firstOf[i];
    const next = this.firstOf.slice();
    this.byFunction = new Uint32Array(this.size - 1);
    for (let node = 1; node < this.size; node++) {
      this.byFunction[next[this.functions[node]]++] = node;
    }
  }

  childrenOf(node) {
    const found = [];
    const end = this.ends[node];
    for (let child = node + 1; child < end; child = this.ends[child]) found.push(child);
    return found;
  }

  // take(child, cost) for each that costs so much, or more, by sums of costs.
  eachChildFrom(least, node, sums, take) {
    const { ends } = this;
    const end = ends[node];
    for (let child = node + 1; child < end;) {
      const next = ends[child];
      const cost = sums[next] - sums[child];
      if (cost >= least) take(child, cost);
      child = next;
    }
  }

  // From the root to the node, both included.
  pathTo(node) {
    const { ends } = this;
    const path = [ROOT];
    for (let last = ROOT; last !== node; path.push(last)) {
      // Of its children, the one that has the node below it.
      for (last += 1; ends[last] <= node;) last = ends[last];
    }
    return path;
  }

  // By path, the one that it continues: made when somebody asks for it.
  get parents() {
    this.addParents(this.size);
    return this.parentsFound;
  }

  // Makes them while nobody waits for them.
  async findParents() {
    for (let to = AT_A_TURN; to < this.size; to += AT_A_TURN) {
      this.addParents(to);
      await laterTurn();
    }
    this.addParents(this.size);
  }

  // Of the paths before this one, as far as they are not yet known.
  addParents(end) {
    if (!this.parentsFound) {
      this.parentsFound = new Int32Array(this.size);
      this.parentsFound[ROOT] = NOBODY;
      this.parentsKnown = 1;
    }
    const { ends, parentsFound } = this;
    const first = this.parentsKnown;
    inParts(end - first, (from, to) => {
      for (let node = first + from; node < first + to; node++) {
        let above = node - 1;
        while (ends[above] <= node) above = parentsFound[above];
        parentsFound[node] = above;
      }
    });
    this.parentsKnown = Math.max(first, end);
  }

  // For each group of functions: self cost, inclusive cost (recursion counts once), and
  // calls, of each run.  groupOf: by function, its group or NOBODY.
  sumsBy(groupOf, count, event) {
    return this.profile.runs.map((_, run) => this.sumsOfRun(groupOf, count, run, event));
  }

  sumsOfRun(groupOf, count, run, event) {
    // Numbers of a group are side by side: groups come in any order.
    const sums = new Float64Array(SUMS_OF_GROUP * count);
    inParts(this.size - 1, (from, to) =>
      this.addSums(sums, groupOf, run, event, from + 1, to));
    const column = (which) =>
      Float64Array.from({ length: count }, (_, group) =>
        sums[SUMS_OF_GROUP * group + which]);
    const [self, inclusive, calls] = [0, 1, 2].map(column);
    return {
      self, inclusive, calls,
      met: Uint8Array.from(inclusive, (cost, group) => (cost || calls[group] ? 1 : 0)),
    };
  }

  // Adds the paths from one to another, both included.
  addSums(groups, groupOf, run, event, first, last) {
    const { functions, ends } = this;
    const costs = this.sumsOf(run, event);
    const counts = this.callCounts[run];
    for (let node = first; node <= last; node++) {
      const group = groupOf[functions[node]];
      if (group === NOBODY) continue;
      const end = ends[node];
      const cost = costs[end] - costs[node];
      if (!cost && !counts[node]) continue;
      const at = SUMS_OF_GROUP * group;
      groups[at] += costs[node + 1] - costs[node];
      groups[at + 2] += counts[node];
      if (node < groups[at + 3]) continue;
      groups[at + 1] += cost;
      groups[at + 3] = end;
    }
  }

  // As sumsBy(), of one function, by run.
  sumsOfFunction(functionIndex, event) {
    const nodes = this.nodesOf(functionIndex);
    return this.profile.runs.map((_, run) => {
      const costs = this.sumsOf(run, event);
      const counts = this.callCounts[run];
      const found = { self: 0, inclusive: 0, calls: 0 };
      let open = 0; // up to here, the function is on the path
      inParts(nodes.length, (from, to) => {
        for (let i = from; i < to; i++) {
          const node = nodes[i];
          found.self += costs[node + 1] - costs[node];
          found.calls += counts[node];
          if (node < open) continue;
          open = this.ends[node];
          found.inclusive += costs[open] - costs[node];
        }
      });
      return found;
    });
  }

  // Of each function its self cost.
  selfByFunction(run, event) {
    const { functions, size } = this;
    const costs = this.sumsOf(run, event);
    const found = new Float64Array(this.profile.functions.length);
    inParts(size - 1, (from, to) => {
      for (let node = from + 1; node <= to; node++) {
        found[functions[node]] += costs[node + 1] - costs[node];
      }
    });
    return found;
  }

  // Callers or callees of a function on all paths: Map of function to costs and calls of
  // each run.  Where a pair calls itself again, only the outermost counts for cost.
  callersOrCallees(functionIndex, event, wantCallers) {
    const key = `${functionIndex} ${event} ${wantCallers}`;
    let found = this.related.get(key);
    if (found) return found;
    if (this.related.size >= MOST_RELATED) this.related.clear();
    const { nodes, others } = this.pairsOf(functionIndex, wantCallers);
    const runs = this.profile.runs.map((_, run) =>
      this.sumsOfPairs(nodes, others, run, event));
    found = new Map(runs[0].met.map((other) => [other, runs.map(({ calls, costs }) =>
      ({ calls: calls[other + 1], cost: costs[other + 1] }))]));
    this.related.set(key, found);
    return found;
  }

  // The paths that end with a call of the function or by it, and the function at the
  // other end of this call.  They are kept: they are the same for all events.
  pairsOf(functionIndex, wantCallers) {
    const key = `${functionIndex} ${wantCallers}`;
    let found = this.pairs.get(key);
    if (found) return found;
    const nodes = wantCallers ? this.nodesOf(functionIndex)
      : this.calleesOf(functionIndex);
    found = { nodes, others: this.functionsOf(nodes, wantCallers) };
    this.pairs.set(key, found);
    this.pairedPaths += nodes.length;
    this.forgetPairs();
    return found;
  }

  // The oldest, where they would take more room than the tree.
  forgetPairs() {
    for (const [key, { nodes }] of this.pairs) {
      if (this.pairedPaths <= 2 * this.size) return;
      this.pairs.delete(key);
      this.pairedPaths -= nodes.length;
    }
  }

  // Of each path its function, or that of its caller.
  functionsOf(nodes, ofCaller) {
    const { functions } = this;
    const parents = ofCaller ? this.parents : null;
    const found = new Int32Array(nodes.length);
    inParts(nodes.length, (from, to) => {
      for (let i = from; i < to; i++) {
        found[i] = functions[ofCaller ? parents[nodes[i]] : nodes[i]];
      }
    });
    return found;
  }

  // By the other function, from NOBODY on, the calls and costs of one run.
  sumsOfPairs(nodes, others, run, event) {
    const sums = this.sumsOf(run, event);
    const counts = this.callCounts[run];
    const { ends } = this;
    const size = this.profile.functions.length + 1;
    const [calls, costs] = [new Float64Array(size), new Float64Array(size)];
    const open = new Uint32Array(size); // up to here, the pair is on the path
    const met = [];
    inParts(nodes.length, (from, to) => {
      for (let i = from; i < to; i++) {
        const node = nodes[i];
        const other = others[i] + 1;
        if (!open[other]) met.push(other - 1);
        calls[other] += counts[node];
        if (node < open[other]) continue;
        open[other] = ends[node];
        costs[other] += sums[open[other]] - sums[node];
      }
    });
    return { calls, costs, met };
  }

  // The paths that end with a call by the function, in order.
  calleesOf(functionIndex) {
    const { ends } = this;
    const nodes = this.nodesOf(functionIndex);
    const found = new Paths();
    let isInOrder = true; // unless recursive paths lie within each other
    let open = 0;
    for (let i = 0; i < nodes.length; i++) {
      const end = ends[nodes[i]];
      if (nodes[i] < open) isInOrder = false;
      open = end;
      for (let child = nodes[i] + 1; child < end; child = ends[child]) found.add(child);
    }
    const paths = found.all();
    return isInOrder ? paths : paths.sort();
  }

  // Inclusive cost of the paths that match, each counted once, below a node and with it.
  matchedCost(matches, run, event, below) {
    const sums = this.sumsOf(run, event);
    let cost = 0;
    for (let node = below; node < this.ends[below];) {
      const found = this.functions[node];
      if (found !== NOBODY && matches[found]) {
        cost += sums[this.ends[node]] - sums[node];
        node = this.ends[node];
      } else {
        node++;
      }
    }
    return cost;
  }
}
