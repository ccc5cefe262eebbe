// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is shown, and all that changes it: choices, mouse, keys.
//
// Owns: the state of the page.  Every change goes through an action below, which then has
// drawn what depends on it.

const profile = new Profile(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const THEMES = ["auto", "light", "dark"];

const state = {
  tree: null,
  colours: null,
  event: 0,
  layout: "flame",
  width: "new",
  focus: ROOT, // the frame that has the whole width
  selected: ROOT, // the frame whose numbers are shown
  shownFunction: NOBODY, // instead of a frame
  matches: null, // by function, while there is a search
  theme: "auto",
  widths: null,
  cachedSums: null,
  sums() {
    this.cachedSums = this.cachedSums || this.tree.functionSums(this.event);
    return this.cachedSums;
  },
};

const choices = profile.treeChoices();
const darkMedia = window.matchMedia("(prefers-color-scheme: dark)");
const graph = new Graph(byId("graph"), colourOf, { click: clicked, hover: hovered });
const panel = new Panel(byId("frame"), byId("functions"), {
  showNode: (node) => zoomTo(node),
  showFunction,
});

// --- Drawing -----------------------------------------------------------------------------

function changeOf(node) {
  if (!profile.isComparison) return null;
  const [old, recent] = state.tree.inclusiveCosts.map((run) => run[state.event][node]);
  const larger = Math.max(old, recent);
  return larger ? (recent - old) / larger : 0;
}

function colourOf(node) {
  return state.colours.ofNode(node, state.matches, changeOf(node));
}

function drawGraph() {
  const { tree, widths, order, focus, layout } = state;
  graph.draw({ tree, widths, order, focus, layout });
  markFrames();
}

function markFrames() {
  const found = state.shownFunction;
  graph.mark(found === NOBODY ? state.selected : NOBODY,
    (node) => found !== NOBODY && state.tree.functions[node] === found);
}

function showNumbers() {
  if (state.shownFunction === NOBODY) panel.showFrame(state);
  else panel.showFunction(state, state.shownFunction);
  showPath();
}

function showPath() {
  const path = state.tree.pathTo(state.focus);
  const shown = path.length > 6 ? [path[0], null, ...path.slice(-4)] : path;
  const items = shown.map((node) => {
    if (node === null) return `… ${path.length - 5} more`;
    const name = profile.functionName(state.tree.functions[node]).slice(0, 60);
    return link(name, () => zoomTo(node));
  });
  byId("path").replaceChildren(...items.flatMap((item, i) => (i ? [" › ", item] : [item])));
  byId("reset").disabled = state.focus === ROOT;
}

function showSummary() {
  const event = profile.events[state.event];
  const totals = profile.runs.map((_, run) =>
    state.tree.inclusiveCosts[run][state.event][ROOT]);
  const said = [`${event[0]}: `];
  if (profile.isComparison) {
    const [old, recent] = totals;
    said.push(`${formatCost(old, event)} → `,
      element("strong", { id: "total" }, formatCost(recent, event)),
      ` (${formatSigned(recent - old)}, ${formatChange(old, recent)})`);
  } else {
    said.push(element("strong", { id: "total" }, formatCost(totals[0], event)));
  }
  if (event[2]) said.push(` ${event[2]}`);
  said.push(` · ${formatNumber(state.tree.size - 1)} frames`);
  if (profile.leftOut) {
    said.push(` · ${formatNumber(profile.leftOut)} of the smallest bundled; sums are exact`);
  }
  if (profile.sampled) said.push(" · sampled");
  byId("summary").replaceChildren(...said);
}

function showMatched() {
  if (!state.matches) {
    byId("matched").textContent = "";
    return;
  }
  const count = state.matches.reduce((sum, match) => sum + match, 0);
  const { tree, widths, focus } = state;
  const cost = tree.matchedCost(state.matches, widths, focus);
  const share = formatShare(cost, widths[focus]);
  const functions = count === 1 ? "1 function" : `${formatNumber(count)} functions`;
  byId("matched").textContent = count ? `${functions}, ${share}` : "nothing found";
}

// What a change of event, width or trees brings with it.
function recompute() {
  state.widths = state.tree.widths(state.event, state.width);
  // In a comparison frames keep their places when the width's meaning changes.
  state.order = profile.isComparison ? state.tree.widths(state.event, "both") : state.widths;
  state.cachedSums = null;
  drawAll();
}

function drawAll() {
  drawGraph();
  showSummary();
  showNumbers();
  showMatched();
  if (!byId("functions").hidden) panel.showFunctions(state);
}

// --- Actions -----------------------------------------------------------------------------

function chooseTrees(number) {
  state.tree = new MergedTree(profile, choices[number][1]);
  state.colours = new Colours(state.tree);
  state.colours.setDark(isDark());
  Object.assign(state, { focus: ROOT, selected: ROOT, shownFunction: NOBODY });
  recompute();
  graph.showRoots();
}

function chooseEvent(number) {
  state.event = number;
  byId("event").value = String(number);
  recompute();
}

function chooseLayout(layout) {
  state.layout = layout;
  document.querySelector(`input[name=layout][value=${layout}]`).checked = true;
  drawGraph();
  graph.showRoots();
}

function select(node) {
  state.selected = node;
  state.shownFunction = NOBODY;
  markFrames();
  showNumbers();
  chooseTab("frame");
  if (!graph.reveal(node)) zoomTo(node);
  announce(node);
}

function zoomTo(node) {
  Object.assign(state, { focus: node, selected: node, shownFunction: NOBODY });
  drawAll();
  chooseTab("frame");
  graph.reveal(node);
  announce(node);
}

function showFunction(index) {
  state.shownFunction = index;
  markFrames();
  showNumbers();
  chooseTab("frame");
}

function search(text) {
  state.matches = null;
  byId("search").classList.remove("wrong");
  if (text) {
    const test = testOf(text);
    if (test) {
      state.matches = Uint8Array.from(profile.functions, ([name]) => (test(name) ? 1 : 0));
    } else {
      byId("search").classList.add("wrong");
    }
  }
  drawGraph();
  showMatched();
  if (!byId("functions").hidden) panel.showFunctions(state);
}

// How a name is tested; null where the regular expression is none.
function testOf(text) {
  const between = /^\/(.+)\/(i?)$/.exec(text);
  if (!between) {
    const wanted = text.toLowerCase();
    return (name) => name.toLowerCase().includes(wanted);
  }
  try {
    const expression = new RegExp(between[1], between[2]);
    return (name) => expression.test(name);
  } catch {
    return null;
  }
}

function chooseTab(name) {
  for (const each of ["frame", "functions"]) {
    byId(each).hidden = each !== name;
    byId(`tab-${each}`).setAttribute("aria-selected", String(each === name));
  }
  if (name === "functions") panel.showFunctions(state);
}

function isDark() {
  return state.theme === "dark" || (state.theme === "auto" && darkMedia.matches);
}

function chooseTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  byId("theme").textContent = `Theme: ${theme}`;
  if (state.colours) {
    state.colours.setDark(isDark());
    drawGraph();
  }
}

function announce(node) {
  byId("status").textContent = describe(node);
}

function describe(node) {
  const cost = state.tree.inclusiveCosts[profile.last][state.event][node];
  const total = state.tree.inclusiveCosts[profile.last][state.event][ROOT];
  const name = profile.functionName(state.tree.functions[node]).slice(0, LONGEST_LABEL);
  const event = profile.events[state.event];
  let text = `${name}: ${formatCost(cost, event)} ${event[0]}, ${formatShare(cost, total)}`;
  if (profile.isComparison) {
    const old = state.tree.inclusiveCosts[0][state.event][node];
    text += `, ${formatSigned(cost - old)} (${formatChange(old, cost)})`;
  }
  return text;
}

// --- Mouse and keys ----------------------------------------------------------------------

function clicked(node) {
  byId("graph").focus({ preventScroll: true });
  zoomTo(node);
}

function hovered(node, event) {
  const tip = byId("tip");
  tip.hidden = node === NOBODY;
  if (node === NOBODY) return;
  const [name, ...numbers] = [profile.functionName(state.tree.functions[node]),
    describe(node).slice(describe(node).lastIndexOf(": ") + 2)];
  const kind = KIND_WORDS[state.tree.kinds[node]];
  tip.replaceChildren(element("b", {}, name.slice(0, LONGEST_LABEL)),
    element("br"), numbers.join(""), kind ? ` · ${kind}` : "");
  const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const above = event.clientY + 18 + tip.offsetHeight > window.innerHeight;
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${above ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18}px`;
}

// The frame that an arrow key leads to, as the frames are drawn.
function nextFrame(node, key) {
  const { tree, widths, order } = state;
  const towardsRoots = state.layout === "flame" ? "ArrowDown" : "ArrowUp";
  const sorted = (nodes) => nodes.filter((each) => widths[each])
    .sort((one, other) => order[other] - order[one]);
  const parent = tree.parents[node];
  if (key === towardsRoots) return parent;
  if (key === "ArrowUp" || key === "ArrowDown") return sorted(tree.childrenOf(node))[0];
  if (parent === NOBODY) return NOBODY;
  const siblings = sorted(tree.childrenOf(parent));
  return siblings[siblings.indexOf(node) + (key === "ArrowRight" ? 1 : -1)];
}

function graphKey(event) {
  if (event.key.startsWith("Arrow")) {
    const next = nextFrame(state.selected, event.key);
    if (next !== undefined && next !== NOBODY) select(next);
  } else if (event.key === "Enter") {
    zoomTo(state.selected);
  } else if (event.key === "Backspace") {
    const parent = state.tree.parents[state.focus];
    if (parent !== NOBODY) zoomTo(parent);
  } else {
    return;
  }
  event.preventDefault();
}

function pageKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") {
    if (event.target === byId("search")) byId("search").value = "";
    search(byId("search").value);
    zoomTo(ROOT);
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) &&
      event.target.type !== "radio") return;
  const actions = {
    "/": () => byId("search").focus(),
    e: () => chooseEvent((state.event + 1) % profile.events.length),
    l: () => chooseLayout(state.layout === "flame" ? "icicle" : "flame"),
    t: nextTheme,
  };
  const action = actions[event.key.toLowerCase()];
  if (action) {
    action();
    event.preventDefault();
  }
}

function nextTheme() {
  chooseTheme(THEMES[(THEMES.indexOf(state.theme) + 1) % THEMES.length]);
}

// --- The beginning -----------------------------------------------------------------------

function fill(select, labels) {
  select.replaceChildren(...labels.map((label, i) =>
    element("option", { value: String(i) }, label)));
}

function begin() {
  fill(byId("event"), profile.events.map(([name]) => name));
  fill(byId("trees"), choices.map(([label]) => label));
  byId("trees-choice").hidden = choices.length < 2;
  byId("width-choice").hidden = !profile.isComparison;
  byId("legend").hidden = !profile.isComparison;
  byId("origin").textContent = `Made by callgrind_export from a tree of ${profile.creator}`;
  byId("event").addEventListener("change", (event) => chooseEvent(+event.target.value));
  byId("trees").addEventListener("change", (event) => chooseTrees(+event.target.value));
  byId("width").addEventListener("change", (event) => {
    state.width = event.target.value;
    recompute();
  });
  for (const radio of document.querySelectorAll("input[name=layout]")) {
    radio.addEventListener("change", () => chooseLayout(radio.value));
  }
  byId("search").addEventListener("input", (event) => search(event.target.value));
  byId("reset").addEventListener("click", () => zoomTo(ROOT));
  byId("theme").addEventListener("click", nextTheme);
  byId("tab-frame").addEventListener("click", () => chooseTab("frame"));
  byId("tab-functions").addEventListener("click", () => chooseTab("functions"));
  byId("graph").addEventListener("keydown", graphKey);
  document.addEventListener("keydown", pageKey);
  darkMedia.addEventListener("change", () => chooseTheme(state.theme));
  new ResizeObserver(() => drawGraph()).observe(byId("graph"));
  chooseTheme("auto");
  chooseTrees(0);
}

begin();
