// SPDX-License-Identifier: GPL-2.0-or-later
//
// Colours of frames.
//
// Owns: what a colour says.  In a profile: the object, each with a hue of its own, the
// program's warm; the name changes the shade a little.  In a comparison: red has grown,
// blue has shrunk, grey is as before.  What matches a search has a colour of its own.

const PROGRAM_HUE = 32;
const OBJECT_HUES = [205, 145, 265, 95, 180, 330, 55, 235, 0, 120];
const KIND_HUES = { k: 12, j: 130 };

class Colours {
  constructor(tree) {
    this.tree = tree;
    this.profile = tree.profile;
    this.hues = new Map();
    const found = new Set();
    for (const index of tree.functions) {
      if (index !== NOBODY) found.add(this.profile.functions[index][1]);
    }
    const program = this.programAmong([...found]);
    let next = 0;
    for (const object of found) {
      if (object === program) this.hues.set(object, PROGRAM_HUE);
      else this.hues.set(object, OBJECT_HUES[next++ % OBJECT_HUES.length]);
    }
  }

  // The object that the command line names; else the first one that was met.
  programAmong(objects) {
    const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
    const run = this.profile.runs[this.profile.last];
    const command = baseName(run.command.split(" ")[0]);
    const named = (object) => object !== NOBODY && command !== "" &&
      baseName(this.profile.objects[object]).startsWith(command);
    return objects.find(named) ?? objects[0];
  }

  setDark(dark) {
    this.dark = dark;
  }

  // Of a frame; change is the relative change from -1 to 1 in a comparison, else null.
  ofNode(node, matches, change) {
    const found = this.tree.functions[node];
    if (found === NOBODY) return this.dark ? "hsl(220 8% 34%)" : "hsl(220 10% 84%)";
    if (matches && matches[found]) {
      return this.dark ? "hsl(312 70% 46%)" : "hsl(312 85% 74%)";
    }
    if (change !== null) return this.ofChange(change);
    const kind = this.tree.kinds[node];
    if ("sptb".includes(kind)) return this.dark ? "hsl(220 6% 40%)" : "hsl(220 8% 76%)";
    const hue = KIND_HUES[kind] ?? this.hues.get(this.profile.functions[found][1]);
    const shade = shadeOf(this.profile.functions[found][0]);
    if (this.dark) return `hsl(${hue + 16 * (shade - 0.5)} 48% ${33 + 9 * shade}%)`;
    return `hsl(${hue + 16 * (shade - 0.5)} 82% ${68 + 11 * shade}%)`;
  }

  ofChange(change) {
    const strength = Math.sqrt(Math.abs(change));
    if (strength < 0.02) return this.dark ? "hsl(220 5% 36%)" : "hsl(220 10% 88%)";
    const hue = change > 0 ? 6 : 214;
    if (this.dark) return `hsl(${hue} ${25 + 45 * strength}% ${36 + 8 * strength}%)`;
    return `hsl(${hue} ${45 + 45 * strength}% ${89 - 23 * strength}%)`;
  }
}

// From 0 to 1, the same for the same name.
function shadeOf(name) {
  let hash = 2166136261;
  for (let i = 0; i < name.length && i < 200; i++) {
    hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  }
  return ((hash >>> 8) & 0xff) / 255;
}
