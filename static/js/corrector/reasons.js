/** Why the last correction was made: one optional row of chips, asked after the model goes on. */

import { find, make } from "../dom.js";
import { gettext as _ } from "../text.js";

/** @returns {{code: string, label: string}[]} */
function usual() {
  return [
    { code: "wrong_fact", label: _("wrong fact") },
    { code: "reasoning", label: _("faulty reasoning") },
    { code: "instruction", label: _("ignores the task") },
    { code: "language", label: _("language") },
    { code: "tone", label: _("tone or style") },
    { code: "format", label: _("format") },
    { code: "unsafe", label: _("unsafe") },
    { code: "length", label: _("too long or short") },
    { code: "other", label: _("other") },
  ];
}

export class Reasons extends EventTarget {
  /** @param {HTMLElement} root @param {any[]|undefined} own reasons of the project: codes, or {code, label} */
  constructor(root, own) {
    super();
    this.root = root;
    this.list = own?.length ? own.map((one) => (typeof one === "string" ? { code: one, label: one } : one)) : usual();
    this.waiting = false;
    find("[data-chips]", root).addEventListener("click", (event) => {
      const chip = /** @type {HTMLElement} */ (event.target).closest("button");
      if (chip?.dataset.code) this.#give(chip.dataset.code);
    });
  }

  /** @param {string} code */
  #give(code) {
    this.wait(false);
    this.dispatchEvent(new CustomEvent("reason", { detail: code }));
  }

  /** @param {any} correction the last one, or undefined */
  draw(correction) {
    this.root.hidden = !correction;
    find("[data-chips]", this.root).replaceChildren(...this.list.slice(0, 9).map((one, i) => make("button", {
      type: "button", class: "chip choice", "data-code": one.code, "aria-pressed": String(correction?.reason === one.code),
    }, make("kbd", { text: i + 1 }), ` ${one.label}`)));
  }

  /** After `w` the next digit is a reason. @param {boolean} on */
  wait(on) {
    this.waiting = on && !this.root.hidden;
    this.root.classList.toggle("waiting", this.waiting);
  }

  /** @param {string} digit @returns {boolean} */
  digit(digit) {
    const chosen = this.list[Number(digit) - 1];
    this.wait(false);
    if (chosen) this.#give(chosen.code);
    return Boolean(chosen);
  }
}
