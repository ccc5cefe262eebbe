// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is shown, and all that changes it.
//
// Owns: the state of the page.  Every change goes through update(), which has what
// depends on it made and drawn again, and the page's address say the same.

const profile = new Profile(byId("data").textContent);
const THEMES = ["auto", "light", "dark"];
const VIEWS = ["calls", "inverted", "sandwich",
  ...(profile.timeline ? ["timeline"] : [])];
const LAYOUTS = ["flame", "icicle"];
const ORDERS = ["heavy", "called", "name"];
const WIDTHS = ["new", "old", "both"];
const SETTLED = 200; // milliseconds without a movement
const TABS = ["frame", "functions", "objects", "files",
  ...(profile.source ? ["lines"] : [])];

const state = {
  tree: new CallTree(profile),
  view: "calls",
  layout: "flame",
  order: "heavy",
  colour: profile.isComparison ? "change" : "object",
  event: 0,
  trees: ALL_TREES, // a choice
  width: "new",
  search: "",
  zoom: "", // the frame that has the whole width, as its view calls it
  fn: NOBODY, // the function that is shown in place of a frame; that of a sandwich
  tab: "frame",
  cost: "self", // by which tables are sorted
  file: "", // whose source is shown in place of the costliest lines
  line: "", // of it, the one that is in sight
  span: "", // of the timeline's axis; all of it
  call: "", // of the timeline, the one that is chosen
  panel: "", // the width of the numbers, in pixels; as the page has it at first
  // What follows from these:
  views: [],
  shownTrees: NOBODY, // a choice: that of all beside the timeline, which has all threads
  focus: ROOT,
  selected: ROOT, // the frame whose numbers are shown; in a sandwich, where arrows are
  pane: 0, // in which half of it
  matches: null, // by function, while there is a search
  walk: null, // from one match to the next
  theme: "auto",
  sums: new Map(),
  sumsOf(what, event) {
    const key = `${what} ${event}`;
    if (!this.sums.has(key)) {
      const { of, names } = tables.groups(what);
      this.sums.set(key, this.tree.sumsBy(of, names.length, event));
    }
    return this.sums.get(key);
  },
};

let choices = [];
const darkMedia = window.matchMedia("(prefers-color-scheme: dark)");
const colours = new Colours(profile);
const graph = new Graph(byId("graph"), { of: colourOf, ofRest: () => colours.ofRest }, {
  click: clicked, hover: hovered, clickRest: clickedRest, hoverRest: hoveredRest,
});
const tables = new Tables(profile, {
  showFunction, sortBy: (cost) => update({ cost }),
});
const sourceLines = new SourceLines(profile, {
  show: (file, line) => update({ tab: "lines", file: String(file), line: String(line) }),
  showAll: () => update({ tab: "lines", file: "", line: "" }),
});
const panel = new Panel(byId("frame"), tables, {
  showFrame: (frame) => zoomTo(frame),
  showPath: (path) => update({ view: "calls", zoom: String(path), fn: NOBODY }),
  showFunction,
  showSandwich: (fn) => update({ view: "sandwich", fn, zoom: "" }),
  copy: copyText,
});
const moments = profile.timeline && new Moments(profile, colours, state, {
  change: (changes, options) => update(changes, options),
  look,
  showFunction,
  copy: copyText,
  announce: (text) => { byId("status").textContent = text; },
});
const address = new Link((values) => showLinked(values));

// --- One change ------------------------------------------------------------------------

// By what of the state, which change of it was the last one that was asked for.
const lastAsked = {};
let asked = 0;

// Say that the reader wants this now; answers with its number.
function ask(changes) {
  asked++;
  for (const name of Object.keys(changes)) lastAsked[name] = asked;
  return asked;
}

// Change the state when what is needed has been loaded.  The reader may have gone on
// meanwhile: what was asked for later stays.
async function updateWhen(loaded, changes, options) {
  const number = ask(changes);
  await loaded;
  const wanted = Object.entries(changes).filter(([name]) => lastAsked[name] === number);
  if (wanted.length) update(Object.fromEntries(wanted), options);
}

// Change the state, and all that depends on it.  A step is one that Back undoes; at: the
// frame whose numbers are shown, as its view calls it, if it is not the zoomed one.
function update(changes, { isStep = true, at = keptPlace(changes) } = {}) {
  const before = { ...state };
  const hadFocus = document.activeElement;
  byId("tip").hidden = true; // another frame may be there now
  ask(changes);
  Object.assign(state, changes);
  const changed = (...names) => names.some((name) => state[name] !== before[name]);
  state.shownTrees = state.view === "timeline" ? ALL_TREES : state.trees;
  if (changed("shownTrees")) state.tree.select(choices[state.shownTrees].test);
  if (changed("shownTrees", "event")) state.sums.clear();
  if (state.view === "sandwich" && state.fn === NOBODY) state.fn = costliestFunction();
  if (!state.views.length || changed("shownTrees", "event", "view") ||
      (state.view === "sandwich" && changed("fn"))) state.views = makeViews();
  if (changed("search")) state.matches = matchesOf(profile, state.search);
  state.walk = null;
  state.focus = state.view === "sandwich" ? ROOT : state.views[0].find(state.zoom);
  state.zoom = state.view === "sandwich" ? "" : keyOfFocus();
  state.selected = at && state.view !== "sandwich"
    ? state.views[0].find(at) : state.focus;
  state.pane = 0;
  colours.by = state.colour;
  setPanelWidth(state.panel);
  drawGraph();
  showControls();
  showSummary();
  showNumbers();
  showMatched();
  if (state.view === "timeline") moments.lanes.reveal(moments.call);
  else {
    graph.settle();
    if (changed("layout", "view", "shownTrees") ||
        (state.view === "sandwich" && changed("fn"))) graph.showRoots();
    else graph.reveal(0, state.selected);
  }
  address.write(linked(), isStep);
  keepFocus(hadFocus);
}

function keyOfFocus() {
  return state.focus === ROOT ? "" : state.views[0].keyOf(state.focus);
}

// The frame that stays the selected one, if that is not the zoomed one.
function keptPlace(changes) {
  return "zoom" in changes || "view" in changes ? "" : keyOfSelected();
}

function keyOfSelected() {
  const { view, views, selected, focus } = state;
  return selected === focus || view === "sandwich" || view === "timeline"
    ? "" : views[0].keyOf(selected);
}

function makeViews() {
  const { tree, view, event, fn } = state;
  // Beside the timeline are the numbers of all paths.
  if (view === "calls" || view === "timeline") return [new PathView(tree, event)];
  if (view === "inverted") return [new GroupView(tree, event, true, NOBODY)];
  return [true, false].map((towardsCallers) =>
    new GroupView(tree, event, towardsCallers, fn));
}

function costliestFunction() {
  const self = state.tree.selfByFunction(profile.last, state.event);
  const { bundled } = tables;
  return self.reduce((best, cost, index) =>
    (index !== bundled && (best === NOBODY || cost > self[best]) ? index : best), NOBODY);
}

// What had the focus may be gone, made anew, out of sight, or out of use: then the same
// in the panel has it, or the name there, or the panel.
function keepFocus(had) {
  if (had === document.body) return;
  // To ask for its place has the browser lay the page out.
  if (had.isConnected && !had.disabled && had.getClientRects().length) return;
  const panelShown = document.querySelector("[role=tabpanel]:not([hidden])");
  const again = had.className === "sort" && panelShown.querySelector(".sort");
  (again || panelShown.querySelector("h2") || panelShown).focus({ preventScroll: true });
}

// --- The address -----------------------------------------------------------------------

function linked() {
  const { view, layout, order, width, search, zoom, tab, cost, file, line } = state;
  const { span, call, panel } = state;
  const first = SHOWN_AT_FIRST;
  return {
    view, layout, order, width, search, zoom, tab, cost, file, line, span, call, panel,
    colour: state.colour === COLOURINGS[profile.isComparison ? 2 : 0]
      ? first.colour : state.colour,
    event: state.event ? profile.events[state.event][0] : first.event,
    trees: state.trees === ALL_TREES ? first.trees : choices[state.trees].label,
    fn: state.fn === NOBODY ? first.fn : String(state.fn),
    at: keyOfSelected(),
  };
}

// Show what a link says; what it says wrongly is as at first.
async function showLinked(values) {
  const oneOf = (value, known) => (known.includes(value) ? value : known[0]);
  const isNumber = (text) => /^\d+$/.test(text);
  const event = profile.events.findIndex(([name]) => name === values.event);
  const trees = choices.findIndex(({ label }) => label === values.trees);
  const fn = values.fn === "" ? NOBODY : Number(values.fn);
  const view = oneOf(values.view, VIEWS);
  const tab = oneOf(values.tab, TABS);
  const loaded = Promise.all([state.tree.loadEvent(Math.max(event, 0)),
    view === "timeline" && moments.load(), tab === "lines" && sourceLines.load()]);
  await updateWhen(loaded, {
    view,
    layout: oneOf(values.layout, LAYOUTS),
    order: oneOf(values.order, ORDERS),
    width: oneOf(values.width, WIDTHS),
    colour: COLOURINGS.includes(values.colour)
      ? values.colour : COLOURINGS[profile.isComparison ? 2 : 0],
    event: Math.max(event, 0),
    trees: Math.max(trees, ALL_TREES),
    search: values.search,
    zoom: values.zoom,
    fn: profile.functions[fn] ? fn : NOBODY,
    tab,
    file: isNumber(values.file) && +values.file < profile.source?.files
      ? values.file : "",
    line: isNumber(values.line) ? values.line : "",
    span: values.span,
    call: isNumber(values.call) ? values.call : "",
    panel: isNumber(values.panel) ? values.panel : "",
    cost: oneOf(values.cost, costsToSortBy(profile)),
  }, { isStep: false, at: values.at });
}

// --- Drawing ---------------------------------------------------------------------------

function runOfWidth(width) {
  if (!profile.isComparison) return 0;
  return { new: 1, old: 0, both: BOTH }[width];
}

function changeOf(view, frame) {
  if (!profile.isComparison) return null;
  const [old, recent] = [view.cost(frame, 0), view.cost(frame, 1)];
  const larger = Math.max(old, recent);
  return larger ? (recent - old) / larger : 0;
}

function colourOf(view, frame) {
  return colours.of(view, frame, state.matches, changeOf(view, frame));
}

function drawGraph() {
  const { views, focus, order, layout, view } = state;
  if (!views.length) return;
  byId("graph").hidden = view === "timeline";
  byId("lanes").hidden = view !== "timeline";
  if (view === "timeline") {
    moments.draw();
    return;
  }
  const widthRun = runOfWidth(state.width);
  // In a comparison frames keep their places when the width's meaning changes.
  const orderRun = profile.isComparison ? BOTH : 0;
  const panes = views.map((each) =>
    ({ view: each, focus, order, widthRun, orderRun }));
  graph.draw({ panes, layout: view === "sandwich" ? "sandwich" : layout });
  markFrames();
  cancelAnimationFrame(finishing);
  if (graph.unfinished) finishLater();
}

// What takes long is drawn as far as it is known, and again when all of it is.  The rest
// begins in the frame behind the next one, which shows what is known.
let finishing = 0;
function finishLater() {
  finishing = requestAnimationFrame(() => {
    finishing = requestAnimationFrame(finishGraph);
  });
}

function finishGraph() {
  graph.prepare();
  if (graph.unfinished) finishLater();
  else redrawGraph();
}

function redrawGraph() {
  drawGraph();
  graph.settle();
}

function markFrames() {
  const { fn, selected, view, views } = state;
  const isSandwich = view === "sandwich";
  const ofFunction = fn !== NOBODY && !isSandwich;
  graph.mark(
    (pane, frame) => !ofFunction && frame === selected &&
      (!isSandwich || selected === ROOT || pane === state.pane),
    (pane, frame) => (isSandwich ? frame === ROOT && selected !== ROOT
      : ofFunction && views[pane].functions[frame] === fn));
}

function showNumbers() {
  const hadFocus = document.activeElement;
  const wasInNumbers = hadFocus.closest("aside") !== null;
  for (const each of TABS) {
    const isShown = each === state.tab;
    byId(each).hidden = !isShown;
    byId(`tab-${each}`).setAttribute("aria-selected", String(isShown));
    byId(`tab-${each}`).tabIndex = isShown ? 0 : -1;
  }
  if (state.tab === "lines") sourceLines.show(state, byId("lines"), graphIsOf());
  else if (state.tab !== "frame") tables.show(state, state.tab, byId(state.tab));
  else if (state.fn !== NOBODY) panel.showFunction(state, state.fn);
  else if (state.view === "timeline") moments.fill(byId("frame"));
  else panel.showFrame(state);
  showPath();
  reachLongName();
  if (wasInNumbers) keepFocus(hadFocus);
}

// A name that is too long for its place is scrolled by arrows, once it has the focus.
function reachLongName() {
  const name = document.querySelector("[role=tabpanel]:not([hidden]) h2.name");
  if (name && name.scrollHeight > name.clientHeight) name.tabIndex = 0;
}

function showPath() {
  if (state.view === "timeline") {
    byId("path").replaceChildren();
    return;
  }
  const view = state.views[0];
  const path = view.pathTo(state.focus);
  const shown = path.length > 6 ? [path[0], null, ...path.slice(-4)] : path;
  const items = shown.map((frame) => {
    if (frame === null) return `… ${path.length - 5} more`;
    const name = profile.functionName(view.functions[frame]).slice(0, 60);
    return link(name, () => zoomTo(frame));
  });
  const separated = items.flatMap((item, i) => (i ? [" › ", item] : [item]));
  byId("path").replaceChildren(...separated);
}

function showSummary() {
  const event = profile.events[state.event];
  const totals = profile.runs.map((_, run) => state.tree.total(run, state.event));
  const said = [`${event[0]}: `];
  if (profile.isComparison) {
    const [old, recent] = totals;
    said.push(`${formatCost(old, event)} → `,
      element("strong", { id: "total" }, formatCost(recent, event)),
      ` (${formatSigned(recent - old)}, ${formatChange(old, recent)})`);
  } else {
    const sampled = state.tree.total(0, state.tree.sampledPart(state.event));
    said.push(element("strong", { id: "total" }, formatCost(totals[0], event, sampled)));
  }
  if (event[2]) said.push(` ${event[2]}`);
  if (state.shownTrees) said.push(` · ${choices[state.shownTrees].label} alone`);
  else if (choices.length > 1) said.push(` · ${whatIsAddedUp(profile.trees)}`);
  said.push(` · ${formatNumber(state.tree.shown)} frames`);
  if (profile.leftOut) {
    const count = formatNumber(profile.leftOut);
    said.push(` · ${count} of the smallest bundled; sums are exact`);
  }
  said.push(profile.sampled ? ` · sampled${samplesSaid()}` : " · counted");
  byId("summary").replaceChildren(...said);
}

// What else the graph is of than the whole run; nothing if it is of that.
function graphIsOf() {
  return state.shownTrees ? choices[state.shownTrees].label : "";
}

// How many samples there are of what is shown, if the profile says so.
function samplesSaid() {
  const { tree } = state;
  const samples = samplesEvent(profile);
  if (samples < 0 || !tree.hasEvent(samples)) return "";
  const count = formatNumber(tree.total(profile.last, samples));
  const interval = profile.events.some(({ period }) => period)
    ? "; ± holds the true value in 95 of 100 runs" : "";
  return `: ${count} samples${interval}`;
}

function showMatched() {
  byId("search").classList.toggle("wrong", Boolean(state.search) && !state.matches);
  byId("match-place").textContent = "";
  for (const id of ["next-match", "previous-match"]) byId(id).disabled = !state.matches;
  if (!state.matches) {
    byId("matched").textContent = "";
    return;
  }
  const count = state.matches.reduce((sum, match) => sum + match, 0);
  const { tree, event } = state;
  const run = runOfWidth(state.width);
  const below = state.view === "calls" ? state.focus : ROOT;
  const cost = tree.matchedCost(state.matches, run, event, below);
  const share =
    formatShare(cost, tree.inclusiveCost(run, event, below), profile.events[event]);
  const functions = count === 1 ? "1 function" : `${formatNumber(count)} functions`;
  byId("matched").textContent = count ? `${functions}, ${share}` : "nothing found";
}

function showControls() {
  byId("event").value = String(state.event);
  byId("trees").value = String(state.shownTrees);
  for (const name of ["view", "order", "colour", "width"]) byId(name).value = state[name];
  const isTimeline = state.view === "timeline"; // which has one time, and one order
  for (const id of ["event", "trees", "order", "layout"]) byId(id).disabled = isTimeline;
  document.querySelector(`input[name=layout][value=${state.layout}]`).checked = true;
  if (byId("search").value !== state.search) byId("search").value = state.search;
  byId("reset").disabled = state.focus === ROOT && state.fn === NOBODY &&
    state.view !== "sandwich" && !state.span && !state.call;
  byId("legend").hidden = state.colour !== "change";
}

// --- Actions ---------------------------------------------------------------------------

async function chooseEvent(event) {
  await updateWhen(state.tree.loadEvent(event), { event });
}

async function chooseView(view) {
  if (view === "timeline") await updateWhen(moments.load(), { view, zoom: "" });
  else update({ view, zoom: "" });
}

// Of the event that says how many bytes were held when the program held most; or -1.
const PEAK = profile.events.findIndex(([name]) => name === "peakSize");

// All paths that lead to what was held then.
async function showPeak() {
  const changes = { event: PEAK, view: "calls", zoom: "", fn: NOBODY, selected: ROOT };
  await updateWhen(state.tree.loadEvent(PEAK), changes);
}

async function chooseTab(tab) {
  if (tab === "lines") await updateWhen(sourceLines.load(), { tab });
  else update({ tab });
}

// Have a frame's numbers shown, without zooming where it can be seen.
function select(frame, pane = 0) {
  if (state.view === "sandwich") {
    update({ fn: state.views[pane].functions[frame], tab: "frame" });
  } else if (graph.has(0, frame)) {
    const changes = { selected: frame, fn: NOBODY, tab: "frame" };
    ask(changes);
    Object.assign(state, changes);
    markFrames();
    showNumbers();
    graph.reveal(0, frame);
    address.write(linked(), false);
  } else {
    zoomTo(frame);
  }
  announce(state.views[0], state.selected);
}

// In a sandwich arrows and the search go from frame to frame; its function stays.
function goTo(pane, frame) {
  Object.assign(state, { pane, selected: frame });
  markFrames();
  graph.reveal(frame === ROOT ? 1 : pane, frame);
  announce(state.views[pane], frame);
}

function zoomTo(frame) {
  const zoom = frame === ROOT ? "" : state.views[0].keyOf(frame);
  update({ zoom, fn: state.view === "sandwich" ? state.fn : NOBODY, tab: "frame" });
  announce(state.views[0], state.focus);
}

function showAll() {
  const view = state.view === "sandwich" ? "calls" : state.view;
  update({ zoom: "", fn: NOBODY, view, tab: "frame", span: "", call: "" });
  if (view !== "timeline") graph.showRoots();
}

// While a hand moves the timeline it is drawn; the address follows when the hand rests.
let handRests = 0;
function look(span) {
  state.span = span;
  moments.draw();
  byId("reset").disabled = false;
  clearTimeout(handRests);
  handRests = setTimeout(() => address.write(linked(), false), SETTLED);
}

function showFunction(fn) {
  update({ fn, tab: "frame" });
}

function goToMatch(step) {
  if (!state.matches) return;
  if (state.view === "timeline") {
    const place = moments.goToMatch(step);
    byId("match-place").textContent = place;
    return;
  }
  const walk = state.walk ||
    new MatchWalk(state.views, state.matches, runOfWidth(state.width));
  const found = walk.go(step);
  if (!found) return;
  if (state.view === "sandwich") goTo(found.pane, found.frame);
  else select(found.frame);
  state.walk = walk; // an update has ended it
  byId("match-place").textContent = walk.place;
}

function shownFunction() {
  if (state.view === "timeline" && state.fn === NOBODY) {
    return moments.call === NO_CALL ? NOBODY : moments.timeline.functions[moments.call];
  }
  return state.fn === NOBODY ? state.views[0].functions[state.selected] : state.fn;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyByHand(text);
  }
  byId("status").textContent = `Copied: ${text.slice(0, LONGEST_LABEL)}`;
}

// Where the browser gives a page from the disk no clipboard.
function copyByHand(text) {
  const had = document.activeElement;
  const area = element("textarea", { value: text, readOnly: true });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  had.focus({ preventScroll: true });
}

function saveGraph() {
  const shown = state.view === "timeline" ? moments : graph;
  const file = new Blob([shown.asFile(profile.title)], { type: "image/svg+xml" });
  const url = URL.createObjectURL(file);
  const name = profile.title.replace(/[^\w.-]+/g, "-").slice(0, 60) || "graph";
  element("a", { href: url, download: `${name}.svg` }).click();
  URL.revokeObjectURL(url);
}

function isDark() {
  return state.theme === "dark" || (state.theme === "auto" && darkMedia.matches);
}

function chooseTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  byId("theme").textContent = `Theme: ${theme}`;
  colours.dark = isDark();
  redrawGraph();
}

function announce(view, frame) {
  byId("status").textContent =
    `${describe(view, frame)} · ` +
    profile.functionName(view.functions[frame]).slice(0, LONGEST_LABEL);
}

function describe(view, frame) {
  const event = profile.events[state.event];
  const cost = view.cost(frame, profile.last);
  const total = state.tree.total(profile.last, state.event);
  const part = state.tree.sampledPart(state.event);
  const sampled = part === state.event ? cost
    : view.numbers(frame, profile.last, part).inclusive;
  let text = `${formatCost(cost, event, sampled)} ${event[0]}, ` +
    formatShare(cost, total, event);
  if (profile.isComparison) {
    const old = view.cost(frame, 0);
    text += `, ${formatSigned(cost - old)} (${formatChange(old, cost)})`;
  }
  return text;
}
