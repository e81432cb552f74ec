/** The mode one is in, said by the badge, the foot line and to screen readers. */

import { make } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { BINDINGS, bindingOf, face, switchedOff } from "./keys.js";
import { keyChanges } from "./keytable.js";

/** @typedef {import("./keys.js").Mode} Mode */

/** @returns {Record<Mode, {name: string, says: string}>} */
function words() {
  return {
    read: { name: _("READ"), says: _("Reading") },
    locate: { name: _("LOCATE"), says: _("Locating: move to the first unsuitable token and mark it") },
    pick: { name: _("PICK"), says: _("Choosing a candidate") },
    type: { name: _("TYPE"), says: _("Writing your own text") },
    continue: { name: _("CONTINUE"), says: _("The model goes on from your correction") },
  };
}

export class Modes extends EventTarget {
  /** @param {{badge: HTMLElement, hints: HTMLElement, live: HTMLElement, desk: HTMLElement}} places */
  constructor(places) {
    super();
    this.places = places;
    this.words = words();
    /** @type {Mode} */
    this.mode = "read";
    keyChanges.addEventListener("changed", () => this.#draw());
    this.#draw();
  }

  /** @param {Mode} mode */
  set(mode) {
    if (mode === this.mode) return;
    this.mode = mode;
    this.#draw();
    this.announce(this.words[mode].says);
    this.dispatchEvent(new Event("mode"));
  }

  #draw() {
    const { badge, hints, desk } = this.places;
    badge.textContent = this.words[this.mode].name;
    badge.dataset.mode = this.mode;
    desk.dataset.mode = this.mode;
    const shown = BINDINGS.filter((binding) => binding.foot && !switchedOff.has(binding.id) && binding.modes.includes(this.mode))
      .sort((a, b) => Number(a.modes.length > 3) - Number(b.modes.length > 3));
    hints.replaceChildren(...shown.map((binding) => make("span", { class: "hint" }, ...this.#caps(binding), ` ${binding.foot}`)));
  }

  /** @param {import("./keys.js").Binding} binding */
  #caps(binding) {
    const { keys, pair } = binding;
    if (keys.length > 3) return [make("kbd", { text: face(keys[0]) }), "–", make("kbd", { text: face(keys[keys.length - 1]) })];
    return [...(pair ? [make("kbd", { text: face(bindingOf(pair).keys[0]) })] : []), make("kbd", { text: face(keys[0]) })];
  }

  /** Say something to a screen reader. @param {string} text */
  announce(text) {
    this.places.live.textContent = "";
    this.places.live.textContent = text;
  }

  /** @param {number} number @param {string} text @param {string} chance */
  announceToken(number, text, chance) {
    this.announce(chance ? fill(_("token %(number)s: %(text)s, %(chance)s"), { number, text, chance }) : fill(_("token %(number)s: %(text)s"), { number, text }));
  }
}
