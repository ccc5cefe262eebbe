// SPDX-License-Identifier: GPL-2.0-or-later
//
// What source lines cost, and sources with the costs of their lines.
//
// Owns: both tables.  Lines and sources are in a page only if the user has asked for them
// (export/source_lines.py); their costs are those of the whole run.

const MOST_SOURCE_ROWS = 500;
const UNKNOWN_FILE = "???"; // as profiles have it

class SourceLines {
  // handlers: {show(file, line), showAll()}
  constructor(profile, handlers) {
    this.profile = profile;
    this.source = null; // {lines, files, leftOut}, once it is loaded
    this.handlers = handlers;
  }

  // Begins once, when somebody wants to see it, or when all numbers are there.
  load() {
    if (!this.loading) {
      this.loading = blocks.made("source").then(({ bytes }) => {
        this.source = JSON.parse(new TextDecoder().decode(bytes));
      });
    }
    return this.loading;
  }

  // graphIsOf: what alone is shown elsewhere, where that is not the whole run.
  show(state, place, graphIsOf) {
    const whole = "of the whole run" + (graphIsOf ? `, not of ${graphIsOf} alone` : "");
    if (state.file === "") this.showCostliest(state, place, whole);
    else this.showFile(state, +state.file, +state.line, place, whole);
  }

  costOf(line, event) {
    return line[2 + event];
  }

  formatted(line, event) {
    const { events } = this.profile;
    const sampled = this.costOf(line, events[event].sampledPart ?? event);
    return formatInTable(this.costOf(line, event), events[event], sampled);
  }

  total(event) {
    return this.source.lines.reduce((sum, line) => sum + this.costOf(line, event), 0);
  }

  baseName(file) {
    const [name] = this.source.files[file];
    return name.slice(name.lastIndexOf("/") + 1);
  }

  showCostliest({ event }, place, whole) {
    const total = this.total(event);
    const found = this.source.lines.filter((line) => this.costOf(line, event))
      .sort((one, other) => this.costOf(other, event) - this.costOf(one, event));
    const rowOf = (line) => {
      const [file, number] = line;
      const [name, text] = this.source.files[file];
      const made = cell("", { className: "name", title: `${name}:${number}` });
      made.append(number ? link(`${this.baseName(file)}:${number}`,
        () => this.handlers.show(file, number)) : this.withoutLine(file));
      if (text && text[number - 1]) {
        made.append(" ", element("code", {}, text[number - 1].trim()));
      }
      return row([
        cell(this.formatted(line, event)),
        cell(formatShare(this.costOf(line, event), total, this.profile.events[event]),
          { className: "share" }),
        made,
      ]);
    };
    const note = `Lines ${whole}, by self cost` +
      (this.source.leftOut ? "; the cheapest are left out" : "");
    place.replaceChildren(
      element("p", { className: "none" }, note),
      ...longTable("lines", [this.profile.events[event][0], "share", "line"], found,
        rowOf));
  }

  // Of code whose line nobody knows; often its file is not known, either.
  withoutLine(file) {
    const name = this.baseName(file);
    return name === UNKNOWN_FILE ? "(line not known)" : `${name} (line not known)`;
  }

  showFile({ event }, file, wanted, place, whole) {
    const [name, text, isNewer] = this.source.files[file];
    const lines = new Map(this.source.lines.filter((line) => line[0] === file)
      .map((line) => [line[1], line]));
    const total = this.total(event);
    const shown = this.linesToShow(lines, text, wanted);
    const rows = shown.map((number) => {
      const line = lines.get(number);
      const cost = line ? this.costOf(line, event) : 0;
      const made = row([
        cell(cost ? this.formatted(line, event) : ""),
        cell(cost ? formatShare(cost, total, this.profile.events[event]) : "",
          { className: "share" }),
        cell(formatNumber(number), { className: "share" }),
        cell(text ? text[number - 1] ?? "" : "", { className: "code" }),
      ]);
      if (number === wanted) made.classList.add("wanted");
      return made;
    });
    const notes = [`Costs ${whole}.`,
      text ? "" : "The source is not in this page (--source).",
      isNewer ? "The source is newer than the profile: lines may have moved." : ""];
    place.replaceChildren(
      element("p", {}, link("‹ all lines", () => this.handlers.showAll())),
      element("h2", { className: "name", tabIndex: -1 }, name),
      element("p", { className: "none" }, notes.filter(Boolean).join(" ")),
      table("source", [this.profile.events[event][0], "share", "line", "source"], rows),
      ...(text ? this.linksToRest(file, shown, text.length) : []));
    const found = place.querySelector("tr.wanted");
    if (found) found.scrollIntoView({ block: "center" });
  }

  // To what is before and behind the lines of a long source.
  linksToRest(file, shown, count) {
    const [first, last] = [shown[0], shown[shown.length - 1]];
    const to = (line, words) => link(words, () => this.handlers.show(file, line));
    return [
      first > 1 ? element("p", {},
        to(first - 1, `‹ before line ${formatNumber(first)}`)) : "",
      last < count ? element("p", {},
        to(last + 1, `behind line ${formatNumber(last)} ›`)) : "",
    ];
  }

  // Of a short source all lines; of a long one those around the wanted one; without the
  // text, those that cost something.
  linesToShow(costs, text, wanted) {
    if (!text) return [...costs.keys()].sort((one, other) => one - other);
    const first = text.length <= MOST_SOURCE_ROWS ? 1
      : Math.max(1, wanted - MOST_SOURCE_ROWS / 2);
    const last = Math.min(text.length, first + MOST_SOURCE_ROWS - 1);
    const count = Math.max(last - first + 1, 0);
    return Array.from({ length: count }, (_, i) => first + i);
  }
}
