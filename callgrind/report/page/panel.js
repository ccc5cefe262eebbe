// SPDX-License-Identifier: GPL-2.0-or-later
//
// The numbers beside the graph: of one frame, or of one function on all of its paths.
//
// Owns: what is told of them.

const LONGEST_PATH = 200; // that is listed
const COSTLIEST = 15;
const HOW_TO_NAME = "docs/runtimes.md says how a JIT compiler is asked for names.";
const WORTH_A_NOTE = 0.01; // of all cost

class Panel {
  // handlers: {showFrame(frame), showPath(path), showFunction(index),
  // showSandwich(index), copy(text)}; state is main.js's.
  constructor(place, tables, handlers) {
    this.place = place;
    this.tables = tables;
    this.handlers = handlers;
  }

  // --- One frame ---------------------------------------------------------------------

  showFrame(state) {
    const { tree } = state;
    const view = state.views[0];
    const { selected } = state;
    const index = view.functions[selected];
    const parts = [this.heading(tree, index, KIND_WORDS[view.kindOf(selected)])];
    parts.push(this.costsOfFrame(state, view, selected));
    if (index === NOBODY) {
      parts.push(...this.summary(state));
    } else {
      parts.push(this.callsTable(state, index, true));
      parts.push(this.callsTable(state, index, false));
    }
    parts.push(this.pathList(view, selected));
    this.place.replaceChildren(...parts);
  }

  // What is told of all frames together.
  summary(state) {
    const { profile } = state.tree;
    const functions = this.tables.costliest(state, COSTLIEST);
    if (!profile.isComparison) {
      return [element("h3", {}, "The costliest functions, by self cost"), functions,
        this.nameless(state)];
    }
    const paths = this.tables.changedPaths(state, COSTLIEST, this.handlers.showPath);
    return [
      element("h3", {}, "The functions that changed most, by self cost"), functions,
      element("h3", {}, "The paths that changed most, by self cost"), paths,
    ];
  }

  // Of code without names: how much it is, and how to have some.
  nameless({ tree, event }) {
    const { profile } = tree;
    const cost = tree.selfByFunction(profile.last, event)
      .reduce((sum, each, index) => sum + (profile.isNameless(index) ? each : 0), 0);
    const total = tree.total(profile.last, event);
    if (!total || cost / total < WORTH_A_NOTE) return "";
    const share = formatShare(cost, total, profile.events[event]);
    return element("p", { className: "none nameless" },
      `${share} is code that was made at run time and has no names. ${HOW_TO_NAME}`);
  }

  heading(tree, index, kind) {
    const { profile } = tree;
    const name = profile.functionName(index);
    const lines = [element("h2", { className: "name", tabIndex: -1 }, name)];
    const place = [kind, profile.sourceOf(index), profile.objectOf(index)];
    const known = place.filter((text) => text);
    if (index === NOBODY) known.push("all paths of what is shown");
    lines.push(element("p", { className: "place" }, known.join(" · ")));
    if (profile.isNameless(index)) {
      lines.push(element("p", { className: "none nameless" },
        `Code that was made at run time and has no name. ${HOW_TO_NAME}`));
    }
    if (index !== NOBODY) {
      lines.push(element("p", { className: "actions" },
        button("Copy name", "Copy the name (C)",
          () => this.handlers.copy(profile.fullName(index))), " ",
        button("Sandwich", "Its callers above it, its callees below (S)",
          () => this.handlers.showSandwich(index))));
    }
    return element("div", { className: "heading" }, ...lines);
  }

  costsOfFrame(state, view, frame) {
    const { tree } = state;
    const { profile } = tree;
    const rows = profile.events.map((event, e) => {
      if (!tree.hasEvent(e)) return [row([cell(event[0]), cell("…"), ...blanks(3)])];
      const values = profile.runs.map((_, run) => view.numbers(frame, run, e));
      const part = tree.sampledPart(e);
      return this.costRows(event, values,
        part === e ? values[0] : view.numbers(frame, 0, part));
    });
    const calls = profile.runs.map((_, run) => view.calls(frame, run));
    if (!profile.sampled && frame !== ROOT) rows.push([this.callsRow(calls)]);
    return table("costs", this.costTitles(profile), rows.flat());
  }

  costTitles(profile) {
    return profile.isComparison
      ? ["event", "old", "new", "change", ""] : ["event", "self", "", "inclusive", ""];
  }

  // sampled: how much of the values of a single run was.
  costRows(event, values, sampled) {
    const title = { title: event[2] };
    if (values.length === 1) {
      const [{ self, inclusive, total }] = values;
      return [row([
        cell(event[0], title),
        cell(formatCost(self, event, sampled.self),
          { "data-cost": "self", "data-event": event[0] }),
        cell(formatShare(self, total, event), { className: "share" }),
        cell(formatCost(inclusive, event, sampled.inclusive),
          { "data-cost": "inclusive", "data-event": event[0] }),
        cell(formatShare(inclusive, total, event), { className: "share" }),
      ])];
    }
    return ["self", "inclusive"].filter((what) => values[0][what] !== null)
      .map((what) => this.changeRow(event, what, values, title));
  }

  changeRow(event, what, values, title) {
    const [old, recent] = values.map((value) => value[what]);
    const data = { "data-cost": what, "data-event": event[0] };
    return row([
      cell(`${event[0]} ${what}`, title),
      cell(formatCost(old, event), { ...data, "data-run": "old" }),
      cell(formatCost(recent, event), { ...data, "data-run": "new" }),
      cell(formatSigned(recent - old), { className: trendOf(recent - old) }),
      cell(formatChange(old, recent), { className: `share ${trendOf(recent - old)}` }),
    ]);
  }

  callsRow(calls) {
    const data = { "data-cost": "calls" };
    if (calls.length === 1) {
      return row([cell("calls"), cell(formatNumber(calls[0]), data), ...blanks(3)]);
    }
    const [old, recent] = calls;
    return row([
      cell("calls"), cell(formatNumber(old), data), cell(formatNumber(recent), data),
      cell(formatSigned(recent - old)),
      cell(formatChange(old, recent), { className: "share" }),
    ]);
  }

  pathList(view, selected) {
    const path = view.pathTo(selected).slice(0, -1).reverse();
    if (!path.length) return "";
    const items = path.slice(0, LONGEST_PATH).map((frame) => {
      const name = view.tree.profile.functionName(view.functions[frame]);
      return element("li", {}, link(name, () => this.handlers.showFrame(frame)));
    });
    return element("details", {},
      element("summary", {}, `This path: ${path.length} frames above`),
      element("ol", { className: "path" }, ...items));
  }

  // --- One function, on all its paths --------------------------------------------------

  showFunction(state, index) {
    const { tree, event } = state;
    const { profile } = tree;
    const values = tree.sumsOfFunction(index, event).map((found, run) =>
      ({ ...found, total: tree.total(run, event) }));
    const part = tree.sampledPart(event);
    const [sampled] = part === event ? values : tree.sumsOfFunction(index, part);
    const rows = this.costRows(profile.events[event], values, sampled);
    if (!profile.sampled) rows.push(this.callsRow(values.map(({ calls }) => calls)));
    this.place.replaceChildren(
      this.heading(tree, index, "on all paths"),
      table("costs", this.costTitles(profile), rows),
      this.callsTable(state, index, true),
      this.callsTable(state, index, false),
    );
  }

  callsTable(state, index, wantCallers) {
    const { tree, event } = state;
    const { profile } = tree;
    const { last } = profile;
    const rank = ([, runs]) => Math.max(...runs.map((sums) => sums.cost));
    const found = [...tree.callersOrCallees(index, event, wantCallers)]
      .filter(([, runs]) => runs.some(({ calls, cost }) => calls || cost))
      .sort((one, other) => this.tables.bundledLast(one[0], other[0]) ||
        rank(other) - rank(one));
    const total = tree.total(last, event);
    const part = tree.callersOrCallees(index, tree.sampledPart(event), wantCallers);
    const third = (runs) => (profile.isComparison
      ? formatChange(runs[0].cost, runs[last].cost)
      : profile.sampled ? "" : formatNumber(runs[last].calls));
    const trend = (runs) => (profile.isComparison
      ? trendOf(runs[last].cost - runs[0].cost) : "");
    const rowOf = ([other, runs]) => row([
      cell(formatInTable(runs[last].cost, profile.events[event],
        part.get(other)[last].cost)),
      cell(formatShare(runs[last].cost, total, profile.events[event]),
        { className: "share" }),
      cell(third(runs), { className: trend(runs) }),
      this.tables.functionCell(profile, other),
    ]);
    const what = wantCallers ? "Callers" : "Callees";
    if (!found.length) return element("p", { className: "none" }, `${what}: none`);
    const title = profile.isComparison ? "change" : profile.sampled ? "" : "calls";
    const titles = [profile.events[event][0], "share", title, "function"];
    return element("section", {}, element("h3", {}, `${what}, on all paths`),
      ...longTable(what.toLowerCase(), titles, found, rowOf));
  }
}
