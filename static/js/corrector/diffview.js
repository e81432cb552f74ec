/** Old and new after a correction: what was rejected against what stands now, token by token. */

import { find, make } from "../dom.js";
import { fill, gettext as _, ngettext } from "../text.js";
import { tip } from "./branches.js";
import { dialog } from "./dialogs.js";
import { diff, readable } from "./diff.js";
import { composing, match } from "./keys.js";
import { plain } from "./markdowndom.js";
import { compose } from "./tree.js";

/** @typedef {import("./path.js").Path} Path */
/** @typedef {{store: import("./store.js").EpisodeStore, get: (path: string) => Promise<any>, say: (text: string, level?: string) => void}} Means */

const CONTEXT = 80;
const SHOWN = 4000;

export class DiffView {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    this.dialog = dialog("diff");
    this.at = 0;
    this.asked = 0;
    this.dialog.addEventListener("keydown", (event) => this.#key(event));
    find("[data-diff-before]", this.dialog).addEventListener("click", () => this.#go(-1));
    find("[data-diff-after]", this.dialog).addEventListener("click", () => this.#go(1));
  }

  /** The corrections that led to what stands, in their order. */
  get corrections() {
    const { path, episode } = this.means.store;
    const onPath = new Set(path.pieces.map((piece) => piece.segment));
    return (episode?.corrections ?? []).filter((/** @type {any} */ one) => onPath.has(one.new_segment));
  }

  open() {
    const count = this.corrections.length;
    if (!count) {
      this.means.say(_("Nothing was corrected on this branch yet, so there is nothing to compare."));
      return;
    }
    this.at = count - 1;
    this.dialog.showModal();
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (composing(event)) return;
    const id = match(event, "locate")?.binding.id;
    if (id === "diff") this.dialog.close();
    else if (id === "left" || id === "right") this.#go(id === "left" ? -1 : 1);
    else return;
    event.preventDefault();
  }

  /** @param {number} by */
  #go(by) {
    const to = this.at + by;
    if (to < 0 || to >= this.corrections.length) return;
    this.at = to;
    this.#draw();
  }

  /** The path that was rejected, asked for where its rows are not here. @param {any} correction @returns {Promise<Path|null>} */
  async #old(correction) {
    const { store, get } = this.means;
    const end = tip(store.segments, correction.segment);
    if (!end) return null;
    const known = compose(store.segments, end, store.rows);
    if (known) return known;
    store.learn(await get(`/episodes/${store.episode.id}?view=path&segment=${end.segment}`));
    return compose(store.segments, end, store.rows);
  }

  async #draw() {
    const { store } = this.means;
    const { corrections } = this;
    const correction = corrections[this.at];
    const place = find("[data-diff]", this.dialog);
    const words = find("[data-diff-words]", this.dialog);
    const asked = ++this.asked;
    /** @type {HTMLButtonElement} */ (find("[data-diff-before]", this.dialog)).disabled = this.at === 0;
    /** @type {HTMLButtonElement} */ (find("[data-diff-after]", this.dialog)).disabled = this.at === corrections.length - 1;
    find("[data-diff-count]", this.dialog).textContent = fill(_("Correction %(number)s of %(count)s, at token %(place)s"),
      { number: this.at + 1, count: corrections.length, place: correction.position - store.low + 1 });
    let old;
    try {
      old = await this.#old(correction);
    } catch (error) {
      if (asked === this.asked) place.replaceChildren(error instanceof Error ? error.message : String(error));
      return;
    }
    if (asked !== this.asked) return;
    const { cut, put, elements } = drawn(old, store.path, correction.position);
    place.replaceChildren(...elements);
    place.scrollTop = 0;
    words.textContent = `${fill(ngettext("%(count)s token was cut", "%(count)s tokens were cut", cut), { count: cut })}, ${
      fill(ngettext("%(count)s token stands in its place", "%(count)s tokens stand in its place", put), { count: put })}`;
  }
}

/** What differs from the token `from` on, as elements, and how much. @param {Path|null} old @param {Path} now @param {number} from */
export function drawn(old, now, from) {
  const ids = (/** @type {Path} */ path) => Array.from({ length: Math.min(path.length, from + SHOWN) - from }, (_, i) => path.rows[from + i][0]);
  const exact = diff(old ? ids(old) : [], ids(now));
  const pieces = readable(exact);
  const text = (/** @type {import("./diff.js").Piece} */ piece) => (piece.kind === "ins" || !old ? now : old).text(from + piece.from, from + piece.to);
  const tags = { same: "span", del: "del", ins: "ins" };
  let cut = 0;
  let put = 0;
  for (const piece of exact) {
    if (piece.kind === "del") cut += piece.to - piece.from;
    if (piece.kind === "ins") put += piece.to - piece.from;
  }
  const elements = pieces.map((piece) => make(tags[piece.kind], { dir: "auto" }, ...plain(text(piece))));
  return { cut, put, elements: [make("span", { class: "muted" }, ...plain(now.text(Math.max(now.runStart(from), from - CONTEXT), from).slice(-CONTEXT))), ...elements] };
}
