// SPDX-License-Identifier: GPL-2.0-or-later
//
// The search: which functions match, and one matching frame after the other.
//
// Owns: what a search text means.

const MOST_MATCHES = 10000; // that can be gone to, the costliest

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

// By function, 1 where it matches; null where nothing is searched.
function matchesOf(profile, text) {
  const test = text ? testOf(text) : null;
  const isMatch = (name) => test(name) || test(shortAddress(name));
  return test &&
    Uint8Array.from(profile.functions, ([name]) => (isMatch(name) ? 1 : 0));
}

// The frames of a view that match, one after the other.
class MatchWalk {
  constructor(views, matches, run) {
    this.found = views.flatMap((view, pane) => view.matching(matches, run, MOST_MATCHES)
      .map((frame) => ({ pane, frame, cost: view.cost(frame, run) })));
    this.found.sort((one, other) => other.cost - one.cost);
    this.at = -1;
  }

  // {pane, frame}, or undefined.
  go(step) {
    const { length } = this.found;
    if (!length) return undefined;
    const before = this.at < 0 && step < 0 ? 0 : this.at;
    this.at = (before + step + length) % length;
    return this.found[this.at];
  }

  get place() {
    return `${formatNumber(this.at + 1)} of ${formatNumber(this.found.length)}`;
  }
}
