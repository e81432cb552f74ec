/** Work that a reviewer sent back: the comment on top, and what is on the page now against what was handed in. */

import { debounce, find, make } from "../dom.js";
import { fill, gettext as _, ngettext } from "../text.js";
import { drawn } from "./diffview.js";
import { compose } from "./tree.js";

/** @typedef {{root: HTMLElement, returned: any, store: import("./store.js").EpisodeStore, get: (path: string) => Promise<any>}} Means */

const SOON_MS = 250;

export class Returned {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    const { root, returned, store } = means;
    root.hidden = !returned;
    if (!returned) return;
    /** What was handed in. @type {import("./path.js").Path|null} */
    this.old = null;
    const at = new Date(returned.at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    find("[data-by-whom]", root).textContent = fill(_("%(name)s returned version %(n)s, %(time)s"), { name: returned.by.name, n: returned.n, time: at });
    find("[data-comment]", root).textContent = returned.comment;
    this.button = find("[data-compare]", root);
    this.place = find("[data-changes]", root);
    this.button.addEventListener("click", () => this.#toggle());
    const soon = debounce(() => this.draw().catch(() => undefined), SOON_MS);
    store.addEventListener("path", soon);
    store.addEventListener("grew", soon);
    store.addEventListener("episode", soon);
  }

  #toggle() {
    if (!this.button || !this.place) return;
    this.place.hidden = !this.place.hidden;
    this.button.setAttribute("aria-expanded", String(!this.place.hidden));
    this.draw().catch((error) => this.place?.replaceChildren(error.message));
  }

  /** @returns {Promise<import("./path.js").Path|null>} */
  async #handedIn() {
    const { store, get, returned } = this.means;
    if (this.old || !returned.head) return this.old ?? null;
    this.old = compose(store.segments, returned.head, store.rows);
    if (this.old) return this.old;
    store.learn(await get(`/episodes/${store.episode.id}?view=path&segment=${returned.head.segment}`));
    this.old = compose(store.segments, returned.head, store.rows);
    return this.old;
  }

  /** Handed in again: the return is answered. */
  answered() {
    this.means.root.hidden = true;
  }

  async draw() {
    const { store, root } = this.means;
    if (root.hidden || !store.episode) return;
    const old = await this.#handedIn();
    if (!old || !this.place) return;
    const { cut, put, elements } = drawn(old, store.path, Math.min(store.low, store.path.length));
    find("[data-how-much]", root).textContent = cut + put === 0 ? _("nothing changed since")
      : `${fill(ngettext("%(count)s token was cut", "%(count)s tokens were cut", cut), { count: cut })}, ${
        fill(ngettext("%(count)s token stands in its place", "%(count)s tokens stand in its place", put), { count: put })}`;
    if (!this.place.hidden) this.place.replaceChildren(...(cut + put ? elements.slice(1) : [make("span", { class: "muted", text: _("What is on the page is what was handed in.") })]));
  }
}
