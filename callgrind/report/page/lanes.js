// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lanes of the timeline: one for each thread, with its calls and marks, on a canvas.
//
// Owns: the canvas, and what is where.  The canvas is as large as what is seen of it;
// what it stands in scrolls.  Of calls that share two pixels the first is drawn, found by
// halving, so that a drawing takes as long as there are pixels, not calls.

const AXIS = 24; // pixels
const LANE_TITLE = 22;
const LANE_MARKS = 15;
const LANE_HELD = 40; // the curve of bytes that are held
const LANE_ROW = 18;
const LANE_GAP = 10;
const WIDTH_OF_TICK = 110;
const NARROWEST_CALL = 2; // pixels
const NEAR = 4; // pixels between a click and what is meant

// Draws on a canvas; positions are those of the picture, which is scrolled by `top`.
class CanvasPen {
  constructor(canvas, width, height, top) {
    const ratio = window.devicePixelRatio || 1;
    const size = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
    for (const [name, pixels] of Object.entries(size)) {
      // To set it, to the same, too, has the browser make all pixels anew.
      if (canvas[name] !== pixels) canvas[name] = pixels;
    }
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    this.context = canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, -top * ratio);
    this.context.textBaseline = "middle";
    this.context.font = `${LABEL_SIZE}px "DejaVu Sans Mono", Menlo, monospace`;
  }

  // With an edge of two pixels inside it, if that has a colour.
  rect(x, y, width, height, fill, edge) {
    if (edge) {
      this.rect(x, y, width, height, edge);
      if (width > 4) this.rect(x + 2, y + 2, width - 4, height - 4, fill);
      return;
    }
    this.dip(fill);
    this.context.fillRect(x, y, width, height);
  }

  text(x, y, text, fill) {
    this.dip(fill);
    this.context.fillText(text, x, y);
  }

  // A colour is a text, which the browser reads each time.
  dip(fill) {
    if (fill === this.fill) return;
    this.fill = fill;
    this.context.fillStyle = fill;
  }
}

// As CanvasPen, in SVG.
class SvgPen {
  constructor(width, height) {
    this.root = svgElement("svg", {
      width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "font-family": "monospace", "font-size": LABEL_SIZE,
    });
  }

  rect(x, y, width, height, fill, stroke) {
    this.root.append(svgElement("rect", {
      x: x.toFixed(2), y, width: width.toFixed(2), height, fill,
      ...(stroke ? { stroke, "stroke-width": 2 } : {}),
    }));
  }

  text(x, y, text, fill) {
    const made = svgElement("text", {
      x: x.toFixed(2), y, fill, "dominant-baseline": "central",
    });
    made.textContent = text;
    this.root.append(made);
  }
}

class Lanes {
  // colourOf(call), nameOf(call); picture: {span: [from, to], call, isMatch(call)}.
  constructor(element, timeline, colourOf, nameOf) {
    Object.assign(this, { element, timeline, colourOf, nameOf });
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.spacer = document.createElement("div");
    element.append(this.canvas, this.spacer);
    element.addEventListener("scroll", () => this.repaint());
  }

  // Where the lanes lie, from above; below the axis.
  lanes() {
    let y = AXIS;
    return this.timeline.threads.map((thread) => {
      const marks = thread.marks.length ? LANE_MARKS : 0;
      const held = y + LANE_TITLE + marks;
      const calls = held + (thread.held.length ? LANE_HELD : 0);
      const lane = { thread, y, marks: y + LANE_TITLE, held, calls };
      y = calls + thread.rows.length * LANE_ROW + LANE_GAP;
      lane.end = y;
      return lane;
    });
  }

  draw(picture) {
    this.picture = picture;
    this.placed = this.lanes();
    this.width = Math.max(this.element.clientWidth, 1);
    const height = this.placed.length ? this.placed[this.placed.length - 1].end : AXIS;
    this.spacer.style.height = `${height}px`;
    this.repaint();
  }

  repaint() {
    if (!this.picture || !this.element.clientHeight) return;
    const { scrollTop, clientHeight } = this.element;
    // The spacer begins where the canvas does.
    this.spacer.style.marginTop = `${-clientHeight}px`;
    this.height = clientHeight;
    const pen = new CanvasPen(this.canvas, this.width, clientHeight, scrollTop);
    this.paint(pen, scrollTop, scrollTop + clientHeight);
  }

  // Is what is drawn as large as the window?
  get isFitting() {
    const { clientWidth, clientHeight } = this.element;
    return clientWidth === this.width && clientHeight === this.height;
  }

  xOf(time) {
    const [from, to] = this.picture.span;
    return ((time - from) / (to - from)) * this.width;
  }

  timeAt(x) {
    const [from, to] = this.picture.span;
    return from + (x / this.width) * (to - from);
  }

  // What of the picture lies between two heights.
  paint(pen, top, bottom) {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.ink = {
      ground: colour("--ground"), raised: colour("--raised"), line: colour("--line"),
      text: colour("--text"), faint: colour("--faint"), accent: colour("--accent"),
      label: colour("--frame-text"), edge: colour("--frame-line"),
    };
    pen.rect(0, top, this.width, bottom - top, this.ink.ground);
    this.paintTicks(pen, top, bottom);
    for (const lane of this.placed) {
      if (lane.end >= top && lane.y <= bottom) this.paintLane(pen, lane, top, bottom);
    }
    this.paintAxis(pen, top);
  }

  // The times at which there is a line: multiples of 1, 2 or 5 times a power of ten.
  ticks() {
    const [from, to] = this.picture.span;
    const wanted = ((to - from) * WIDTH_OF_TICK) / this.width;
    const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= wanted);
    const found = [];
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      found.push(time);
    }
    return found;
  }

  paintTicks(pen, top, bottom) {
    for (const time of this.ticks()) {
      pen.rect(this.xOf(time), top, 1, bottom - top, this.ink.line);
    }
  }

  paintAxis(pen, top) {
    pen.rect(0, top, this.width, AXIS, this.ink.raised);
    for (const time of this.ticks()) {
      const text = shortNumber(time);
      const x = this.xOf(time);
      pen.rect(x, top + AXIS - 5, 1, 5, this.ink.faint);
      const room = this.width - text.length * CHARACTER - 3;
      pen.text(Math.max(3, Math.min(x + 3, room)), top + AXIS / 2, text, this.ink.faint);
    }
  }

  paintLane(pen, lane, top, bottom) {
    const { thread } = lane;
    const x = Math.max(this.xOf(thread.start), 0);
    pen.text(x + 3, lane.y + LANE_TITLE / 2 + 1, this.titleOf(thread), this.ink.text);
    if (lane.calls > lane.held) this.paintHeld(pen, lane);
    for (const [time] of thread.marks) {
      const at = this.xOf(thread.start + time);
      if (at < 0 || at > this.width) continue;
      pen.rect(at, lane.marks, 1, lane.end - LANE_GAP - lane.marks, this.ink.accent);
      pen.rect(at - 3, lane.marks + 2, 7, 7, this.ink.accent);
    }
    thread.rows.forEach((row, depth) => {
      const y = lane.calls + depth * LANE_ROW;
      if (y + LANE_ROW >= top && y <= bottom) this.paintRow(pen, row, y);
    });
  }

  titleOf(thread) {
    const most = this.timeline.mostHeldBy(thread);
    const held = most ? ` · at most ${formatNumber(most)} bytes held` : "";
    return `${thread.title} · ${formatNumber(thread.time)} instructions${held}`;
  }

  // Bars from the lower edge, all threads on one scale.  What is held at the end of a
  // stretch is held until the next one.
  paintHeld(pen, lane) {
    const { thread } = lane;
    const scale = (LANE_HELD - 4) / Math.max(1, this.timeline.mostHeld);
    const bar = (from, to, bytes) => {
      const left = Math.max(this.xOf(thread.start + from), 0);
      const right = Math.min(this.xOf(thread.start + to), this.width);
      const height = bytes * scale;
      if (right < 0 || left > this.width || !height) return;
      pen.rect(left, lane.calls - 2 - height, Math.max(right - left, 1), height,
        this.ink.faint);
    };
    thread.held.forEach(([begin, end, most, last], at) => {
      const next = at + 1 < thread.held.length ? thread.held[at + 1][0] : thread.time;
      bar(begin, end, most);
      bar(end, next, last);
    });
  }

  paintRow(pen, row, y) {
    const { timeline, picture } = this;
    const [from, to] = picture.span;
    const pixel = (to - from) / this.width;
    let at = Math.max(timeline.lastBefore(row, from), 0);
    while (at < row.length && timeline.begins[row[at]] < to) {
      const call = row[at];
      const end = timeline.ends[call];
      if (end >= from) this.paintCall(pen, call, y);
      // The next one that does not end on the pixels that are taken.
      const free = Math.max(end, timeline.begins[call] + NARROWEST_CALL * pixel);
      const last = timeline.lastBefore(row, free);
      at = last > at && timeline.ends[row[last]] > free ? last : Math.max(last, at) + 1;
    }
  }

  paintCall(pen, call, y) {
    const { timeline, picture } = this;
    const left = Math.max(this.xOf(timeline.begins[call]), 0);
    const right = Math.min(this.xOf(timeline.ends[call]), this.width);
    const width = Math.max(right - left, NARROWEST_CALL);
    const isChosen = call === picture.call;
    const edge = isChosen ? this.ink.text
      : picture.isMatch(call) && width > 4 ? this.ink.accent : null;
    pen.rect(left, y, width > 3 ? width - 0.6 : width, LANE_ROW - 1,
      this.colourOf(call), edge);
    const room = Math.floor((width - 2 * LABEL_MARGIN) / CHARACTER);
    if (room < 3) return;
    const name = shortened(this.nameOf(call), room);
    pen.text(left + LABEL_MARGIN, y + LANE_ROW / 2, name, this.ink.label);
  }

  // --- What the mouse is on ------------------------------------------------------------

  // {time, call, mark}: the call, or what a mark says; NO_CALL and "" where there is no
  // such thing.
  at(event) {
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top + this.element.scrollTop;
    const found = { x, time: this.timeAt(x), call: NO_CALL, mark: "", held: NaN };
    const lane = this.placed.find((each) => y >= each.y && y < each.end);
    if (!lane || event.clientY - box.top < AXIS) return found;
    if (y >= lane.marks && y < lane.calls) {
      const near = lane.thread.marks.filter(([time]) =>
        Math.abs(this.xOf(lane.thread.start + time) - x) <= NEAR);
      found.mark = near.map(([, label]) => label).join(", ");
    }
    if (y >= lane.held && y < lane.calls) {
      found.held = heldAt(lane.thread, found.time - lane.thread.start);
    }
    const row = lane.thread.rows[Math.floor((y - lane.calls) / LANE_ROW)];
    if (row) found.call = this.callAt(row, found.time);
    return found;
  }

  callAt(row, time) {
    const { timeline } = this;
    const near = (NEAR / this.width) * (this.picture.span[1] - this.picture.span[0]);
    const before = this.timeline.lastBefore(row, time);
    if (before >= 0 && timeline.ends[row[before]] >= time) return row[before];
    for (const at of [before, before + 1]) {
      const call = row[at];
      if (call === undefined) continue;
      const away = Math.max(timeline.begins[call] - time, time - timeline.ends[call]);
      if (away <= near) return call;
    }
    return NO_CALL;
  }

  // The middle of a call, on the screen.
  middleOf(call) {
    const box = this.element.getBoundingClientRect();
    const left = Math.max(this.xOf(this.timeline.begins[call]), 0);
    const right = Math.min(this.xOf(this.timeline.ends[call]), this.width);
    const y = this.rowOf(call) + LANE_ROW / 2 - this.element.scrollTop;
    return { x: box.left + (left + right) / 2, y: box.top + y };
  }

  rowOf(call) {
    const thread = this.timeline.threadOf(call);
    const lane = this.placed.find((each) => each.thread === thread);
    return lane.calls + this.timeline.depths[call] * LANE_ROW;
  }

  // Have a call's row in sight.
  reveal(call) {
    if (call === NO_CALL || !this.placed) return;
    const { element } = this;
    const y = this.rowOf(call);
    if (y - AXIS < element.scrollTop) element.scrollTop = y - AXIS - LANE_TITLE;
    const below = y + LANE_ROW - element.clientHeight;
    if (below > element.scrollTop) element.scrollTop = below;
  }

  asFile(title) {
    const { scrollTop, clientHeight } = this.element;
    const height = this.placed.length ? this.placed[this.placed.length - 1].end : AXIS;
    const pen = new SvgPen(this.width, Math.max(height, clientHeight - scrollTop));
    this.paint(pen, 0, height);
    const name = svgElement("title");
    name.textContent = title;
    pen.root.prepend(name);
    return fileOf(pen.root);
  }
}

function shortNumber(value) {
  const units = [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"]];
  const found = units.find(([size]) => value >= size);
  if (!found) return formatNumber(value);
  return `${+(value / found[0]).toPrecision(6)}${found[1]}`;
}
