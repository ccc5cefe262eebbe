// SPDX-License-Identifier: GPL-2.0-or-later
//
// The trees that the page holds, added up to one.
//
// Owns: reading what html_page.py has written, and all sums.  A merged tree is columns
// of numbers; node 0 is the root of all paths, a parent comes before its children.

const ROOT = 0;
const NOBODY = -1;
const KIND_WORDS = {
  c: "", i: "inlined", j: "JIT code", k: "kernel", s: "skipped", p: "pruned",
  t: "truncated", b: "bundled",
};

class Profile {
  constructor(text) {
    const data = JSON.parse(text);
    Object.assign(this, data);
    this.runs = data.runs;
    this.isComparison = data.runs.length > 1;
    this.last = data.runs.length - 1;
  }

  functionName(index) {
    return index === NOBODY ? "all" : this.functions[index][0];
  }

  objectOf(index) {
    const object = index === NOBODY ? NOBODY : this.functions[index][1];
    return object === NOBODY ? "" : this.objects[object];
  }

  sourceOf(index) {
    if (index === NOBODY || !this.functions[index][2]) return "";
    const [, , source, line] = this.functions[index];
    return line ? `${source}:${line}` : source;
  }

  // What can be chosen: each part, each thread; as [label, test of a tree].
  treeChoices() {
    const trees = this.runs.flatMap((run) => run.trees);
    const choices = [["all", () => true]];
    const add = (label, key, keyOf) =>
      choices.push([label, (tree) => keyOf(tree) === key]);
    const several = (keyOf) => new Set(trees.map(keyOf)).size > 1;
    const seen = new Set();
    const each = (keyOf, labelOf) => {
      if (!several(keyOf)) return;
      for (const tree of trees) {
        const key = keyOf(tree);
        if (!seen.has(key)) add(labelOf(tree), key, keyOf);
        seen.add(key);
      }
    };
    const pid = (tree) => tree.process[0];
    const named = (what, [number, name]) => `${what} ${number}${name ? `: ${name}` : ""}`;
    const processes = several(pid);
    each((tree) => `process ${pid(tree)}`, (tree) => named("process", tree.process));
    each((tree) => `part ${tree.part[0]}`, (tree) => named("part", tree.part));
    each((tree) => `thread ${pid(tree)} ${tree.thread[0]}`, (tree) =>
      (processes ? `process ${pid(tree)}, ` : "") + named("thread", tree.thread));
    return choices;
  }
}

class MergedTree {
  // The trees of all runs for which test(tree) holds.
  constructor(profile, test) {
    this.profile = profile;
    this.parents = [NOBODY];
    this.functions = [NOBODY];
    this.kinds = ["c"];
    this.depths = [0];
    this.calls = profile.runs.map(() => [0]);
    this.selfCosts = profile.runs.map(() => profile.events.map(() => [0]));
    const known = new Map();
    profile.runs.forEach((run, index) => {
      for (const tree of run.trees) if (test(tree)) this.add(tree, index, known);
    });
    this.size = this.parents.length;
    this.inclusiveCosts = this.selfCosts.map((run) => run.map((self) => this.sumUp(self)));
    this.linkChildren();
  }

  add(tree, run, known) {
    const place = new Array(tree.parents.length);
    const breadth = this.profile.functions.length + 1;
    for (let node = 0; node < place.length; node++) {
      const above = tree.parents[node];
      const parent = above < 0 ? ROOT : place[above];
      const kind = tree.kinds[node];
      const key = (parent * breadth + tree.functions[node]) * 128 + kind.charCodeAt(0);
      let merged = known.get(key);
      if (merged === undefined) {
        merged = this.append(parent, tree.functions[node], kind);
        known.set(key, merged);
      }
      place[node] = merged;
      this.calls[run][merged] += tree.calls[node];
      this.selfCosts[run].forEach((column, event) => {
        column[merged] += tree.costs[event][node];
      });
    }
  }

  append(parent, functionIndex, kind) {
    this.parents.push(parent);
    this.functions.push(functionIndex);
    this.kinds.push(kind);
    this.depths.push(this.depths[parent] + 1);
    for (const column of this.calls) column.push(0);
    for (const run of this.selfCosts) for (const column of run) column.push(0);
    return this.parents.length - 1;
  }

  sumUp(self) {
    const sums = Float64Array.from(self);
    for (let node = this.parents.length - 1; node > 0; node--) {
      sums[this.parents[node]] += sums[node];
    }
    return sums;
  }

  linkChildren() {
    this.children = Array.from({ length: this.size }, () => null);
    for (let node = 1; node < this.size; node++) {
      const parent = this.parents[node];
      if (this.children[parent]) this.children[parent].push(node);
      else this.children[parent] = [node];
    }
  }

  childrenOf(node) {
    return this.children[node] || [];
  }

  // From the root to the node, both included.
  pathTo(node) {
    const path = [];
    for (let each = node; each !== NOBODY; each = this.parents[each]) path.push(each);
    return path.reverse();
  }

  // What a frame's width stands for: the costs of a run, or the larger of both.
  widths(event, mode) {
    if (!this.profile.isComparison) return this.inclusiveCosts[0][event];
    if (mode === "old") return this.inclusiveCosts[0][event];
    if (mode === "new") return this.inclusiveCosts[1][event];
    const [old, recent] = this.selfCosts.map((run) => run[event]);
    return this.sumUp(old.map((cost, node) => Math.max(cost, recent[node])));
  }

  // For each function: self cost, inclusive cost (recursion counts once), and calls, of
  // each run.
  functionSums(event) {
    const count = this.profile.functions.length;
    const column = () => this.profile.runs.map(() => new Float64Array(count));
    const sums = { self: column(), inclusive: column(), calls: column() };
    const open = new Uint32Array(count);
    this.walk((node) => {
      const found = this.functions[node];
      const outermost = open[found]++ === 0;
      this.profile.runs.forEach((_, run) => {
        sums.self[run][found] += this.selfCosts[run][event][node];
        sums.calls[run][found] += this.calls[run][node];
        if (outermost) sums.inclusive[run][found] += this.inclusiveCosts[run][event][node];
      });
    }, (node) => { open[this.functions[node]]--; });
    return sums;
  }

  // Callers or callees of a function on all paths: Map of function to costs and calls of
  // each run.  Where a pair calls itself again, only the outermost counts for cost.
  callersOrCallees(functionIndex, event, wantCallers) {
    const found = new Map();
    const open = new Map();
    const pair = (node) => {
      const parent = this.parents[node];
      const mine = this.functions[node];
      const above = this.functions[parent];
      if (wantCallers) return mine === functionIndex ? above : null;
      return above === functionIndex ? mine : null;
    };
    this.walk((node) => {
      const other = pair(node);
      if (other === null) return;
      if (!found.has(other)) {
        found.set(other, this.profile.runs.map(() => ({ calls: 0, cost: 0 })));
      }
      const depth = open.get(other) || 0;
      open.set(other, depth + 1);
      found.get(other).forEach((sums, run) => {
        sums.calls += this.calls[run][node];
        if (!depth) sums.cost += this.inclusiveCosts[run][event][node];
      });
    }, (node) => {
      const other = pair(node);
      if (other !== null) open.set(other, open.get(other) - 1);
    });
    return found;
  }

  // All nodes but the root, depth first: enter(node), then its children, then leave(node).
  walk(enter, leave) {
    const stack = [...this.childrenOf(ROOT)].reverse();
    while (stack.length) {
      const node = stack.pop();
      if (node < 0) {
        leave(~node);
        continue;
      }
      enter(node);
      stack.push(~node);
      const children = this.children[node];
      if (children) for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
    }
  }

  // Inclusive cost of the frames that match, each path counted once, below a node.
  matchedCost(matches, costs, below) {
    let sum = 0;
    const stack = [below];
    while (stack.length) {
      const node = stack.pop();
      const found = this.functions[node];
      if (found !== NOBODY && matches[found]) sum += costs[node];
      else stack.push(...this.childrenOf(node));
    }
    return sum;
  }
}
