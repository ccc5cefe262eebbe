// SPDX-License-Identifier: GPL-2.0-or-later
//
// Colours of frames.
//
// Owns: what a colour says.  In a profile: the object or the source file, each with a hue
// of its own, the program's warm; the name changes the shade a little.  In a comparison:
// red has grown, blue has shrunk, grey is as before.  What matches a search has a colour
// of its own, and all else is pale meanwhile.

const PROGRAM_HUE = 32;
const OTHER_HUES = [205, 145, 265, 95, 180, 330, 55, 235, 0, 120];
const KIND_HUES = { k: 12, j: 130 };
const COLOURINGS = ["object", "file", "change"];

class Colours {
  constructor(profile) {
    this.profile = profile;
    this.dark = false;
    this.by = profile.isComparison ? "change" : "object";
    const { functions } = profile;
    this.hues = {
      object: this.huesOf(functions.map((found) => found[1]), this.program()),
      file: this.huesOf(functions.map((found) => found[2]), undefined),
    };
  }

  // By group; the commonest function's comes first where none is the program's.
  huesOf(groups, program) {
    const hues = new Map();
    let next = 0;
    for (const group of new Set(groups)) {
      const isProgram = program === undefined ? !hues.size : group === program;
      hues.set(group,
        isProgram ? PROGRAM_HUE : OTHER_HUES[next++ % OTHER_HUES.length]);
    }
    return hues;
  }

  // The object that the command line names.
  program() {
    const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
    const { runs, last, objects } = this.profile;
    const command = baseName(runs[last].command.split(" ")[0]);
    const found = objects.findIndex((path) =>
      command !== "" && baseName(path).startsWith(command));
    return found < 0 ? undefined : found;
  }

  // Of a frame; change is the relative change from -1 to 1 in a comparison, else null.
  of(view, frame, matches, change) {
    const found = view.functions[frame];
    if (!matches) return this.withoutSearch(view, frame, found, change);
    if (matches[found]) return this.dark ? "hsl(312 70% 40%)" : "hsl(312 85% 78%)";
    return this.dimmed(this.withoutSearch(view, frame, found, change));
  }

  // That hue with little of it, near the ground.
  dimmed(colour) {
    const [hue, saturation, light] = colour.match(/[\d.]+/g).map(Number);
    const ground = this.dark ? 14 : 97;
    return `hsl(${hue} ${(saturation * 0.3).toFixed(1)}% ` +
      `${(ground + 0.3 * (light - ground)).toFixed(1)}%)`;
  }

  // Of frames that are too narrow to be drawn, together.
  get ofRest() {
    return this.dark ? "hsl(220 8% 24%)" : "hsl(220 10% 93%)";
  }

  withoutSearch(view, frame, found, change) {
    if (found === NOBODY) return this.dark ? "hsl(220 8% 34%)" : "hsl(220 10% 84%)";
    if (this.by === "change") return this.ofChange(change || 0);
    const kind = view.kindOf(frame);
    if ("sptb".includes(kind)) return this.dark ? "hsl(220 6% 40%)" : "hsl(220 8% 76%)";
    const [name, object, source] = this.profile.functions[found];
    const hue = this.by === "file" ? this.hues.file.get(source)
      : KIND_HUES[kind] ?? this.hues.object.get(object);
    const shade = shadeOf(name);
    const turned = hue + 16 * (shade - 0.5);
    if (this.dark) return `hsl(${turned.toFixed(1)} 48% ${(27 + 9 * shade).toFixed(1)}%)`;
    return `hsl(${turned.toFixed(1)} 82% ${(70 + 11 * shade).toFixed(1)}%)`;
  }

  ofChange(change) {
    const strength = Math.sqrt(Math.abs(change));
    if (strength < 0.02) return this.dark ? "hsl(220 5% 36%)" : "hsl(220 10% 88%)";
    const hue = change > 0 ? 6 : 214;
    const [least, light] = this.dark ? [25, 34 + 6 * strength] : [45, 89 - 21 * strength];
    return `hsl(${hue} ${(least + 45 * strength).toFixed(1)}% ${light.toFixed(1)}%)`;
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
