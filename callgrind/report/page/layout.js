// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where frames go: which frames of a view can be seen at the present zoom, and their
// places.
//
// Owns: the choice of frames.  However large the tree is, only frames that are wide
// enough to be seen are looked at, the widest first, and no more than can be drawn at
// once.

const NARROWEST = 1; // pixels; what is narrower is not drawn
const MOST_FRAMES = 1500; // of all panes that are drawn; the narrowest wait to be zoomed
const MOST_ROWS = 1200; // deeper frames show when one below is zoomed
const MOST_ROWS_ABOVE = 60; // callers of the frame that is zoomed

// pane: {view, focus, widthRun, orderRun, order}.  The frames that are drawn, at most so
// many below the focus: [{frame, x, width, row, fade}]; row 0 is that of the outermost
// frame that is drawn.
function placedFrames(pane, across, most) {
  const { view, focus, widthRun } = pane;
  const above = view.pathTo(focus).slice(0, -1).slice(-MOST_ROWS_ABOVE);
  const placed = above.map((frame, row) =>
    ({ frame, x: 0, width: across, row, fade: true }));
  const whole = view.cost(focus, widthRun);
  const scale = whole ? across / whole : 0;
  const children = widestFrames(pane, scale, most);
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
  }
  return placed;
}

// Of the frames below the focus, those to draw: Map of a frame to its children.
function widestFrames({ view, focus, widthRun }, scale, most) {
  const children = new Map();
  const heap = new WidestFirst();
  const deepest = view.depths[focus] + MOST_ROWS;
  view.beginDrawing();
  const open = (frame) => {
    if (view.depths[frame] >= deepest) return;
    view.eachChildFrom(NARROWEST / scale, frame, widthRun,
      (child, cost) => heap.push(cost, child));
  };
  open(focus);
  for (let drawn = 1; drawn < most && heap.size; drawn++) {
    const frame = heap.pop();
    const parent = view.parents[frame];
    if (children.has(parent)) children.get(parent).push(frame);
    else children.set(parent, [frame]);
    open(frame);
  }
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

// A heap of frames, by what they cost.
class WidestFirst {
  constructor() {
    this.costs = [];
    this.frames = [];
  }

  get size() {
    return this.frames.length;
  }

  push(cost, frame) {
    const { costs, frames } = this;
    let at = frames.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (costs[above] >= cost) break;
      costs[at] = costs[above];
      frames[at] = frames[above];
      at = above;
    }
    costs[at] = cost;
    frames[at] = frame;
  }

  pop() {
    const { costs, frames } = this;
    const top = frames[0];
    const cost = costs.pop();
    const frame = frames.pop();
    const { length } = frames;
    let at = 0;
    while (2 * at + 1 < length) {
      let child = 2 * at + 1;
      if (child + 1 < length && costs[child + 1] > costs[child]) child++;
      if (costs[child] <= cost) break;
      costs[at] = costs[child];
      frames[at] = frames[child];
      at = child;
    }
    if (length) {
      costs[at] = cost;
      frames[at] = frame;
    }
    return top;
  }
}
