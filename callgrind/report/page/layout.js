// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where frames go: which frames of a view can be seen at the present zoom, and their
// places.
//
// Owns: the choice of frames.  However large the tree is, only frames that are wide
// enough to be seen are looked at, the widest first, and no more than can be drawn at
// once.  Where all that a frame costs is that of its children, as in an inverted graph,
// those that are left out have a place together, so that nothing is blank.

const NARROWEST = 1; // pixels; what is narrower is not drawn
const MOST_FRAMES = 1500; // of all panes that are drawn; the narrowest wait to be zoomed
const MOST_ROWS = 1200; // deeper frames show when one below is zoomed
const MOST_ROWS_ABOVE = 60; // callers of the frame that is zoomed

// The frames that are drawn, at most so many below the focus: [{frame, x, width, row,
// fade, rest}].  Row 0 is that of the outermost one.  rest: of those that are left out of
// a frame {count, cost}; then the frame is restOf(that frame).  pane: {view, focus,
// widthRun, orderRun, order}; isHasty as for the view's beginDrawing().
function placedFrames(pane, across, most, isHasty) {
  const { view, focus, widthRun } = pane;
  const above = view.pathTo(focus).slice(0, -1).slice(-MOST_ROWS_ABOVE);
  const placed = above.map((frame, row) =>
    ({ frame, x: 0, width: across, row, fade: true }));
  const whole = view.cost(focus, widthRun);
  const scale = whole ? across / whole : 0;
  const children = widestFrames(pane, scale, most, isHasty);
  const stack = [{ frame: focus, x: 0, width: across, row: above.length, fade: false }];
  while (stack.length) {
    const parent = stack.pop();
    placed.push(parent);
    let { x } = parent;
    for (const frame of inOrder(pane, children.get(parent.frame) || [])) {
      const width = view.cost(frame, widthRun) * scale;
      stack.push({ frame, x, width, row: parent.row + 1, fade: false });
      x += width;
    }
    const rest = view.isOfAll && children.has(parent.frame)
      ? leftOut(pane, parent.frame, children.get(parent.frame)) : null;
    const width = rest ? rest.cost * scale : 0;
    if (width >= NARROWEST) {
      placed.push({ frame: restOf(parent.frame), x, width, row: parent.row + 1,
        fade: false, rest });
    }
  }
  return placed;
}

// What stands for the children of a frame that are left out, less than NOBODY; and back.
function restOf(frame) {
  return NOBODY - 1 - frame;
}

// How many children of a frame are not drawn, and what they cost together.
function leftOut({ view, widthRun }, parent, drawn) {
  const costOf = (frames) =>
    frames.reduce((sum, frame) => sum + view.cost(frame, widthRun), 0);
  const all = view.childrenOf(parent).filter((frame) => view.cost(frame, widthRun));
  return { count: all.length - drawn.length, cost: costOf(all) - costOf(drawn) };
}

// Of the frames below the focus, those to draw: Map of a frame to its children.
function widestFrames({ view, focus, widthRun }, scale, most, isHasty) {
  const children = new Map();
  const heap = new WidestFirst();
  view.beginDrawing(isHasty);
  const open = (parent, row) => {
    if (row === MOST_ROWS) return;
    view.eachChildFrom(NARROWEST / scale, parent, widthRun,
      (frame, cost) => heap.push({ frame, cost, parent, row: row + 1 }));
  };
  open(focus, 0);
  for (let drawn = 1; drawn < most && heap.size; drawn++) {
    const { frame, parent, row } = heap.pop();
    if (children.has(parent)) children.get(parent).push(frame);
    else children.set(parent, [frame]);
    open(frame, row);
  }
  view.endDrawing();
  return children;
}

// Frames that have one parent, from left to right.
function inOrder({ view, order, orderRun }, frames) {
  const name = (frame) => view.tree.profile.functionName(view.functions[frame]);
  const compare = {
    heavy: (one, other) => view.cost(other, orderRun) - view.cost(one, orderRun),
    called: (one, other) => one - other,
    name: (one, other) => (name(one) < name(other) ? -1 : 1),
  }[order];
  return [...frames].sort(compare);
}

// A heap of {frame, cost, parent, row}: the frames that may be drawn next.
class WidestFirst {
  constructor() {
    this.places = [];
  }

  get size() {
    return this.places.length;
  }

  push(found) {
    const { places } = this;
    let at = places.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (places[above].cost >= found.cost) break;
      places[at] = places[above];
      at = above;
    }
    places[at] = found;
  }

  pop() {
    const { places } = this;
    const top = places[0];
    const last = places.pop();
    const { length } = places;
    let at = 0;
    while (2 * at + 1 < length) {
      let child = 2 * at + 1;
      if (child + 1 < length && places[child + 1].cost > places[child].cost) child++;
      if (places[child].cost <= last.cost) break;
      places[at] = places[child];
      at = child;
    }
    if (length) places[at] = last;
    return top;
  }
}
