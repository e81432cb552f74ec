/** The candidate strip under the text: a list of fixed height with one row highlighted. */

import { make } from "../dom.js";
import { fill, gettext as _, percent } from "../text.js";
import { leading } from "./ahead.js";
import { visible } from "./display.js";

/** @typedef {import("./candidates.js").Choice} Choice */

/** @param {string} text @param {string|undefined} hex @param {string|undefined} name of a special token @returns {HTMLElement} */
export function tokenFace(text, hex, name) {
  if (name) return make("span", { class: "pill", text: name });
  return make("span", { class: "face", translate: "no" }, ...visible(text, hex).map((piece) => make("span", { class: piece.faint ? "sign" : "", text: piece.text })));
}

/** A token in words, for a screen reader. @param {string} text */
function spoken(text) {
  return text.replace(/^ +/, `${_("space")} `).replace(/\n/g, ` ${_("new line")} `).replace(/\t/g, ` ${_("tab")} `).trim() || _("space");
}

export class Strip extends EventTarget {
  /** @param {HTMLElement} list the listbox @param {Map<number, string>} special */
  constructor(list, special) {
    super();
    this.list = list;
    this.special = special;
    /** @type {Choice[]} */
    this.all = [];
    /** @type {Choice[]} */
    this.shown = [];
    this.on = 0;
    /** What would follow a candidate, by its id. @type {Map<number, string>} */
    this.after = new Map();
    /** Whether there may be any: then the leading rows keep a place for it, so that nothing moves when it comes. */
    this.ahead = false;
    /** @type {Set<number|null>} */
    this.leads = new Set();
    /** Was the last click made with Alt held? */
    this.alt = false;
    list.addEventListener("click", (event) => {
      this.alt = event.altKey;
      const row = /** @type {HTMLElement} */ (event.target).closest("[role=option]");
      if (row) this.dispatchEvent(new CustomEvent("choose", { detail: this.shown[Number(/** @type {HTMLElement} */ (row).dataset.row)] }));
    });
  }

  /** @param {Choice[]} rows @param {number} [on] */
  show(rows, on = 0) {
    this.after.clear();
    this.leads = new Set(leading(rows).map((row) => row.id));
    this.all = rows;
    this.#draw(rows, on);
  }

  clear() {
    this.after.clear();
    this.all = [];
    this.#draw([], 0);
  }

  /** Show what would follow a candidate. @param {import("./ahead.js").Ahead} ahead */
  follow(ahead) {
    this.after.set(ahead.candidate, ahead.rows.map((row) => this.special.get(row[0]) ?? row[1]).join(""));
    const i = this.shown.findIndex((row) => row.id === ahead.candidate && row.kind === "candidate");
    const element = /** @type {HTMLElement|undefined} */ (this.list.children[i]);
    if (element) this.#drawAfter(this.shown[i], element);
  }

  /** @param {Choice} row @param {HTMLElement} element */
  #drawAfter(row, element) {
    const text = this.after.get(row.id ?? -1);
    const place = element.querySelector(".after");
    if (!text || !place) return;
    place.textContent = text.replace(/\n/g, "↵").replace(/\t/g, "⇥");
    const i = Number(element.dataset.row);
    const label = this.#label(row, i, element.querySelector(".chance")?.textContent ?? "");
    element.setAttribute("aria-label", fill(_("%(candidate)s, followed by: %(text)s"), { candidate: label, text: spoken(text) }));
  }

  /** Keep the rows that hold the text. @param {string} text @returns {number} how many candidates are left */
  filter(text) {
    const wanted = text.trim().toLowerCase();
    const left = this.all.filter((row) => row.kind === "candidate" && row.text.trim().toLowerCase().startsWith(wanted));
    const near = this.all.filter((row) => row.kind === "candidate" && !left.includes(row) && row.text.toLowerCase().includes(wanted));
    this.#draw(wanted ? [...left, ...near] : this.all, 0);
    return left.length + near.length;
  }

  /** @param {Choice[]} rows @param {number} on */
  #draw(rows, on) {
    this.shown = rows;
    this.list.replaceChildren(...rows.map((row, i) => this.#row(row, i)));
    this.highlight(Math.min(on, rows.length - 1));
  }

  /** @param {Choice} row @param {number} i */
  #row(row, i) {
    const chance = row.kind === "end" && row.logprob === null ? "" : percent(row.logprob);
    const body = row.kind === "end" ? make("span", { class: "words", text: _("end") })
      : row.kind === "other" ? make("span", { class: "words", text: _("other …") })
        : tokenFace(row.text, row.hex, this.special.get(row.id ?? -1));
    if (row.kind === "candidate" && /^\n+$/.test(row.text)) body.append(make("span", { class: "words", text: row.text.length > 1 ? ` ${_("new line")} ×${row.text.length}` : ` ${_("new line")}` }));
    const element = make("div", {
      id: `candidate-${i}`, role: "option", class: `cand ${row.kind}${row.sampled ? " was" : ""}${row.twin ? " twin" : ""}`,
      "data-row": i, "data-testid": row.kind === "candidate" ? "candidate" : `candidate-${row.kind}`, "data-id": row.id,
      "aria-selected": "false", "aria-label": this.#label(row, i, chance),
    },
    make("kbd", { text: row.key || "·", class: row.key ? "" : "none" }), body,
    row.sampled && !(row.rank && row.rank <= 20) && row.kind === "candidate" ? make("span", { class: "note", text: row.rank ? fill(_("rank %(rank)s"), { rank: row.rank }) : _("rank > 20") }) : null,
    this.ahead && row.kind === "candidate" && this.leads.has(row.id) ? make("span", { class: "after", translate: "no" }) : null,
    row.kind === "candidate" ? make("span", { class: "id", text: `#${row.id}` }) : null,
    make("span", { class: "chance", text: chance }));
    for (const part of element.children) part.setAttribute("aria-hidden", "true");
    if (this.after.size) this.#drawAfter(row, element);
    element.style.setProperty("--part", row.logprob === null ? "0%" : `${(Math.exp(row.logprob) * 100).toFixed(2)}%`);
    return element;
  }

  /** @param {Choice} row @param {number} i @param {string} chance */
  #label(row, i, chance) {
    if (row.kind === "end") return fill(_("end of answer, %(chance)s, key 0"), { chance: chance || _("not listed") });
    if (row.kind === "other") return fill(_("other tokens together %(chance)s: write your own"), { chance });
    const values = { number: i + 1, count: this.all.filter((one) => one.kind === "candidate").length, text: spoken(row.text), chance };
    return row.sampled ? fill(_("candidate %(number)s of %(count)s, %(text)s, %(chance)s, the model wrote this"), values)
      : fill(_("candidate %(number)s of %(count)s, %(text)s, %(chance)s"), values);
  }

  /** @param {number} i */
  highlight(i) {
    this.list.querySelector(".on")?.classList.remove("on");
    this.list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    this.on = Math.max(0, i);
    const row = this.list.children[this.on];
    if (!row) {
      this.list.removeAttribute("aria-activedescendant");
      return;
    }
    row.classList.add("on");
    row.setAttribute("aria-selected", "true");
    this.list.setAttribute("aria-activedescendant", row.id);
    row.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.dispatchEvent(new Event("highlight"));
  }

  /** @param {number} by rows */
  move(by) {
    if (this.shown.length) this.highlight(Math.min(Math.max(this.on + by, 0), this.shown.length - 1));
  }

  /** Rows of one column, as the style sheet lays them. */
  get columnRows() {
    return getComputedStyle(this.list).gridTemplateRows.split(" ").length || 1;
  }

  /** @returns {Choice|undefined} */
  get highlighted() {
    return this.shown[this.on];
  }

  /** @param {string} key @returns {Choice|undefined} */
  byKey(key) {
    return this.all.find((row) => row.key === key);
  }
}
