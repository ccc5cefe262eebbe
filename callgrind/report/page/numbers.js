// SPDX-License-Identifier: GPL-2.0-or-later
//
// How numbers are written, and elements made.
//
// Owns: text goes into the page as text, never as markup: names come from programs.

const UNIT_SIGNS = {
  count: "", nanoseconds: " ns", microseconds: " µs", milliseconds: " ms", seconds: " s",
  bytes: " B", cycles: "", centicycles: " cycles",
};

const ROWS_AT_FIRST = 40;
const ROWS_AT_ONCE = 500;

const byId = (id) => document.getElementById(id);

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// A table has hundreds of numbers: what formats them is made once.
const WHOLE = new Intl.NumberFormat("en-US");
const HUNDREDTHS = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2, maximumFractionDigits: 2,
});

function formatNumber(value) {
  return WHOLE.format(value);
}

// event.period is what a sample stands for, where costs were sampled and not counted.
// event.isMeasured: a time that was not sampled, beside others that were.
// sampled: how much of the value was; tree.sampledPart() says which event that is.
function formatCost(value, event, sampled = value) {
  if (value === null) return "–";
  if (event.period) return formatEstimate(value, event, sampled);
  if (event.isMeasured) return formatMeasured(value);
  const number = event[1] !== "centicycles" ? formatNumber(value)
    : HUNDREDTHS.format(value / 100);
  return number + UNIT_SIGNS[event[1]];
}

// In a table whose heading has the unit.
function formatInTable(value, event, sampled = value) {
  return event.period || event.isMeasured ? formatCost(value, event, sampled)
    : formatNumber(value);
}

function formatMeasured(nanoseconds) {
  const digits = { minimumFractionDigits: 3, maximumFractionDigits: 3 };
  return `${(nanoseconds / 1e6).toLocaleString("en-US", digits)} ms`;
}

// Half of what lies, for so many samples, between the ends of an interval that holds the
// true value in 95 of 100 runs.
function halfOfInterval(samples) {
  return 1.96 * Math.sqrt(samples);
}

// With the digits that the samples justify: those of the interval's half, of which one is
// shown, or two that begin with 1.
function formatEstimate(value, event, sampled) {
  if (!value) return "0";
  if (!sampled) return formatMeasured(value);
  const [scale, unit] = event[1] === "nanoseconds" ? [1e6, " ms"]
    : [1, UNIT_SIGNS[event[1]] ?? ""];
  const half = (halfOfInterval(sampled / event.period) * event.period) / scale;
  const first = Math.floor(Math.log10(half));
  const power = half < 2 * 10 ** first ? first - 1 : first;
  const digits = Math.max(0, -power);
  const rounded = (number) => {
    const step = 10 ** Math.max(power, 0);
    return (Math.round(number / step) * step).toLocaleString("en-US", {
      minimumFractionDigits: digits, maximumFractionDigits: digits,
    });
  };
  return `${rounded(value / scale)}${unit} ±${rounded(half)}`;
}

// Of a share, too, the digits that the samples justify: of a percent, at most one.  What
// holds measured time as well has no more samples than there are.
function formatShare(part, whole, event) {
  if (!whole || part === null) return "–";
  const samples = event && event.period
    ? Math.min(whole / event.period, event.mostSamples ?? Infinity) : NaN;
  const digits = Number.isNaN(samples) ? 2 : samples < 10000 ? 0 : 1;
  return `${((100 * part) / whole).toFixed(digits)}%`;
}

function formatSigned(value) {
  if (!value) return "0";
  return value > 0 ? `+${formatNumber(value)}` : `−${formatNumber(-value)}`;
}

function formatChange(old, recent) {
  if (old === recent) return "0.00%";
  if (!old) return "new";
  if (!recent) return "gone";
  const change = (100 * (recent - old)) / old;
  return `${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(2)}%`;
}

function trendOf(change) {
  return change > 0 ? "worse" : change < 0 ? "better" : "";
}

function cell(text, properties) {
  return element("td", properties, text);
}

function blanks(count) {
  return Array.from({ length: count }, () => cell(""));
}

function row(cells) {
  return element("tr", {}, ...cells);
}

function table(name, titles, rows) {
  const head = titles.map((title) =>
    (title ? element("th", { scope: "col" }, title) : element("td", {})));
  return element("table", { className: name },
    element("thead", {}, row(head)), element("tbody", {}, ...rows));
}

// A table of many rows, of which the first are made, and others when they are asked for:
// rows that nobody looks at would be most of what a click takes.
function longTable(name, titles, items, rowOf) {
  const made = table(name, titles, items.slice(0, ROWS_AT_FIRST).map(rowOf));
  const [body] = made.tBodies;
  const more = button("", "Show more rows", () => {
    const shown = body.rows.length;
    body.append(...items.slice(shown, shown + ROWS_AT_ONCE).map(rowOf));
    say();
    const next = body.rows[shown].querySelector("button");
    if (more.hidden && next) next.focus();
  });
  const say = () => {
    const left = items.length - body.rows.length;
    more.hidden = left <= 0;
    more.textContent = left > ROWS_AT_ONCE
      ? `${ROWS_AT_ONCE} more of ${formatNumber(left)}` : `${formatNumber(left)} more`;
  };
  more.className = "more-rows";
  say();
  return [made, more];
}

function link(text, action) {
  return element("button", { type: "button", className: "link", onclick: action }, text);
}

function button(text, title, action) {
  return element("button", { type: "button", title, onclick: action }, text);
}
