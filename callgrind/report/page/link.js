// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is shown, as the part of the page's address behind #.
//
// Owns: its form, name=value&name=value, without what is as it is at first.  A step that
// the reader would want to go back to is an entry of the browser's history.

const SHOWN_AT_FIRST = {
  view: "calls", layout: "flame", order: "heavy", colour: "", event: "", trees: "",
  width: "new", search: "", zoom: "", at: "", fn: "", tab: "frame", cost: "self",
  file: "", line: "", span: "", call: "", panel: "",
};

class Link {
  // arrived(values) when the address has been changed by other means.
  constructor(arrived) {
    this.written = window.location.hash;
    window.addEventListener("hashchange", () => {
      if (window.location.hash === this.written) return;
      this.written = window.location.hash;
      arrived(this.read());
    });
  }

  read() {
    const words = new URLSearchParams(window.location.hash.slice(1));
    const values = { ...SHOWN_AT_FIRST };
    for (const name of Object.keys(values)) {
      if (words.has(name)) values[name] = words.get(name);
    }
    return values;
  }

  write(values, isStep) {
    const words = new URLSearchParams();
    for (const [name, first] of Object.entries(SHOWN_AT_FIRST)) {
      if (values[name] !== first) words.set(name, values[name]);
    }
    const text = words.toString();
    const hash = text ? `#${text}` : "";
    if (hash === this.written) return;
    this.written = hash;
    // An empty part has to be written as well, or the old one would stay.
    const address = hash || "#";
    // Assigning to the location would look for a place of this name in the page, and lay
    // the page out for that.
    if (isStep) window.history.pushState(null, "", address);
    else window.history.replaceState(null, "", address);
    this.written = window.location.hash;
  }
}
