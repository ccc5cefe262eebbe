// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables of all functions, objects and source files.
//
// Owns: which rows they have, and their order.

const BUNDLED_NAME = "(bundled)";
const NOT_KNOWN = { objects: "(no object)", files: "(file not known)" };

function costsToSortBy({ isComparison }) {
  return isComparison ? ["self", "inclusive", "change"] : ["self", "inclusive"];
}

class Tables {
  // handlers: {showFunction(index), search(text), sortBy(cost)}
  constructor(profile, handlers) {
    this.profile = profile;
    this.handlers = handlers;
    this.made = new Map(); // groups by what they are of
    this.bundled = profile.functions.findIndex(([name, object]) =>
      name === BUNDLED_NAME && object === NOBODY);
  }

  // The groups that a table has a row for: of each function the number of its group,
  // and the groups' names.
  groups(what) {
    if (!this.made.has(what)) this.made.set(what, this.makeGroups(what));
    return this.made.get(what);
  }

  makeGroups(what) {
    const { functions, objects, sources } = this.profile;
    if (what === "functions") {
      return { of: Int32Array.from(functions, (_, i) => i),
        names: functions.map(([name]) => name) };
    }
    const column = what === "objects" ? 1 : 2;
    const names = what === "objects" ? objects : sources;
    const of = Int32Array.from(functions, (found) =>
      (found[column] === NOBODY ? names.length : found[column]));
    if (this.bundled !== NOBODY) of[this.bundled] = names.length + 1;
    return { of, names: [...names, NOT_KNOWN[what], BUNDLED_NAME] };
  }

  // A remainder is no function: it comes behind all others, whatever it costs; so does
  // the object or the file of it.
  bundledLast(one, other) {
    return (one === this.bundled) - (other === this.bundled);
  }

  // What a panel shows: all rows, the costliest first.
  show(state, what, place) {
    const { groups, rowOf } = this.rows(state, what, state.cost, state.matches);
    place.replaceChildren(this.sortChoice(state),
      ...longTable(what, this.titles(state, what), groups, rowOf));
  }

  // By self cost alone, which takes less than all sums of all functions.
  costliest(state, most) {
    const cost = this.profile.isComparison ? "change" : "self";
    const sumsOf = (event) => this.profile.runs.map((_, run) => {
      const self = state.tree.selfByFunction(run, event);
      return { self, met: self };
    });
    const { groups, rowOf } = this.rows(state, "functions", cost, null, sumsOf);
    return table("functions", this.titles(state, "functions"),
      groups.slice(0, most).map(rowOf));
  }

  // The paths whose self cost has changed most; showFrame(frame) when one is chosen.
  changedPaths(state, most, showFrame) {
    const { tree, event } = state;
    const [old, recent] = [0, 1].map((run) => tree.sumsOf(run, event));
    const changed = new Costliest(most);
    inParts(tree.size - 1, (from, to) => {
      for (let node = from + 1; node <= to; node++) {
        if (tree.functions[node] === this.bundled) continue; // many paths
        const change = recent[node + 1] - recent[node] - (old[node + 1] - old[node]);
        changed.add(node, Math.abs(change));
      }
    });
    const rows = changed.all().map((node) => {
      const path = tree.pathTo(node).slice(1).reverse();
      const names = path.map((each) => this.profile.functionName(tree.functions[each]));
      const name = cell("", { className: "name", title: names.join(" < ") });
      name.append(link(names.join(" < "), () => showFrame(node)));
      const [before, now] = [old, recent].map((sums) => sums[node + 1] - sums[node]);
      return row([...this.changeCells(before, now), name]);
    });
    return table("paths", ["", "change", "", "path"], rows);
  }

  // The new cost, and how it has changed.
  changeCells(old, recent) {
    const className = trendOf(recent - old);
    return [cell(formatNumber(recent)), cell(formatSigned(recent - old), { className }),
      cell(formatChange(old, recent), { className: `share ${className}` })];
  }

  // The groups that have a row, in order, and what makes the row of one.
  rows(state, what, cost, matches, sumsOf = (event) => state.sumsOf(what, event)) {
    const { profile } = this;
    const sums = sumsOf(state.event);
    const { of, names } = this.groups(what);
    const which = cost === "change" ? "self" : cost;
    const columns = sums.map((found) => found[which]);
    const wanted = new Uint8Array(names.length);
    of.forEach((group, index) => {
      if (!matches || matches[index]) wanted[group] = 1;
    });
    const values = (group) => columns.map((column) => column[group]);
    const rank = cost === "change"
      ? (group) => Math.abs(columns[1][group] - columns[0][group])
      : (group) => Math.max(...values(group));
    const last = this.bundled === NOBODY ? NOBODY : of[this.bundled];
    const isLast = (one, other) => (one === last) - (other === last);
    const groups = names.map((_, group) => group)
      .filter((group) => wanted[group] && sums.some((found) => found.met[group]))
      .filter((group) => cost !== "change" || rank(group))
      .sort((one, other) => isLast(one, other) || rank(other) - rank(one));
    const total = state.tree.total(profile.last, state.event);
    const event = profile.events[state.event];
    const part = state.tree.sampledPart(state.event);
    const [sampled] = part === state.event ? columns
      : sumsOf(part).map((found) => found[which]);
    const rowOf = (group) => {
      const own = columns[profile.last][group];
      const cells = profile.isComparison ? this.changeCells(...values(group))
        : [cell(formatInTable(own, event, sampled[group])),
          cell(formatShare(own, total, event), { className: "share" })];
      cells.push(what === "functions" ? this.functionCell(profile, group)
        : cell(names[group], { className: "name", title: names[group] }));
      return row(cells);
    };
    return { groups, rowOf };
  }

  titles(state, what) {
    const { profile } = this;
    const last = { functions: "function", objects: "object", files: "file" }[what];
    const name = profile.events[state.event][0];
    return profile.isComparison ? [name, "change", "", last] : [name, "share", last];
  }

  functionCell(profile, index) {
    const name = profile.functionName(index);
    if (index === NOBODY) {
      return cell("(none: a path begins here)", { className: "name" });
    }
    const made = cell("", { className: "name", title: profile.objectOf(index) });
    made.append(link(name, () => this.handlers.showFunction(index)));
    return made;
  }

  sortChoice(state) {
    const names = { self: "self", inclusive: "inclusive", change: "change of self" };
    const options = costsToSortBy(this.profile).map((cost) =>
      element("option", { value: cost, selected: cost === state.cost }, names[cost]));
    const chooser = element("select", {
      className: "sort", onchange: () => this.handlers.sortBy(chooser.value),
    }, ...options);
    return element("p", {}, element("label", {}, "Cost ", chooser));
  }
}
