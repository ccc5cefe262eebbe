// SPDX-License-Identifier: GPL-2.0-or-later
//
// The numbers beside the graph: of one frame, of one function, and the list of functions.
//
// Owns: how numbers are written, and the tables.  All text goes into the page as text,
// never as markup: names come from programs.

const MOST_ROWS_OF_TABLE = 200;
const COSTLIEST = 15;
const UNIT_SIGNS = {
  count: "", nanoseconds: " ns", microseconds: " µs", milliseconds: " ms", seconds: " s",
  bytes: " B", cycles: "",
};

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function formatNumber(value) {
  return value.toLocaleString("en-US");
}

function formatCost(value, event) {
  return formatNumber(value) + UNIT_SIGNS[event[1]];
}

function formatShare(part, whole) {
  return whole ? `${((100 * part) / whole).toFixed(2)}%` : "–";
}

function formatSigned(value) {
  return value > 0 ? `+${formatNumber(value)}` : value < 0 ? `−${formatNumber(-value)}` : "0";
}

function formatChange(old, recent) {
  if (old === recent) return "0.00%";
  if (!old) return "new";
  if (!recent) return "gone";
  const change = (100 * (recent - old)) / old;
  return `${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(2)}%`;
}

class Panel {
  // handlers: {showNode(node), showFunction(index)}; state is main.js's.
  constructor(frameElement, functionsElement, handlers) {
    this.frameElement = frameElement;
    this.functionsElement = functionsElement;
    this.handlers = handlers;
    this.sortBy = "self";
  }

  // --- One frame ---------------------------------------------------------------------

  showFrame(state) {
    const { tree, selected } = state;
    const index = tree.functions[selected];
    const parts = [this.heading(tree, index, KIND_WORDS[tree.kinds[selected]])];
    parts.push(this.costsOfNode(state));
    if (index === NOBODY) {
      parts.push(element("h3", {}, "The costliest functions, by self cost"));
      parts.push(this.functionTable(state, null, "self", COSTLIEST).table);
    } else {
      parts.push(this.callsTable(state, index, true));
      parts.push(this.callsTable(state, index, false));
    }
    parts.push(this.pathList(state, selected));
    this.frameElement.replaceChildren(...parts);
  }

  heading(tree, index, kind) {
    const profile = tree.profile;
    const lines = [element("h2", { className: "name" }, profile.functionName(index))];
    const place = [kind, profile.sourceOf(index), profile.objectOf(index)];
    const known = place.filter((text) => text);
    if (index === NOBODY) known.push("all paths of what is shown");
    lines.push(element("p", { className: "place" }, known.join(" · ")));
    return element("div", { className: "heading" }, ...lines);
  }

  costsOfNode({ tree, selected }) {
    const { profile } = tree;
    const rows = profile.events.map((event, e) => {
      const values = profile.runs.map((_, run) => ({
        self: tree.selfCosts[run][e][selected],
        inclusive: tree.inclusiveCosts[run][e][selected],
        total: tree.inclusiveCosts[run][e][ROOT],
      }));
      return this.costRows(event, values);
    });
    const calls = profile.runs.map((_, run) => tree.calls[run][selected]);
    if (!profile.sampled && selected !== ROOT) rows.push(this.callsRow(calls));
    const titles = profile.isComparison
      ? ["", "old", "new", "change", ""] : ["", "self", "", "inclusive", ""];
    return table("costs", titles, rows.flat());
  }

  costRows(event, values) {
    const title = { title: event[2] };
    if (values.length === 1) {
      const [{ self, inclusive, total }] = values;
      return [row([
        cell(event[0], title),
        cell(formatCost(self, event), { "data-cost": "self", "data-event": event[0] }),
        cell(formatShare(self, total), { className: "share" }),
        cell(formatCost(inclusive, event),
          { "data-cost": "inclusive", "data-event": event[0] }),
        cell(formatShare(inclusive, total), { className: "share" }),
      ])];
    }
    return ["self", "inclusive"].map((what) => {
      const [old, recent] = values.map((value) => value[what]);
      const data = { "data-cost": what, "data-event": event[0] };
      return row([
        cell(`${event[0]} ${what}`, title),
        cell(formatCost(old, event), { ...data, "data-run": "old" }),
        cell(formatCost(recent, event), { ...data, "data-run": "new" }),
        cell(formatSigned(recent - old), { className: trendOf(recent - old) }),
        cell(formatChange(old, recent), { className: `share ${trendOf(recent - old)}` }),
      ]);
    });
  }

  callsRow(calls) {
    const data = { "data-cost": "calls" };
    if (calls.length === 1) {
      return row([cell("calls"), cell(formatNumber(calls[0]), data), ...blanks(3)]);
    }
    const [old, recent] = calls;
    return row([
      cell("calls"), cell(formatNumber(old), data), cell(formatNumber(recent), data),
      cell(formatSigned(recent - old)), cell(formatChange(old, recent), { className: "share" }),
    ]);
  }

  pathList({ tree }, selected) {
    const path = tree.pathTo(selected).slice(0, -1).reverse();
    if (!path.length) return "";
    const items = path.slice(0, MOST_ROWS_OF_TABLE).map((node) => {
      const name = tree.profile.functionName(tree.functions[node]);
      return element("li", {}, link(name, () => this.handlers.showNode(node)));
    });
    return element("details", {},
      element("summary", {}, `This path: ${path.length} frames above`),
      element("ol", { className: "path" }, ...items));
  }

  // --- One function, on all its paths --------------------------------------------------

  showFunction(state, index) {
    const { tree, event } = state;
    const sums = state.sums();
    const { profile } = tree;
    const values = profile.runs.map((_, run) => ({
      self: sums.self[run][index],
      inclusive: sums.inclusive[run][index],
      total: tree.inclusiveCosts[run][event][ROOT],
    }));
    const rows = this.costRows(profile.events[event], values);
    if (!profile.sampled) {
      rows.push(this.callsRow(profile.runs.map((_, run) => sums.calls[run][index])));
    }
    const titles = profile.isComparison
      ? ["", "old", "new", "change", ""] : ["", "self", "", "inclusive", ""];
    this.frameElement.replaceChildren(
      this.heading(tree, index, "on all paths"),
      table("costs", titles, rows),
      this.callsTable(state, index, true),
      this.callsTable(state, index, false),
    );
  }

  callsTable(state, index, wantCallers) {
    const { tree, event } = state;
    const { profile } = tree;
    const last = profile.last;
    const rank = ([, runs]) => Math.max(...runs.map((sums) => sums.cost));
    const found = [...tree.callersOrCallees(index, event, wantCallers)]
      .sort((one, other) => rank(other) - rank(one));
    const total = tree.inclusiveCosts[last][event][ROOT];
    const rows = found.slice(0, MOST_ROWS_OF_TABLE).map(([other, runs]) => row([
      cell(formatNumber(runs[last].cost)),
      cell(formatShare(runs[last].cost, total), { className: "share" }),
      cell(profile.isComparison
        ? formatChange(runs[0].cost, runs[last].cost)
        : profile.sampled ? "" : formatNumber(runs[last].calls),
      { className: profile.isComparison ? trendOf(runs[last].cost - runs[0].cost) : "" }),
      this.functionCell(profile, other),
    ]));
    const what = wantCallers ? "Callers" : "Callees";
    if (!rows.length) return element("p", { className: "none" }, `${what}: none`);
    const third = profile.isComparison ? "change" : profile.sampled ? "" : "calls";
    const titles = [profile.events[event][0], "share", third, "function"];
    const made = table(what.toLowerCase(), titles, rows);
    return element("section", {}, element("h3", {}, `${what}, on all paths`), made);
  }

  functionCell(profile, index) {
    const name = profile.functionName(index);
    if (index === NOBODY) return cell("(none: a path begins here)", { className: "name" });
    const made = cell("", { className: "name", title: profile.objectOf(index) });
    made.append(link(name, () => this.handlers.showFunction(index)));
    return made;
  }

  // --- All functions -------------------------------------------------------------------

  showFunctions(state) {
    const found = this.functionTable(
      state, state.matches, this.sortBy, MOST_ROWS_OF_TABLE);
    const tail = found.more ? `and ${formatNumber(found.more)} more; search to see them` : "";
    this.functionsElement.replaceChildren(
      this.sortChoice(state),
      found.table,
      element("p", { className: "none" }, tail),
    );
  }

  // The costliest of those that match (all: null), and how many more there are.
  functionTable(state, matches, sortBy, most) {
    const { tree, event } = state;
    const { profile } = tree;
    const columns = state.sums()[sortBy];
    const met = new Set(tree.functions);
    met.delete(NOBODY);
    const rank = (index) => Math.max(...columns.map((column) => column[index]));
    const found = [...met].filter((index) => !matches || matches[index])
      .sort((one, other) => rank(other) - rank(one));
    const total = tree.inclusiveCosts[profile.last][event][ROOT];
    const rows = found.slice(0, most).map((index) => {
      const cost = columns[profile.last][index];
      const cells = [
        cell(formatNumber(cost)),
        cell(formatShare(cost, total), { className: "share" }),
      ];
      if (profile.isComparison) {
        const old = columns[0][index];
        cells.push(cell(formatChange(old, cost), { className: trendOf(cost - old) }));
      }
      return row([...cells, this.functionCell(profile, index)]);
    });
    const titles = [profile.events[event][0], "share", "function"];
    if (profile.isComparison) titles.splice(2, 0, "change");
    return { table: table("functions", titles, rows), more: found.length - rows.length };
  }

  sortChoice(state) {
    const options = ["self", "inclusive"].map((name) =>
      element("option", { value: name, selected: name === this.sortBy }, name));
    const chooser = element("select", {
      onchange: () => {
        this.sortBy = chooser.value;
        this.showFunctions(state);
      },
    }, ...options);
    return element("p", {}, element("label", {}, "Cost ", chooser));
  }
}

function trendOf(change) {
  return change > 0 ? "worse" : change < 0 ? "better" : "";
}

function cell(text, properties) {
  return element("td", properties, text);
}

function blanks(count) {
  return Array.from({ length: count }, () => cell(""));
}

function row(cells) {
  return element("tr", {}, ...cells);
}

function table(name, titles, rows) {
  const head = titles.map((title) => element("th", { scope: "col" }, title));
  return element("table", { className: name },
    element("thead", {}, row(head)), element("tbody", {}, ...rows));
}

function link(text, action) {
  return element("button", { type: "button", className: "link", onclick: action }, text);
}
