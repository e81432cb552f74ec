/** The threads on this answer: a list with ways to their places, marks in the text, answers, and what is settled. */

import { debounce, find, make } from "../dom.js";
import { fill, gettext as _, ngettext } from "../text.js";
import { anchorOf, placeOf, selectedTokens, stepAt } from "./anchors.js";
import { tip } from "./branches.js";
import { Composer, aboutText } from "./composer.js";
import { withMentions } from "./mentions.js";

/**
 * @typedef {{root: HTMLElement, page: any, api: import("./parts.js").Api, store: import("./store.js").EpisodeStore, pane: import("./pane.js").Pane,
 *   cursor: import("./cursor.js").Cursor, acts: import("./acts.js").Acts, marks: import("./marks.js").Marks, keep: import("./keep.js").Keep,
 *   outbox: import("./outbox.js").Outbox, show: () => void, say: import("./messages.js").Say}} Means
 */

const AGAIN_MS = 150;
const PAGE = 200;

/** @param {string} text */
function when(text) {
  const at = new Date(text);
  const language = document.documentElement.lang;
  const today = at.toDateString() === new Date().toDateString();
  return make("time", { datetime: text, title: at.toLocaleString(language),
    text: today ? at.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hour12: false }) : at.toLocaleDateString(language, { dateStyle: "medium" }) });
}

export class Comments {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    const { root, page, keep } = means;
    /** @type {any[]} */
    this.all = [];
    this.composer = new Composer({
      root: find("[data-composer]", root), members: page.members, keep, place: `comment-draft:${page.me}:${page.episode}`,
      send: (writing) => this.#send(writing), leave: () => means.pane.scroller.focus({ preventScroll: true }),
    });
    this.home = find("[data-composer-home]", root);
    this.again = debounce(() => this.load().catch(() => undefined), AGAIN_MS);
    means.store.addEventListener("path", () => this.draw());
    means.cursor.addEventListener("moved", () => this.#follow());
    find("[data-new]", root).addEventListener("click", () => this.begin());
  }

  get #path() {
    return this.means.page.comments_url;
  }

  async load() {
    const answer = await this.means.api("GET", `${this.#path}?episode=${this.means.page.episode}&limit=${PAGE}`);
    this.all = answer.results;
    this.draw();
  }

  /** Begin a comment on what is selected, on the token at the cursor, or on the task. */
  begin() {
    const { store, pane, cursor, say } = this.means;
    const { path, low } = store;
    const selected = selectedTokens(pane.scroller, path);
    const at = cursor.at;
    const anchors = [];
    if (selected) anchors.push(anchorOf(path, selected, "token"));
    else if (at !== null) {
      anchors.push(anchorOf(path, { start: path.clusterStart(at), end: path.clusterEnd(at) }, "token"), anchorOf(path, stepAt(path, at, low), "step"));
    }
    if (anchors.length && store.live && anchors.some(({ segment }) => segment === store.generation?.segment)) {
      say(_("The model still writes this part; the comment can be sent when it has ended."));
    }
    this.means.show();
    this.home.append(this.composer.means.root);
    this.composer.open([...anchors, { level: "task" }]);
  }

  /** @param {import("./composer.js").Writing} writing */
  async #send({ text, anchor, parent }) {
    const { page, outbox, say } = this.means;
    try {
      const body = { task: page.task.id, episode: page.episode, anchor, body: text, ...(parent ? { parent } : {}) };
      const made = await outbox.post(this.#path, body);
      if (!this.all.some((one) => one.id === made.id)) this.all.push(made);
      this.draw();
      return true;
    } catch (error) {
      say(fill(_("The comment was not taken: %(why)s Your text is still there."), { why: error instanceof Error ? error.message : "" }), "cut");
      return false;
    }
  }

  draw() {
    const { root, store } = this.means;
    if (!store.episode) return;
    const threads = this.all.filter((one) => !one.parent);
    const open = threads.filter((one) => !one.resolved_at);
    const settled = threads.filter((one) => one.resolved_at);
    const holdsComposer = this.composer.parent !== null && !this.composer.means.root.hidden;
    const focused = document.activeElement === this.composer.area;
    const held = this.#held();
    // Moved only where its place is about to go: moving takes the focus and the list of names away.
    if (!this.home.contains(this.composer.means.root)) this.home.append(this.composer.means.root);
    find("[data-threads]", root).replaceChildren(...open.map((one) => this.#thread(one)));
    find("[data-settled] ol", root).replaceChildren(...settled.map((one) => this.#thread(one)));
    find("[data-settled]", root).hidden = !settled.length;
    find("[data-settled] summary", root).textContent = fill(ngettext("%(count)s resolved", "%(count)s resolved", settled.length), { count: settled.length });
    find("[data-none]", root).hidden = threads.length > 0;
    if (holdsComposer) this.#under(this.composer.parent);
    if (focused) this.composer.area.focus({ preventScroll: true });
    else if (held) /** @type {HTMLElement|null} */ (root.querySelectorAll(`[data-thread="${held.thread}"] button`)[held.at])?.focus({ preventScroll: true });
    const places = open.map((one) => placeOf(store.path, one.anchor)).filter((place) => place !== null);
    this.means.marks.set("comment", /** @type {import("./anchors.js").Place[]} */ (places));
    this.#follow();
  }

  /** Which button of which thread has the focus, so that drawing does not take it away. */
  #held() {
    const thread = /** @type {HTMLElement|null} */ (document.activeElement?.closest("[data-thread]"));
    return thread ? { thread: thread.dataset.thread, at: [...thread.querySelectorAll("button")].indexOf(/** @type {HTMLButtonElement} */ (document.activeElement)) } : null;
  }

  /** Put the field for an answer under its thread. @param {number|null} parent */
  #under(parent) {
    const place = this.means.root.querySelector(`[data-thread="${parent}"] [data-answer]`);
    if (place) place.append(this.composer.means.root);
  }

  /** @param {any} first */
  #thread(first) {
    const answers = this.all.filter((one) => one.parent === first.id);
    const here = first.anchor.level === "task" || placeOf(this.means.store.path, first.anchor);
    const state = first.resolved_at ? "reopen" : "resolve";
    return make("li", { class: "thread", "data-thread": first.id, "data-testid": "thread" },
      make("button", { type: "button", class: "anchor", text: aboutText(first.anchor), onclick: () => this.#jump(first) }),
      here ? null : this.#elsewhere(first),
      ...[first, ...answers].map((one) => this.#comment(one)),
      make("p", { class: "row" },
        make("button", { type: "button", class: "plain", text: _("Answer"), "data-testid": "answer", onclick: () => this.#answer(first) }),
        first.can_resolve ? make("button", { type: "button", class: "plain", "data-testid": state, text: state === "resolve" ? _("Resolve") : _("Open again"),
          onclick: () => this.#turn(first, state) }) : null,
        first.resolved_by ? make("span", { class: "muted", text: fill(_("resolved by %(name)s"), { name: first.resolved_by.name }) }) : null),
      make("div", { "data-answer": "" }));
  }

  /** @param {any} one */
  #comment(one) {
    return make("article", { class: "comment" },
      make("p", { class: "muted" }, make("b", { text: one.author.name }), " ", when(one.created_at)),
      make("p", { class: "comment-text", dir: "auto" }, ...withMentions(one.body, one.mentions)));
  }

  /** @param {any} first */
  #elsewhere(first) {
    const { store } = this.means;
    const to = tip(store.segments, first.anchor.segment);
    const may = to && !store.readOnly && ["open", "returned", "later"].includes(store.episode.status);
    return make("p", { class: "elsewhere" }, make("span", { text: _("On another branch.") }),
      may ? make("button", { type: "button", class: "plain", "data-testid": "go-there", text: _("Go there"), onclick: () => this.#go(first, to) }) : null);
  }

  /** Take up the branch of a comment. @param {any} first @param {{segment: string, length: number}} to */
  async #go(first, to) {
    const { acts, store } = this.means;
    await acts.head(to, "move");
    if (placeOf(store.path, first.anchor)) this.#jump(first);
  }

  /** @param {any} first */
  #jump(first) {
    const { store, cursor, pane } = this.means;
    const place = placeOf(store.path, first.anchor);
    if (place) cursor.put(place.start);
    pane.scroller.focus({ preventScroll: true });
  }

  /** @param {any} first */
  #answer(first) {
    this.composer.parent = first.id;
    this.#under(first.id);
    this.composer.open([first.anchor], first.id);
  }

  /** @param {any} first @param {string} state */
  async #turn(first, state) {
    try {
      const now = await this.means.api("POST", `/comments/${first.id}/${state}`, {});
      this.all = this.all.map((one) => (one.id === now.id ? now : one));
      this.draw();
    } catch (error) {
      this.means.say(error instanceof Error ? error.message : String(error), "cut");
    }
  }

  /** Show which threads are about the token at the cursor. */
  #follow() {
    const { store, cursor, root, marks } = this.means;
    const at = cursor.at;
    const on = at === null ? [] : this.all.filter((one) => {
      const place = one.parent || one.resolved_at ? null : placeOf(store.path, one.anchor);
      return place && at >= place.start && at < place.end;
    });
    for (const item of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-thread]"))) {
      item.classList.toggle("on", on.some((one) => String(one.id) === item.dataset.thread));
    }
    marks.set("comment-here", on.map((one) => /** @type {import("./anchors.js").Place} */ (placeOf(store.path, one.anchor))));
  }

  /** Take up a comment that was being written, and read what others wrote. */
  async start() {
    const kept = await this.composer.restore();
    await this.load();
    if (kept?.parent) this.#under(kept.parent);
  }
}
