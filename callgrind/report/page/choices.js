// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which trees can be chosen: all, a process, a part, a thread.
//
// Owns: their names, their shares, and which one is shown first: the costliest thread or
// process, since a sum of several looks like one that does all of it.

// [{label, test(tree), what, cost}]; costs are those of the first event, of the last run.
function treeChoices(tree) {
  const { profile } = tree;
  const { trees } = profile;
  const costs = costsOfTrees(tree);
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  const choices = [{ label: "all", what: "all", cost: all, test: () => true }];
  const each = (what, keyOf, labelOf) => {
    if (new Set(trees.map(keyOf)).size < 2) return;
    const seen = new Map();
    trees.forEach((one, number) => {
      const key = keyOf(one);
      if (!seen.has(key)) {
        const label = labelOf(one);
        seen.set(key, { label, what, cost: 0, test: (other) => keyOf(other) === key });
      }
      seen.get(key).cost += costs[number];
    });
    choices.push(...seen.values());
  };
  const pid = (one) => one.process[0];
  const named = (what, [number, name]) => `${what} ${number}${name ? `: ${name}` : ""}`;
  const several = new Set(trees.map(pid)).size > 1;
  each("process", pid, (one) => named("process", one.process));
  each("part", (one) => one.part[0], (one) => named("part", one.part));
  each("thread", (one) => `${pid(one)} ${one.thread[0]}`, (one) =>
    (several ? `process ${pid(one)}, ` : "") + named("thread", one.thread));
  return distinct(choices);
}

// What each tree costs; trees of an old run cost nothing here.
function costsOfTrees(tree) {
  const { profile } = tree;
  const costs = profile.trees.map(() => 0);
  if (!profile.trees.length) return costs;
  if (profile.trees.length === 1) return [tree.total(profile.last, 0)];
  tree.eachEntry(tree.eventColumns[0], (number, _, cost) => {
    if (profile.trees[number].run === profile.last) costs[number] += cost;
  });
  return costs;
}

// Labels are what a link names; so no two are the same.
function distinct(choices) {
  const met = new Map();
  for (const choice of choices) {
    const times = (met.get(choice.label) || 0) + 1;
    met.set(choice.label, times);
    if (times > 1) choice.label += ` (${times})`;
  }
  return choices;
}

// The number of the choice that is shown first.
function firstChoice(profile, choices) {
  if (profile.isComparison) return 0;
  for (const what of ["thread", "process"]) {
    const found = choices.filter((choice) => choice.what === what);
    if (!found.length) continue;
    const costliest = found.reduce((one, other) => (other.cost > one.cost ? other : one));
    return choices.indexOf(costliest);
  }
  return 0;
}
