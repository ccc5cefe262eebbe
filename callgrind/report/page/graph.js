// SPDX-License-Identifier: GPL-2.0-or-later
//
// The graph: draws frames as SVG, and says which frame the mouse is on.
//
// Owns: the SVG element.  A graph has one pane, or, as a sandwich, two: what leads to a
// function grows upwards from it, what it calls hangs below it.  A frame with a label is
// an element.  Most are too narrow for one: they are a path for each colour, as so many
// elements would be most of what a zoom takes, and an element only while they are marked.

const ROW = 19; // pixels
const LONGEST_LABEL = 300; // characters
const LABEL_SIZE = 11.5; // pixels, in a font whose characters all have one width
const CHARACTER = LABEL_SIZE * 0.602;
const LABEL_MARGIN = 4;
const ASCII = /^[ -~]*$/;
const MARK = /\p{M}/u; // stands on the character before it
// What has two columns: most of East Asia, and pictures.
const WIDE = new RegExp("[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff" +
  "\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1faff}" +
  "\\u{20000}-\\u{3fffd}]", "u");
const SVG = "http://www.w3.org/2000/svg";

class Graph {
  // colours: {of(view, frame), ofRest()}; handlers: {click(pane, frame), hover(pane,
  // frame, event), clickRest(pane, parent), hoverRest(rest, event)}; of nothing, the
  // frame is NOBODY.
  constructor(element, colours, handlers) {
    this.element = element;
    this.colours = colours;
    this.svg = svgElement("svg", { "aria-hidden": "true" });
    this.narrow = svgElement("g", { class: "narrow" });
    this.wide = svgElement("g");
    this.pointed = svgElement("rect", { class: "pointed", height: ROW });
    this.svg.append(this.narrow, this.wide, this.pointed);
    element.append(this.svg);
    this.drawn = [];
    this.isWhole = false; // what stands there is all of the picture
    this.fromRoots = null; // how far the window was from there, until it has settled
    this.places = new Map(); // {pane, frame, x, y, width, label, element}, by nameOfPlace
    element.addEventListener("click", (event) => {
      const found = this.placeAt(event);
      if (found && found.rest) handlers.clickRest(found.pane, restOf(found.frame));
      else if (found) handlers.click(found.pane, found.frame);
    });
    element.addEventListener("pointermove", (event) => {
      const found = this.placeAt(event);
      this.point(found);
      if (found && found.rest) handlers.hoverRest(found.rest, event);
      else handlers.hover(found ? found.pane : 0, found ? found.frame : NOBODY, event);
    });
    element.addEventListener("pointerleave", (event) => {
      this.point(undefined);
      handlers.hover(0, NOBODY, event);
    });
  }

  placeAt({ clientX, clientY }) {
    const { left, top } = this.svg.getBoundingClientRect();
    const [right, below] = [clientX - left, clientY - top];
    for (const place of this.places.values()) {
      if (below >= place.y && below < place.y + ROW &&
          right >= place.x && right < place.x + place.width) return place;
    }
    return undefined;
  }

  // Show which frame the mouse is on; of none, undefined.
  point(place) {
    this.pointed.setAttribute("visibility", place ? "visible" : "hidden");
    if (!place) return;
    for (const name of ["x", "y", "width"]) this.pointed.setAttribute(name, place[name]);
  }

  // picture: {panes: [pane of layout.js], layout: flame, icicle or sandwich}.  Measures
  // first, and then changes the page; settle() follows when all is changed.  To measure
  // something in between would have the browser lay the page out once more.
  draw(picture) {
    if (this.fromRoots === null) this.fromRoots = this.distanceFromRoots();
    const across = Math.max(this.element.clientWidth - 2, 1);
    if (this.isDrawn(picture, across)) {
      this.colourAgain();
      return;
    }
    this.picture = picture;
    const { layout } = picture;
    this.element.dataset.layout = layout;
    this.across = across;
    this.prepare(true);
    this.isWhole = !this.unfinished;
    const rows = this.drawn.map((frames) =>
      frames.reduce((most, { row }) => Math.max(most, row), 0));
    const height = ROW * (rows.reduce((sum, count) => sum + count, 0) + 1);
    this.svg.setAttribute("width", across);
    this.svg.setAttribute("height", height);
    this.svg.setAttribute("viewBox", `0 0 ${across} ${height}`); // for a narrower sheet
    this.places.clear();
    this.point(undefined);
    this.drawn.forEach((frames, pane) => {
      const goesUp = layout === "flame" || (layout === "sandwich" && pane === 0);
      const base = ROW * (layout === "icicle" ? 0 : rows[0]);
      for (const placed of frames) {
        // The function of a sandwich is in both panes, and drawn once.
        if (layout === "sandwich" && pane === 0 && !placed.row) continue;
        const y = base + (goesUp ? -ROW : ROW) * placed.row;
        const place = { ...placed, pane, y, label: this.labelIn(pane, placed) };
        this.places.set(nameOfPlace(pane, placed.frame), place);
      }
    });
    this.drawNarrow();
    this.wide.replaceChildren(...[...this.places.values()]
      .filter((place) => place.label || place.fade)
      .map((place) => this.elementOf(place)));
  }

  // The frames that have no label, those of one colour together.
  drawNarrow() {
    const outlines = new Map(); // by colour
    for (const place of this.places.values()) {
      if (place.label || place.fade) continue;
      const colour = this.colourOfPlace(place);
      if (!outlines.has(colour)) outlines.set(colour, []);
      const width = place.width.toFixed(2);
      outlines.get(colour).push(
        `M${place.x.toFixed(2)} ${place.y}h${width}v${ROW}h-${width}z`);
    }
    this.narrow.replaceChildren(...[...outlines].map(([fill, outline]) =>
      svgElement("path", { fill, d: outline.join("") })));
  }

  colourOfPlace({ pane, frame, rest }) {
    return rest ? this.colours.ofRest()
      : this.colours.of(this.picture.panes[pane].view, frame);
  }

  // Is this what stands there, but for colours?
  isDrawn(picture, across) {
    const before = this.picture;
    const isSame = (pane, i) => Object.entries(pane).every(([name, value]) =>
      before.panes[i][name] === value);
    return this.isWhole && this.across === across && picture.layout === before.layout &&
      picture.panes.length === before.panes.length && picture.panes.every(isSame);
  }

  colourAgain() {
    this.drawNarrow();
    for (const place of this.places.values()) {
      if (!place.element) continue;
      const colour = this.colourOfPlace(place);
      const rect = place.element.querySelector("rect");
      if (rect.getAttribute("fill") !== colour) rect.setAttribute("fill", colour);
    }
  }

  // The height may be another now; what was in sight next to the roots stays there.
  settle() {
    if (this.fromRoots === null) return;
    const moved = this.distanceFromRoots() - this.fromRoots;
    if (moved) this.element.scrollTop += moved;
    this.fromRoots = null;
  }

  // Have the views make what is to be seen, as far as that goes at once, or quickly.
  prepare(isHasty = false) {
    const { panes } = this.picture;
    this.drawn = panes.map((pane) =>
      placedFrames(pane, this.across, MOST_FRAMES / panes.length, isHasty));
  }

  // Is what is drawn as wide as the window?
  get isFitting() {
    return this.element.clientWidth - 2 === this.across;
  }

  get unfinished() {
    return this.picture.panes.some(({ view }) => view.unfinished);
  }

  // What of the frame's name it has room for; or nothing.
  labelIn(pane, { frame, width, rest }) {
    const room = Math.floor((width - 2 * LABEL_MARGIN) / CHARACTER);
    if (room < 3) return "";
    return shortened(this.nameOf(pane, { frame, rest }), room);
  }

  nameOf(pane, { frame, rest }) {
    return rest ? `(${formatNumber(rest.count)} narrower ones)`
      : labelOf(this.picture.panes[pane].view, frame);
  }

  // That of a narrow frame is made when somebody asks for it.
  elementOf(place) {
    if (!place.element) {
      place.element = this.frameElement(place);
      this.wide.append(place.element);
    }
    return place.element;
  }

  frameElement(place) {
    const { pane, frame, x, y, width, fade, label } = place;
    const group = svgElement("g", {
      class: fade ? "frame fade" : place.rest ? "frame rest" : "frame",
      "data-node": frame, "data-pane": pane,
    });
    group.append(svgElement("rect", {
      x: x.toFixed(2), y, width: width.toFixed(2), height: ROW,
      fill: this.colourOfPlace(place),
    }));
    if (label) {
      const text = svgElement("text", { x: (x + LABEL_MARGIN).toFixed(2), y: y + 13.5 });
      text.textContent = label;
      group.append(text);
    }
    return group;
  }

  mark(isSelected, isMatch) {
    for (const place of this.places.values()) {
      const [selected, match] = [isSelected, isMatch].map((test) =>
        !place.rest && test(place.pane, place.frame));
      if (selected || match) this.elementOf(place);
      if (!place.element) continue;
      place.element.classList.toggle("selected", selected);
      place.element.classList.toggle("match", match);
      if (selected || match || place.label || place.fade) continue;
      place.element.remove();
      place.element = undefined;
    }
  }

  // In pixels that are scrolled; downwards is less in a flame graph.
  distanceFromRoots() {
    if (!this.picture) return 0;
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return this.picture.layout === "flame"
      ? scrollHeight - scrollTop - clientHeight : -scrollTop;
  }

  // Have a drawn frame in sight; true if it is drawn.
  reveal(pane, frame) {
    const found = this.places.get(nameOfPlace(pane, frame));
    const sides = { block: "nearest", inline: "nearest" };
    if (found) this.elementOf(found).scrollIntoView(sides);
    return found !== undefined;
  }

  // The end of the graph at which paths begin; the function of a sandwich.
  showRoots() {
    const { layout } = this.picture;
    if (layout === "sandwich") this.centre(1, ROOT);
    else this.element.scrollTop = layout === "flame" ? this.element.scrollHeight : 0;
  }

  centre(pane, frame) {
    const found = this.places.get(nameOfPlace(pane, frame));
    const sides = { block: "center", inline: "nearest" };
    if (found) this.elementOf(found).scrollIntoView(sides);
  }

  // Is there something drawn of this frame?
  has(pane, frame) {
    return this.places.has(nameOfPlace(pane, frame));
  }

  // What is seen, as a file of its own: each frame an element, which has its whole name.
  asFile(title) {
    const size = ["width", "height", "viewBox"].map((name) =>
      [name, this.svg.getAttribute(name)]);
    const file = svgElement("svg", { ...Object.fromEntries(size), role: "img" });
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const rules = svgElement("style");
    rules.textContent = `text{font:${LABEL_SIZE}px monospace;fill:` +
      `${colour("--frame-text")}}rect{stroke:${colour("--frame-line")};` +
      "stroke-width:.6}.fade rect{fill-opacity:.45}";
    const name = svgElement("title");
    name.textContent = title;
    const ground = svgElement("rect", {
      width: "100%", height: "100%", fill: colour("--ground"), stroke: "none",
    });
    file.append(name, rules, ground);
    for (const place of this.places.values()) {
      const group = this.frameElement(place);
      const { view } = this.picture.panes[place.pane];
      const full = svgElement("title");
      full.textContent = place.rest ? this.nameOf(place.pane, place)
        : view.tree.profile.fullName(view.functions[place.frame]);
      group.prepend(full);
      file.append(group);
    }
    return fileOf(file);
  }
}

function nameOfPlace(pane, frame) {
  return `${pane} ${frame}`;
}

// XML has no place for most control characters, not even as numbers.
function fileOf(svg) {
  return new XMLSerializer().serializeToString(svg).replace(
    /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, (character) =>
      `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function svgElement(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    made.setAttribute(name, value);
  }
  return made;
}

function labelOf(view, frame) {
  return view.tree.profile.functionName(view.functions[frame]).slice(0, LONGEST_LABEL);
}

// The beginning of a text, in so many columns.
function shortened(text, room) {
  if (ASCII.test(text)) {
    return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
  }
  let [width, kept] = [0, 0];
  for (const character of text) {
    width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
    if (width > room) return `${text.slice(0, kept)}…`;
    if (width < room) kept += character.length;
  }
  return text;
}
