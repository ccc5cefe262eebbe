// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which trees can be chosen: all, a process, a part, a thread.
//
// Owns: their names.

const ALL_TREES = 0; // the number of the choice that is shown first

// [{label, test(tree)}]
function treeChoices(tree) {
  const { trees } = tree.profile;
  const choices = [{ label: "all", test: () => true }];
  // labelOf(of): of several trees that belong together.
  const each = (keyOf, labelOf) => {
    const groups = new Map();
    for (const one of trees) {
      const key = keyOf(one);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(one);
    }
    if (groups.size < 2) return;
    for (const [key, of] of groups) {
      choices.push({ label: labelOf(of), test: (other) => keyOf(other) === key });
    }
  };
  const pid = (one) => one.process[0];
  const several = new Set(trees.map(pid)).size > 1;
  each(pid, (of) => named("process", of.map((one) => one.process)));
  each((one) => one.part[0], (of) => named("part", of.map((one) => one.part)));
  each((one) => `${pid(one)} ${one.thread[0]}`, (of) =>
    (several ? `process ${pid(of[0])}, ` : "") +
    named("thread", of.map((one) => one.thread)));
  return distinct(choices);
}

// What is added up where all trees are shown: `5 threads`.
function whatIsAddedUp(trees) {
  const count = (what, keyOf) => {
    const { size } = new Set(trees.map(keyOf));
    return size > 1 ? [`${formatNumber(size)} ${what}`] : [];
  };
  const pid = (one) => one.process[0];
  const found = [...count("processes", pid), ...count("parts", (one) => one.part[0]),
    ...count("threads", (one) => `${pid(one)} ${one.thread[0]}`)];
  return `all ${found.join(", ")} together`;
}

// Of [[number, name]] with one number; a thread may be given its name, or another one,
// after a part was written: the last one holds.
function named(what, found) {
  const name = found.map((one) => one[1]).filter(Boolean).at(-1);
  return `${what} ${found[0][0]}${name ? `: ${name}` : ""}`;
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
