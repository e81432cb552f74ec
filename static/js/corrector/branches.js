/** The right column: corrections as a tree of branches that can be taken up again, and figures of this answer. */

import { make } from "../dom.js";
import { fill, gettext as _, ngettext, share } from "../text.js";
import { visible } from "./display.js";
import { ORIGIN } from "./path.js";
import { onward } from "./tails.js";

/** @typedef {import("./store.js").EpisodeStore} EpisodeStore */
/**
 * @typedef {{segment: string, on: boolean, old: boolean, level: number, place: string, from: string, to: string|null, tail: string}} Drawn
 * `old`: what it brings back was replaced
 */

const SNIPPET = 60;

/** The end of the branch that begins with a segment: follow what was continued from its last token.
 * @param {Segment[]} segments @param {string} id @returns {{segment: string, length: number}|null} */
export function tip(segments, id) {
  let at = segments.find((segment) => segment.id === id);
  for (let next = at && onward(segments, at); next; next = onward(segments, next)) at = next;
  return at && at.length !== null ? { segment: at.id, length: at.length } : null;
}

/**
 * @typedef {import("./tree.js").Segment} Segment
 * @typedef {{correction: any, level: number, parent: any}} Item a correction, and the one on whose branch it was made
 */

/** Corrections as a tree, each behind the one on whose branch it was made, or behind the first answer.
 * @param {Segment[]} segments @param {any[]} corrections @param {string} [first] the segment of the first answer @returns {Item[]} */
export function branchItems(segments, corrections, first = "") {
  const parents = new Map(segments.map((segment) => [segment.id, segment.parent]));
  const made = new Map(corrections.map((correction) => [correction.new_segment, correction]));
  /** @param {any} correction */
  const above = (correction) => {
    let at = /** @type {string|null|undefined} */ (correction.segment);
    while (at && !made.has(at)) at = parents.get(at);
    return at ? made.get(at) : null;
  };
  /** @param {any} correction */
  const inFirst = (correction) => {
    let at = /** @type {string|null|undefined} */ (correction.segment);
    while (at && at !== first) at = parents.get(at);
    return Boolean(at);
  };
  /** @type {Item[]} */
  const items = [];
  /** @param {any} parent @param {number} level */
  const list = (parent, level) => {
    for (const correction of corrections) {
      if (above(correction) !== parent) continue;
      const own = parent || !inFirst(correction) ? level : level + 1;
      items.push({ correction, level: own, parent });
      list(correction, own + 1);
    }
  };
  list(null, 1);
  return items;
}

/** @param {string} text @returns {Node[]} */
function signs(text) {
  return visible(text.slice(0, SNIPPET), undefined).map((piece) =>
    piece.faint ? make("span", { class: "sign", text: piece.text === "␣" ? " " : piece.text }) : document.createTextNode(piece.text));
}

/** Figures of the path after the prompt. @param {EpisodeStore} store */
export function figures(store) {
  let own = 0;
  let people = 0;
  let foreign = 0;
  for (const piece of store.path.pieces) {
    const tokens = piece.end - Math.max(piece.start, store.low);
    if (tokens <= 0) continue;
    if (piece.origin === ORIGIN.model) own += tokens;
    if (piece.origin === ORIGIN.foreign) foreign += tokens;
    if (piece.origin === ORIGIN.candidate || piece.origin === ORIGIN.human) people += tokens;
  }
  const onPath = new Set(store.path.pieces.map((piece) => piece.segment));
  const corrections = (store.episode?.corrections ?? []).filter((/** @type {any} */ one) => onPath.has(one.new_segment)).length;
  return { tokens: own + people + foreign, own: own + people ? own / (own + people) : 1, foreign, corrections };
}

export class Branches extends EventTarget {
  /** @param {HTMLElement} root a tree @param {EpisodeStore} store @param {import("./tails.js").Tails} tails */
  constructor(root, store, tails) {
    super();
    this.root = root;
    this.store = store;
    this.tails = tails;
    this.drawn = "";
    tails.addEventListener("loaded", () => this.draw());
    root.addEventListener("click", (event) => this.#restore(/** @type {HTMLElement} */ (event.target).closest("li")));
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  get items() {
    return /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll("[role=treeitem]")]);
  }

  /** Put the focus where it was left, else on the last branch of the path. */
  focus() {
    this.root.querySelector("[tabindex='0']")?.focus();
  }

  /** @param {HTMLElement|null} item */
  #restore(item) {
    const to = item?.dataset.segment ? tip(this.store.segments, item.dataset.segment) : null;
    if (to) this.dispatchEvent(new CustomEvent("restore", { detail: to }));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const item = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("[role=treeitem]"));
    if (!item || event.ctrlKey || event.altKey || event.metaKey) return;
    const { items } = this;
    const at = items.indexOf(item);
    const level = Number(item.ariaLevel);
    const moves = /** @type {Record<string, HTMLElement|undefined>} */ ({
      ArrowDown: items[at + 1], ArrowUp: items[at - 1], Home: items[0], End: items.at(-1),
      ArrowLeft: items.slice(0, at).findLast((one) => Number(one.ariaLevel) < level),
      ArrowRight: Number(items[at + 1]?.ariaLevel) > level ? items[at + 1] : undefined,
    });
    if (event.key === "Enter" || event.key === " ") this.#restore(item);
    else if (event.key in moves) this.#rove(moves[event.key]);
    else return;
    event.preventDefault();
  }

  /** @param {HTMLElement|undefined} to */
  #rove(to) {
    if (!to) return;
    for (const item of this.items) item.tabIndex = item === to ? 0 : -1;
    to.focus();
  }

  draw() {
    const { episode, rows, segments } = this.store;
    if (!episode) return;
    const onPath = new Set(this.store.path.pieces.map((piece) => piece.segment));
    const first = segments.find((segment) => segment.parent !== null && segment.origin === ORIGIN.model);
    /** @type {Drawn[]} */
    const drawn = [];
    if (first) {
      const length = first.length ?? rows.of(first.id).length;
      const on = !episode.corrections.some((/** @type {any} */ one) => onPath.has(one.new_segment));
      drawn.push({ segment: first.id, on, old: !on, level: 1, place: "", from: _("First answer"), to: null, tail: fill(ngettext("%(count)s token", "%(count)s tokens", length), { count: length }) });
    }
    for (const { correction, level } of branchItems(segments, episode.corrections, first?.id)) {
      const on = onPath.has(correction.new_segment);
      // A branch that is left shows how it goes on, one that is taken what it replaced.
      const tail = on ? this.tails.text(correction.segment, correction.index + correction.rejected.length) : this.#behind(correction.new_segment);
      drawn.push({
        segment: on ? correction.segment : correction.new_segment, on, old: on, level,
        place: fill(_("at %(place)s"), { place: correction.position - this.store.low + 1 }),
        from: correction.rejected_text ?? "", to: correction.accepted_text || _("end"), tail,
      });
    }
    this.#put(drawn);
  }

  /** @param {string} segment whose own tokens are told already */
  #behind(segment) {
    const next = this.store.segments.find((one) => one.id === segment);
    return next ? this.tails.text(segment, next.length ?? 0) : "";
  }

  /** @param {Drawn[]} drawn */
  #put(drawn) {
    const told = JSON.stringify(drawn);
    if (told === this.drawn && this.root.childElementCount) return;
    this.drawn = told;
    const had = document.activeElement?.closest("[role=treeitem]");
    const kept = had && this.root.contains(had) ? this.items.indexOf(/** @type {HTMLElement} */ (had)) : -1;
    const items = drawn.map((one) => this.#item(one));
    this.root.replaceChildren(...items);
    const entry = items[kept] ?? items[drawn.findLastIndex((one) => one.on)] ?? items[0];
    if (entry) entry.tabIndex = 0;
    if (kept >= 0) entry?.focus();
    if (items.length) this.root.setAttribute("role", "tree");
    else {
      this.root.removeAttribute("role");
      this.root.append(make("li", { class: "empty", text: _("Corrections and the text they replaced will be listed here; nothing is ever deleted.") }));
    }
  }

  /** @param {Drawn} one @returns {HTMLElement} */
  #item({ segment, on, old, level, place, from, to, tail }) {
    const label = to === null ? [make("span", { text: from })]
      : [make("span", { class: "muted", text: `${place} ` }), make("del", {}, ...signs(from)), " → ", make("ins", {}, ...signs(to))];
    const item = make("li", {
      role: "treeitem", tabindex: -1, class: on ? "branch on" : "branch old", "data-segment": segment, "data-testid": "branch",
      "aria-level": level, "aria-selected": String(on), title: old && to !== null ? _("Take up again what was replaced here") : _("Take up this branch again"),
    }, make("span", { class: "what" }, ...label));
    if (tail.trim()) item.append(make("span", { class: on && to !== null ? "snippet gone" : "snippet", text: tail }));
    item.style.setProperty("--level", String(level - 1));
    return item;
  }
}

/** @param {HTMLElement} root @param {EpisodeStore} store @param {string} policy */
export function drawFigures(root, store, policy) {
  const { corrections, own, tokens, foreign } = figures(store);
  const whose = foreign ? _("from elsewhere") : fill(_("%(share)s the model's own"), { share: share(own) });
  root.replaceChildren(
    make("span", { class: "chip", text: fill(ngettext("%(count)s correction", "%(count)s corrections", corrections), { count: corrections }) }),
    make("span", { class: "chip pencil", text: tokens ? whose : _("no text yet") }),
    make("span", { class: "chip", text: policy }),
  );
}
