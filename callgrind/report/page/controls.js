// SPDX-License-Identifier: GPL-2.0-or-later
//
// Mouse, keys and controls, and the page's beginning.
//
// Owns: which key does what (the page's own help lists them too).

// --- Mouse -----------------------------------------------------------------------------

function clicked(pane, frame) {
  byId("graph").focus({ preventScroll: true });
  if (state.view !== "sandwich") zoomTo(frame);
  else select(frame, pane);
}

function hovered(pane, frame, event) {
  const view = state.views[pane];
  if (frame === NOBODY) {
    showTip([], event);
    return;
  }
  const name = profile.functionName(view.functions[frame]).slice(0, LONGEST_LABEL);
  const kind = KIND_WORDS[view.kindOf(frame)];
  showTip([describe(view, frame), kind ? ` · ${kind}` : "", element("br"),
    element("b", {}, name)], event);
}

// What is too narrow to be drawn is in the table of functions, or wide enough once its
// own frame is zoomed.
function clickedRest(pane, parent) {
  if (parent === state.focus) chooseTab("functions");
  else zoomTo(parent);
}

function hoveredRest({ count, cost }, event) {
  const shown = profile.events[state.event];
  const total = state.tree.total(profile.last, state.event);
  const what = `${formatNumber(count)} functions, each too narrow to be drawn`;
  showTip([element("b", {}, what), element("br"),
    `${formatCost(cost, shown)} ${shown[0]}, ` +
    formatShare(cost, total, shown)], event);
}

// Beside the mouse; of no parts, nothing.
function showTip(parts, event) {
  const tip = byId("tip");
  tip.hidden = !parts.length;
  if (!parts.length) return;
  tip.replaceChildren(...parts);
  const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const above = event.clientY + 18 + tip.offsetHeight > window.innerHeight;
  tip.style.left = `${Math.max(left, 4)}px`;
  const top = above ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
  tip.style.top = `${top}px`;
}

// --- Keys ------------------------------------------------------------------------------

// The frame of a pane that an arrow key leads to, as the frames are drawn.
function nextFrame(pane, frame, key) {
  const view = state.views[pane];
  const widthRun = runOfWidth(state.width);
  const orderRun = profile.isComparison ? BOTH : 0;
  const goesUp = state.view === "sandwich" ? pane === 0 : state.layout === "flame";
  const towardsRoots = goesUp ? "ArrowDown" : "ArrowUp";
  const sorted = (frames) => inOrder({ view, order: state.order, orderRun },
    frames.filter((each) => view.cost(each, widthRun)));
  const parent = view.parentOf(frame);
  if (key === towardsRoots) return parent;
  if (key === "ArrowUp" || key === "ArrowDown") return sorted(view.childrenOf(frame))[0];
  if (parent === NOBODY) return NOBODY;
  const siblings = sorted(view.childrenOf(parent));
  return siblings[siblings.indexOf(frame) + (key === "ArrowRight" ? 1 : -1)];
}

function graphKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const isSandwich = state.view === "sandwich";
  if (event.key.startsWith("Arrow")) {
    // From the middle of a sandwich, either half is a step away.
    const pane = !isSandwich ? 0 : state.selected !== ROOT ? state.pane
      : event.key === "ArrowUp" ? 0 : 1;
    const next = nextFrame(pane, state.selected, event.key);
    if (next !== undefined && next !== NOBODY) {
      if (isSandwich) goTo(pane, next);
      else select(next);
    }
  } else if (event.key === "Enter") {
    if (isSandwich) select(state.selected, state.pane);
    else zoomTo(state.selected);
  } else if (isSandwich) {
    return;
  } else if (event.key === "Backspace") {
    const parent = state.views[0].parentOf(state.focus);
    if (parent !== NOBODY) zoomTo(parent);
  } else {
    return;
  }
  event.preventDefault();
}

const after = (known, now) => known[(known.indexOf(now) + 1) % known.length];

const KEYS = {
  "/": () => byId("search").focus(),
  "?": () => byId("keys").showModal(),
  n: () => goToMatch(1),
  p: () => goToMatch(-1),
  c: () => copyText(profile.fullName(shownFunction())),
  e: () => chooseEvent((state.event + 1) % profile.events.length),
  l: () => update({ layout: after(LAYOUTS, state.layout) }),
  o: () => update({ order: after(ORDERS, state.order) }),
  s: () => update({ view: "sandwich", fn: shownFunction(), zoom: "" }),
  t: () => chooseTheme(after(THEMES, state.theme)),
  v: () => chooseView(after(VIEWS, state.view)),
};

function pageKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || byId("keys").open) return;
  const inSearch = event.target === byId("search");
  if (event.key === "Escape") {
    if (inSearch) update({ search: "" }, { isStep: false });
    showAll();
    return;
  }
  if (inSearch && event.key === "Enter") {
    goToMatch(event.shiftKey ? -1 : 1);
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) &&
      event.target.type !== "radio") return;
  const action = KEYS[event.key.toLowerCase()];
  if (!action) return;
  action();
  event.preventDefault();
}

// In a row of tabs, arrows go from one to the next.
async function tabKey(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  const at = TABS.indexOf(state.tab) + step + TABS.length;
  const tab = TABS[at % TABS.length];
  event.preventDefault();
  await chooseTab(tab);
  if (state.tab === tab) byId(`tab-${tab}`).focus(); // or the reader has gone on
}

// --- Controls --------------------------------------------------------------------------

function fill(select, labels) {
  select.replaceChildren(...labels.map((label, i) =>
    element("option", { value: String(i) }, label)));
}

function onChange(id, act) {
  byId(id).addEventListener("change", (event) => act(event.target.value));
}

function connectControls() {
  onChange("event", (value) => chooseEvent(+value));
  onChange("trees", (value) => update({ trees: +value, zoom: "" }));
  onChange("view", chooseView);
  for (const name of ["order", "colour", "width"]) {
    onChange(name, (value) => update({ [name]: value }));
  }
  for (const radio of document.querySelectorAll("input[name=layout]")) {
    radio.addEventListener("change", () => update({ layout: radio.value }));
  }
  byId("search").addEventListener("input", (event) =>
    update({ search: event.target.value }, { isStep: false }));
  const onClick = (id, act) => byId(id).addEventListener("click", act);
  onClick("next-match", () => goToMatch(1));
  onClick("previous-match", () => goToMatch(-1));
  onClick("peak", showPeak);
  onClick("reset", showAll);
  onClick("save", saveGraph);
  onClick("theme", KEYS.t);
  onClick("help", KEYS["?"]);
  onClick("more", () => {
    const isOpen = document.body.classList.toggle("controls-open");
    byId("more").setAttribute("aria-expanded", String(isOpen));
  });
  for (const tab of TABS) {
    onClick(`tab-${tab}`, () => chooseTab(tab));
    byId(`tab-${tab}`).addEventListener("keydown", tabKey);
  }
  connectSplitter();
  byId("graph").addEventListener("keydown", graphKey);
  document.addEventListener("keydown", pageKey);
  darkMedia.addEventListener("change", () => chooseTheme(state.theme));
}

async function begin() {
  const { tree } = state;
  chooseTheme("auto");
  await tree.load();
  await tree.loadEvent(0);
  await tree.findPeriod();
  choices = treeChoices(tree);
  fill(byId("event"), profile.events.map(([name]) => name));
  fill(byId("trees"), choices.map(({ label }) => label));
  byId("trees-choice").hidden = choices.length < 2;
  byId("width-choice").hidden = !profile.isComparison;
  byId("tab-lines").hidden = !profile.source;
  byId("colour-change").hidden = !profile.isComparison;
  byId("peak").hidden = PEAK < 0;
  for (const id of ["view-timeline", "keys-timeline"]) byId(id).hidden = !moments;
  byId("origin").textContent =
    `Made by callgrind_export from a tree of ${profile.creator}`;
  connectControls();
  showPage();
  await showLinked(address.read());
  if (state.view !== "timeline") graph.showRoots();
  const resized = new ResizeObserver(() => {
    if (!(state.view === "timeline" ? moments.lanes : graph).isFitting) redrawGraph();
  });
  resized.observe(byId("graph"));
  resized.observe(byId("lanes"));
  performance.mark("drawn");
  document.documentElement.dataset.state = "drawn";
  blocks.unpackRest();
  // Numbers of the other events are beside those of the first one.
  for (let event = 1; event < profile.events.length; event++) await tree.loadEvent(event);
  tree.sortByFunction();
  await tree.findParents();
  await relateCostliest(tree);
  showNumbers();
  if (profile.source) await sourceLines.load();
  if (moments) await moments.load();
  tellPanelWidth();
  performance.mark("ready");
  document.documentElement.dataset.state = "ready";
}

// The callers and callees that a reader is likeliest to look at, and the first ones take
// longest.
async function relateCostliest(tree) {
  const fn = costliestFunction();
  for (const wantCallers of fn === NOBODY ? [] : [true, false]) {
    await laterTurn();
    tree.callersOrCallees(fn, state.event, wantCallers);
  }
}

begin().catch((error) => {
  byId("summary").textContent = `This page cannot be shown: ${error.message}.`;
  throw error;
});
