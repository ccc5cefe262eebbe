// SPDX-License-Identifier: GPL-2.0-or-later
//
// The flame graph: gives d3-flame-graph what can be seen, and takes the mouse from it.
//
// Owns: which frames are drawn.  The library lays out and draws all that it is given, in
// a time that grows with their number; it is given those that are wide enough to be seen
// at the present zoom, and no more than can be drawn at once, however large the tree is.

const ROW = 19; // pixels
const NARROWEST = 1; // pixels; what is narrower is not drawn
const MOST_FRAMES = 1500; // that are drawn; the narrowest wait until they are zoomed
const MOST_ROWS = 1200; // deeper frames show when one below is zoomed
const MOST_ROWS_ABOVE = 60; // callers of the frame that is zoomed
const LONGEST_LABEL = 300; // characters
const TRANSITION_STEPS = 3; // a transition is scheduled, starts, ends

class Graph {
  // colourOf(node); handlers: {click(node), hover(node or NOBODY, event)}
  constructor(element, colourOf, handlers) {
    this.element = element;
    this.chart = flamegraph.default()
      .cellHeight(ROW)
      .transitionDuration(0)
      .resetHeightOnZoom(true)
      .tooltip(this.noTooltip())
      .setColorMapper((d) => colourOf(d.data.node));
    this.started = false;
    // Before the library's own handlers, which would lay out the whole tree again.
    element.addEventListener("click", (event) => {
      const node = this.nodeAt(event);
      event.stopPropagation();
      if (node !== NOBODY) handlers.click(node);
    }, true);
    element.addEventListener("pointermove", (event) =>
      handlers.hover(this.nodeAt(event), event));
    element.addEventListener("pointerleave", (event) => handlers.hover(NOBODY, event));
  }

  // The page has a tooltip of its own; with none, the library writes a title per frame.
  noTooltip() {
    const none = () => {};
    none.show = () => none;
    none.hide = () => none;
    none.destroy = () => {};
    return none;
  }

  nodeAt(event) {
    const frame = event.target.closest("g.frame");
    return frame && frame.__data__ ? frame.__data__.data.node : NOBODY;
  }

  // view: {tree, widths, order, focus, layout}
  draw(view) {
    this.view = view;
    const across = this.element.clientWidth - 2;
    const fromRoots = this.distanceFromRoots();
    this.element.dataset.layout = view.layout;
    this.chart.width(across).inverted(view.layout === "icicle");
    const data = this.visible(across);
    if (this.started) {
      this.chart.update(data);
    } else {
      d3.select(this.element).datum(data).call(this.chart);
      this.started = true;
    }
    // The library sets places and labels in transitions of no duration; have them end now.
    for (let i = 0; i < TRANSITION_STEPS; i++) d3.timerFlush();
    d3.select(this.element).select("svg").attr("aria-hidden", "true");
    // The height may be another now; what was in sight next to the roots stays there.
    this.element.scrollTop += this.distanceFromRoots() - fromRoots;
  }

  // In pixels that are scrolled; downwards is less in a flame graph.
  distanceFromRoots() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return this.view.layout === "flame" ? scrollHeight - scrollTop - clientHeight : -scrollTop;
  }

  // The frames to draw: the path to the focus, and what can be seen below it.
  visible(across) {
    const { tree, widths, focus } = this.view;
    this.drawn = new Set();
    const top = this.frame(focus);
    const frames = new Map([[focus, top]]);
    for (const node of widths[focus] ? this.widest(across / widths[focus]) : []) {
      const frame = this.frame(node);
      frames.set(node, frame);
      frames.get(tree.parents[node]).c.push(frame);
    }
    const { order } = this.view;
    for (const frame of frames.values()) {
      frame.c.sort((one, other) => order[other.node] - order[one.node]);
    }
    let data = top;
    const path = tree.pathTo(focus).slice(0, -1);
    for (const above of path.slice(-MOST_ROWS_ABOVE).reverse()) {
      const frame = this.frame(above);
      Object.assign(frame, { c: [data], v: top.v, fade: true });
      data = frame;
    }
    return data;
  }

  // The nodes to draw, at so many pixels for a cost of one, each behind its parent.
  widest(scale) {
    const { widths } = this.view;
    const found = [];
    this.walkWide(NARROWEST / scale, (node) => found.push(node));
    if (found.length <= MOST_FRAMES) return found;
    // Of those that are as wide as each other, a parent came first, and stays so.
    found.sort((one, other) => widths[other] - widths[one]);
    return found.slice(0, MOST_FRAMES);
  }

  // Nodes below the focus that cost so much, parents first.
  walkWide(least, visit) {
    const { tree, widths, focus } = this.view;
    const deepest = tree.depths[focus] + MOST_ROWS;
    const stack = [focus];
    while (stack.length) {
      for (const child of tree.childrenOf(stack.pop())) {
        if (widths[child] > 0 && widths[child] >= least && tree.depths[child] <= deepest) {
          visit(child);
          stack.push(child);
        }
      }
    }
  }

  frame(node) {
    const { tree, widths } = this.view;
    this.drawn.add(node);
    // The last digits of an address are what distinguishes it: they have to fit.
    const name = tree.profile.functionName(tree.functions[node]).replace(/^0x0+\B/, "0x");
    return { n: name.slice(0, LONGEST_LABEL), v: widths[node], node, c: [] };
  }

  mark(selected, isMatch) {
    d3.select(this.element).selectAll("g.frame")
      .classed("selected", (d) => d.data.node === selected)
      .classed("match", (d) => isMatch(d.data.node))
      .attr("data-node", (d) => d.data.node);
  }

  // Have a drawn frame in sight; true if it is drawn.
  reveal(node) {
    if (!this.drawn.has(node)) return false;
    const frame = this.element.querySelector(`g.frame[data-node="${node}"]`);
    if (frame) frame.scrollIntoView({ block: "nearest", inline: "nearest" });
    return true;
  }

  // The end of the graph at which paths begin.
  showRoots() {
    const end = this.view.layout === "flame" ? this.element.scrollHeight : 0;
    this.element.scrollTop = end;
  }
}
