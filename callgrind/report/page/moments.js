// SPDX-License-Identifier: GPL-2.0-or-later
//
// The timeline as a view of the page: mouse, keys, and the numbers beside the lanes.
//
// Owns: what a hand does to the lanes.  What is seen and which call is chosen is part of
// the page's state, and changed by its update().

const WHEEL = 1.0015; // by which a pixel of the wheel zooms
const MOST_MARKS = 200; // in the table

class Moments {
  // handlers: {change(changes, options), look(span), showFunction(fn), copy(text),
  // announce(text)}; look() is for what passes by, while a hand moves.
  constructor(profile, colours, state, handlers) {
    this.profile = profile;
    this.state = state;
    this.handlers = handlers;
    this.timeline = new Timeline(profile.timeline);
    const asView = { functions: [], kindOf: () => "c" };
    const colourOf = (call) => {
      asView.functions = this.timeline.functions;
      const fn = asView.functions[call];
      if (!this.hues[fn]) this.hues[fn] = colours.of(asView, call, state.matches, null);
      return this.hues[fn];
    };
    this.hues = []; // colours by function, of what is drawn
    this.element = byId("lanes");
    this.lanes = new Lanes(this.element, this.timeline, colourOf,
      (call) => this.nameOf(call));
    this.connect();
  }

  // Begins once, when somebody wants to see it, or when all else is there.
  load() {
    if (!this.loading) this.loading = this.timeline.load();
    return this.loading;
  }

  nameOf(call) {
    return this.profile.functionName(this.timeline.functions[call]);
  }

  // The chosen call of the state, or NO_CALL.
  get call() {
    const { call } = this.state;
    return call !== "" && +call < this.timeline.size ? +call : NO_CALL;
  }

  get span() {
    return spanOf(this.state.span, this.timeline.end);
  }

  draw() {
    const { matches } = this.state;
    const { functions } = this.timeline;
    this.hues = [];
    this.lanes.draw({
      span: this.span,
      call: this.call,
      isMatch: (call) => Boolean(matches && matches[functions[call]]),
    });
  }

  // --- Choosing and zooming ------------------------------------------------------------

  choose(call) {
    if (call === NO_CALL) return;
    const { timeline } = this;
    const [from, to] = this.span;
    const changes = { call: String(call), fn: NOBODY, tab: "frame" };
    const [begin, end] = [timeline.begins[call], timeline.ends[call]];
    if (end < from || begin > to || end - begin < (to - from) / this.lanes.width) {
      // Out of sight, or too short to be seen.
      const width = Math.max(end < from || begin > to ? to - from : 0, 0) ||
        (end - begin) * 20;
      changes.span = spanWithin((begin + end - width) / 2, width, timeline.end);
    }
    this.handlers.change(changes, { isStep: false });
    this.lanes.reveal(call);
    this.handlers.announce(this.describe(call));
  }

  zoomTo(call) {
    if (call === NO_CALL) return;
    const { timeline } = this;
    const margin = timeline.duration(call) * 0.02;
    const from = timeline.begins[call] - margin;
    const span = spanWithin(from, timeline.duration(call) + 2 * margin, timeline.end);
    this.handlers.change({ call: String(call), span, fn: NOBODY, tab: "frame" });
    this.lanes.reveal(call);
    this.handlers.announce(this.describe(call));
  }

  // The span that a zoom by a factor around a time leads to.
  zoomed(factor, time) {
    const [from, to] = this.span;
    const start = time - (time - from) * factor;
    return spanWithin(start, (to - from) * factor, this.timeline.end);
  }

  moved(pixels) {
    const [from, to] = this.span;
    const step = (pixels / this.lanes.width) * (to - from);
    return spanWithin(from + step, to - from, this.timeline.end);
  }

  show(span) {
    this.handlers.change({ span }, { isStep: false });
  }

  // --- Hands ---------------------------------------------------------------------------

  connect() {
    const { element } = this;
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("dblclick", (event) =>
      this.zoomTo(this.lanes.at(event).call));
    element.addEventListener("pointerdown", (event) => {
      if (event.button === 0) this.grabbed = { x: event.clientX, moved: false };
    });
    element.addEventListener("pointermove", (event) => this.pointerMoved(event));
    element.addEventListener("pointerleave", () => this.tip(null));
    element.addEventListener("click", (event) => {
      const wasMoved = this.grabbed && this.grabbed.moved;
      this.grabbed = null;
      if (!wasMoved) this.choose(this.lanes.at(event).call);
    });
  }

  pointerMoved(event) {
    const { grabbed } = this;
    if (!grabbed || !(event.buttons & 1)) {
      this.tip(event);
      return;
    }
    const by = grabbed.x - event.clientX;
    if (!grabbed.moved && Math.abs(by) < NEAR) return;
    grabbed.moved = true;
    grabbed.x = event.clientX;
    this.handlers.look(this.moved(by));
  }

  tip(event) {
    const found = event && this.lanes.at(event);
    const isHeld = found && !Number.isNaN(found.held);
    const isNothing = !found || (found.call === NO_CALL && !found.mark && !isHeld);
    const parts = isNothing ? []
      : isHeld ? [`${formatNumber(found.held)} bytes held`]
      : found.mark ? [element("b", {}, found.mark)]
      : [this.timesOf(found.call), element("br"),
        element("b", {}, this.nameOf(found.call).slice(0, LONGEST_LABEL))];
    showTip(parts, event);
  }

  wheel(event) {
    if (event.ctrlKey) {
      const { time } = this.lanes.at(event);
      this.handlers.look(this.zoomed(WHEEL ** event.deltaY, time));
    } else if (event.shiftKey || event.deltaX) {
      this.handlers.look(this.moved(event.deltaX || event.deltaY));
    } else {
      return;
    }
    event.preventDefault();
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { timeline, call } = this;
    const [from, to] = this.span;
    const chosen = call === NO_CALL ? timeline.firstCall() : call;
    const isNew = call === NO_CALL;
    const middle = isNew ? (from + to) / 2
      : Math.min(Math.max((timeline.begins[call] + timeline.ends[call]) / 2, from), to);
    const act = {
      ArrowLeft: () => this.choose(isNew ? chosen : timeline.beside(chosen, -1)),
      ArrowRight: () => this.choose(isNew ? chosen : timeline.beside(chosen, 1)),
      ArrowUp: () => this.choose(isNew ? chosen : timeline.parents[chosen]),
      ArrowDown: () => this.choose(isNew ? chosen : timeline.longestWithin(chosen)),
      PageUp: () => this.choose(timeline.otherThread(chosen, -1)),
      PageDown: () => this.choose(timeline.otherThread(chosen, 1)),
      Enter: () => this.zoomTo(chosen),
      Backspace: () => (timeline.parents[chosen] >= 0
        ? this.zoomTo(timeline.parents[chosen]) : this.show("")),
      "+": () => this.show(this.zoomed(0.5, middle)),
      "-": () => this.show(this.zoomed(2, middle)),
      "<": () => this.show(this.moved(-this.lanes.width / 4)),
      ">": () => this.show(this.moved(this.lanes.width / 4)),
    }[event.key];
    if (!act || (chosen === NO_CALL && event.key.length > 1)) return;
    act();
    event.preventDefault();
  }

  // From match to match, in the order of threads and time; what is said of the place.
  goToMatch(step) {
    const found = this.timeline.matching(this.state.matches);
    if (!found.length) return "";
    const { call } = this;
    let at = found.findIndex((each) => each > call);
    if (step > 0) at = at < 0 ? 0 : at;
    else at = (at < 0 ? found.length : at) - (found.includes(call) ? 2 : 1);
    at = (at + found.length) % found.length;
    this.choose(found[at]);
    return `${formatNumber(at + 1)} of ${formatNumber(found.length)}`;
  }

  // --- Numbers -------------------------------------------------------------------------

  timesOf(call) {
    const { timeline } = this;
    const { start } = timeline.threadOf(call);
    const piece = timeline.pieceOf(call);
    return `${formatNumber(timeline.duration(call))} instructions, from ` +
      `${formatNumber(timeline.begins[call] - start)} to ` +
      `${formatNumber(timeline.ends[call] - start)}${piece ? ` · ${piece}` : ""}`;
  }

  describe(call) {
    return `${this.timesOf(call)}, ${this.timeline.threadOf(call).title} · ` +
      this.nameOf(call).slice(0, LONGEST_LABEL);
  }

  // The panel beside the lanes: of the chosen call, or of all threads.
  fill(place) {
    const { call } = this;
    place.replaceChildren(...(call === NO_CALL ? this.ofAll() : this.ofCall(call)));
  }

  ofAll() {
    const { timeline } = this;
    const rows = timeline.threads.map((thread) => row([
      cell(formatNumber(thread.time)), cell(formatNumber(thread.start)),
      cell(formatNumber(thread.calls)), cell(thread.title, { className: "name" }),
    ]));
    const parts = [
      element("h2", { className: "name", tabIndex: -1 }, "timeline"),
      element("p", { className: "place" }, "Calls of at least " +
        `${formatNumber(timeline.limit)} instructions, when they were`),
      table("threads", ["instructions", "begins at", "calls", "thread"], rows),
      this.marks(),
    ];
    return parts;
  }

  marks() {
    const { timeline } = this;
    const all = timeline.threads.flatMap((thread) =>
      thread.marks.map(([time, label]) => ({ thread, time, label })));
    if (!all.length) return element("p", { className: "none" }, "No marks");
    const rows = all.slice(0, MOST_MARKS).map(({ thread, time, label }) => {
      const name = cell("", { className: "name" });
      name.append(link(label, () => this.goToTime(thread.start + time)));
      return row([cell(formatNumber(time)), cell(thread.title), name]);
    });
    const more = all.length - rows.length + timeline.marksLost;
    return element("section", {}, element("h3", {}, "Marks"),
      table("marks", ["at", "thread", "mark"], rows),
      element("p", { className: "none" }, more ? `and ${formatNumber(more)} more` : ""));
  }

  // A twentieth of the axis around it, or less where less is seen.
  goToTime(time) {
    const [from, to] = this.span;
    const width = Math.min(to - from, this.timeline.end / 20);
    const span = spanWithin(time - width / 2, width, this.timeline.end);
    this.handlers.change({ span });
  }

  ofCall(call) {
    const { timeline, profile } = this;
    const fn = timeline.functions[call];
    const thread = timeline.threadOf(call);
    const name = this.nameOf(call);
    const place = [timeline.pieceOf(call), profile.sourceOf(fn), profile.objectOf(fn)];
    const sum = timeline.sumOf(fn);
    const line = (title, value, share) => row([cell(title), cell(formatNumber(value)),
      cell(share, { className: "share" })]);
    const [begin, end] = [timeline.begins[call], timeline.ends[call]];
    const lasted = end - begin;
    const callers = timeline.pathTo(call).slice(0, -1).reverse();
    return [
      element("div", { className: "heading" },
        element("h2", { className: "name", tabIndex: -1 }, name),
        element("p", { className: "place" }, [...place, thread.title]
          .filter((text) => text).join(" · ")),
        element("p", { className: "actions" },
          button("Zoom", "This call alone (Enter)", () => this.zoomTo(call)), " ",
          button("Copy name", "Copy the name (C)", () => this.handlers.copy(name)), " ",
          button("On all paths", "What the function costs in the whole run",
            () => this.handlers.showFunction(fn)))),
      table("costs", ["", "instructions", ""], [
        line("lasted", lasted, formatShare(lasted, thread.time)),
        line("began at", begin - thread.start, ""),
        line("ended at", end - thread.start, ""),
        line("all its calls here", sum.time, ""),
        line("their number", sum.count, ""),
      ]),
      callers.length ? element("details", { open: true },
        element("summary", {}, `Within ${formatNumber(callers.length)} calls`),
        element("ol", { className: "path" }, ...callers.slice(0, LONGEST_PATH)
          .map((each) => element("li", {},
            link(this.nameOf(each), () => this.choose(each)))))) : "",
    ];
  }

  asFile(title) {
    return this.lanes.asFile(title);
  }
}
