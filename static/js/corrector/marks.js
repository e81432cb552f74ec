/** Marks in the text without elements of their own: CSS Custom Highlights, where the browser has them. */

import { throttle } from "../dom.js";
import { rangeOf } from "./anchors.js";

const REDRAW_MS = 60;

/** @typedef {import("./anchors.js").Place} Place */

export class Marks {
  /** @param {import("./pane.js").Pane} pane */
  constructor(pane) {
    this.pane = pane;
    /** @type {Map<string, Place[]>} */
    this.places = new Map();
    this.draw = throttle(() => this.#draw(), REDRAW_MS);
    pane.addEventListener("drawn", this.draw);
    pane.blocks.onswap = this.draw;
  }

  /** @param {string} name of the highlight @param {Place[]} places */
  set(name, places) {
    this.places.set(name, places);
    this.draw();
  }

  #draw() {
    const { path, blocks } = this.pane;
    if (!path || !("highlights" in CSS)) return;
    for (const [name, places] of this.places) {
      const ranges = places.map((place) => rangeOf(blocks, path, place)).filter((range) => range !== null);
      if (ranges.length) CSS.highlights.set(name, new Highlight(.../** @type {Range[]} */ (ranges)));
      else CSS.highlights.delete(name);
    }
  }
}
