// SPDX-License-Identifier: GPL-2.0-or-later
//
// How numbers are written, and elements made.
//
// Owns: text goes into the page as text, never as markup: names come from programs.

const UNIT_SIGNS = {
  count: "", nanoseconds: " ns", microseconds: " µs", milliseconds: " ms", seconds: " s",
  bytes: " B", cycles: "", centicycles: " cycles",
};

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

function formatNumber(value) {
  return value.toLocaleString("en-US");
}

function formatCost(value, event) {
  if (value === null) return "–";
  const number = event[1] !== "centicycles" ? formatNumber(value)
    : (value / 100).toLocaleString("en-US", {
      minimumFractionDigits: 2, maximumFractionDigits: 2,
    });
  return number + UNIT_SIGNS[event[1]];
}

function formatShare(part, whole) {
  return whole && part !== null ? `${((100 * part) / whole).toFixed(2)}%` : "–";
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

function link(text, action) {
  return element("button", { type: "button", className: "link", onclick: action }, text);
}

function button(text, title, action) {
  return element("button", { type: "button", title, onclick: action }, text);
}
