/** Completion of names after @ in a text field. */

import { make } from "../dom.js";
import { composing } from "./keys.js";

const BEFORE = /(?:^|[^\w@])@([\w.@+-]*)$/;
const MOST = 6;

/** @typedef {{id: number, username: string, name: string}} Member */

/** The members whose names begin with, or else hold, what was typed. @param {Member[]} members @param {string} typed @returns {Member[]} */
export function matching(members, typed) {
  const wanted = typed.toLowerCase();
  const rank = (/** @type {Member} */ one) => (one.username.toLowerCase().startsWith(wanted) ? 0
    : [one.username, one.name].some((text) => text.toLowerCase().includes(wanted)) ? 1 : 2);
  return members.filter((one) => rank(one) < 2).sort((a, b) => rank(a) - rank(b)).slice(0, MOST);
}

/** Text of a comment with the members that it names as elements. @param {string} text @param {Member[]} members @returns {(Node|string)[]} */
export function withMentions(text, members) {
  const known = new Set(members.map((one) => one.username));
  return text.split(/((?<![\w@])@[\w.@+-]+)/).map((piece) => {
    const name = piece.startsWith("@") ? [piece.slice(1), piece.slice(1).replace(/\.+$/, "")].find((one) => known.has(one)) : undefined;
    return name ? make("span", { class: "mention", text: piece }) : piece;
  });
}

export class Mentions {
  /** @param {HTMLTextAreaElement} area @param {HTMLElement} list an empty listbox @param {Member[]} members */
  constructor(area, list, members) {
    this.area = area;
    this.list = list;
    this.members = members;
    /** @type {Member[]} */
    this.shown = [];
    this.on = 0;
    area.addEventListener("input", () => this.#look());
    area.addEventListener("blur", () => this.#show([]));
    area.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const row = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("[role=option]"));
      if (row) this.#take(Number(row.dataset.row));
    });
  }

  get open() {
    return this.shown.length > 0;
  }

  #typed() {
    return BEFORE.exec(this.area.value.slice(0, this.area.selectionStart))?.[1];
  }

  #look() {
    const typed = this.#typed();
    this.#show(typed === undefined ? [] : matching(this.members, typed));
  }

  /** @param {Member[]} members */
  #show(members, on = 0) {
    this.shown = members;
    this.on = on;
    const { area, list } = this;
    list.hidden = !members.length;
    if (members.length) area.setAttribute("aria-activedescendant", `${list.id}-${on}`);
    else area.removeAttribute("aria-activedescendant");
    list.replaceChildren(...members.map((one, i) => make("li", {
      role: "option", id: `${list.id}-${i}`, "data-row": i, "aria-selected": String(i === on), class: i === on ? "on" : "",
    }, make("b", { text: `@${one.username}` }), one.name === one.username ? null : make("span", { class: "muted", text: one.name }))));
    if (members.length) list.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (composing(event) || !this.open) return;
    const moves = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 });
    if (moves[event.key]) this.#show(this.shown, (this.on + moves[event.key] + this.shown.length) % this.shown.length);
    else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") this.#take(this.on);
    else if (event.key === "Escape") this.#show([]);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** @param {number} row */
  #take(row) {
    const typed = this.#typed() ?? "";
    const { area } = this;
    const at = area.selectionStart;
    area.setRangeText(`${this.shown[row].username} `, at - typed.length, at, "end");
    this.#show([]);
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
