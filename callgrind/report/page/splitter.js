// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bar between the graph and the numbers, which makes these wider.
//
// Owns: how wide they may be.  The width is part of the page's state; without one the
// style sheet says it.

const LEAST_PANEL = 240; // pixels; so much is left to the graph, too
const PANEL_STEP = 40; // of an arrow key

// "" or a number of pixels, which is brought within what there is room for.
function setPanelWidth(width) {
  const { style } = document.documentElement;
  if (width === "") style.removeProperty("--panel");
  else {
    const pixels = Math.min(Math.max(+width, LEAST_PANEL), mostPanel());
    style.setProperty("--panel", `${pixels}px`);
  }
}

function mostPanel() {
  return Math.max(document.documentElement.clientWidth - LEAST_PANEL, LEAST_PANEL);
}

function panelWidth() {
  return Math.round(document.querySelector("aside").getBoundingClientRect().width);
}

// To those who do not see it.  To measure has the browser lay the page out.
function tellPanelWidth() {
  const bar = byId("splitter");
  bar.setAttribute("aria-valuemin", String(LEAST_PANEL));
  bar.setAttribute("aria-valuemax", String(mostPanel()));
  bar.setAttribute("aria-valuenow", String(panelWidth()));
}

// To a number of pixels, or, with "", as at first.
function choosePanelWidth(width) {
  const panel = width === "" ? "" : String(Math.max(Math.round(width), LEAST_PANEL));
  update({ panel }, { isStep: false });
  tellPanelWidth();
}

function splitterKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const now = panelWidth();
  const wanted = {
    ArrowLeft: now + PANEL_STEP, ArrowRight: now - PANEL_STEP,
    Home: mostPanel(), End: LEAST_PANEL, Enter: "",
  }[event.key];
  if (wanted === undefined) return;
  choosePanelWidth(wanted);
  event.preventDefault();
}

function connectSplitter() {
  const bar = byId("splitter");
  let grabbed = 0; // the place at which the panel would have no width
  bar.addEventListener("keydown", splitterKey);
  bar.addEventListener("focus", tellPanelWidth);
  bar.addEventListener("dblclick", () => choosePanelWidth(""));
  bar.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    grabbed = event.clientX + panelWidth();
    bar.setPointerCapture(event.pointerId);
  });
  // While a hand moves it, only the width changes; the graph is drawn to it as to a
  // window that changes, and the rest follows when the hand lets go.
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    state.panel = String(Math.max(grabbed - Math.round(event.clientX), LEAST_PANEL));
    setPanelWidth(state.panel);
  });
  bar.addEventListener("lostpointercapture", () => {
    if (state.panel !== "") choosePanelWidth(panelWidth());
  });
}
