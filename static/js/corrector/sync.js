/** Keeps the store and the server together: loading, the stream of the running generation, what comes after a drop. */

import { gettext as _ } from "../text.js";

/**
 * @typedef {{store: import("./store.js").EpisodeStore, stream: import("./stream.js").Stream,
 *   get: (path: string) => Promise<any>, id: number|string, say: (text: string, level?: string) => void,
 *   busy: () => boolean}} Means
 */

const AFTER_ERROR_MS = 1500;
const WHILE_BUSY_MS = 200;
const WAITS_MS = [300, 1000, 2000, 4000];

export class Sync {
  /** @param {Means} means */
  constructor(means) {
    this.store = means.store;
    this.stream = means.stream;
    this.get = means.get;
    this.id = means.id;
    this.tree = `/episodes/${means.id}?task=brief`;
    this.say = means.say;
    this.busy = means.busy;
    /** What is said of typed text after the page was overtaken. */
    this.afterword = () => "";
    const stream = this.stream;
    stream.addEventListener("tokens", (event) => this.#tokens(/** @type {CustomEvent} */ (event).detail));
    stream.addEventListener("reset", (event) => {
      const message = /** @type {CustomEvent} */ (event).detail;
      this.store.reset(message.generation, message.rows);
    });
    stream.addEventListener("end", (event) => this.#ended(/** @type {CustomEvent} */ (event).detail));
    stream.addEventListener("error", (event) => {
      const message = /** @type {CustomEvent} */ (event).detail;
      this.say(message.detail || message.code, "cut");
      setTimeout(() => !this.busy() && this.reload().catch(() => undefined), AFTER_ERROR_MS);
    });
    stream.addEventListener("changed", (event) => this.#changed(/** @type {CustomEvent} */ (event).detail));
  }

  /** @param {any} message */
  #tokens(message) {
    if (message.start > this.store.received()) this.follow();
    else this.store.arrive(message.generation, message.start, message.rows);
  }

  /** @param {any} message */
  async #ended(message) {
    this.store.ended(message);
    if (!this.busy()) await this.refresh().catch(() => this.catchUp());
  }

  /** @param {any} message */
  async #changed(message) {
    if (message.what !== "episode" || String(message.id) !== String(this.id)) return;
    const news = () => message.version === undefined || message.version > this.store.version;
    while (news()) {
      // An act that is on its way may bring it, and may not.
      while (this.busy()) await pause(WHILE_BUSY_MS);
      const refused = await this.look().catch((error) => error.passing === false);
      if (refused || message.version === undefined || !news()) return;
      await pause(AFTER_ERROR_MS);
    }
  }

  /** See whether the episode was changed elsewhere, and say so. */
  async look() {
    if (!this.store.episode || this.busy()) return;
    const episode = await this.get(this.tree);
    // An act of this tab may have been answered meanwhile: that is no news.
    if (this.busy() || episode.version <= this.store.version) return;
    await this.take(episode);
    this.say(_("This answer was changed in another tab or by another person; you see it as it is now.") + this.afterword(), "warn");
  }

  /** Take an episode that the server sent, and its path where the rows are not all here. An act is answered by the
   * head alone; the tree is asked for then. @param {any} episode */
  async take(episode) {
    if (!episode.segments) {
      this.store.note(episode);
      episode = await this.get(this.tree);
    }
    if (!this.store.adopt(episode)) await this.loadPath();
    this.follow();
  }

  async loadPath() {
    this.store.adoptPath(await this.get(`/episodes/${this.id}?view=path`));
  }

  /** Ask for the episode, keep the rows that are known. */
  async refresh() {
    await this.take(await this.get(this.tree));
  }

  /** Ask for everything. */
  async reload() {
    const [episode, view] = await Promise.all([this.get(this.tree), this.get(`/episodes/${this.id}?view=path`)]);
    this.store.learn(view);
    // The answer may have grown between the two: the path is then asked for anew.
    if (!this.store.adopt(episode)) await this.loadPath();
    this.follow();
  }

  /** Ask for everything until it is here: what is shown stands behind what is stored. A refusal is thrown. */
  async catchUp() {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.reload();
      } catch (error) {
        if (/** @type {any} */ (error).passing === false) throw error;
        await pause(WAITS_MS[Math.min(tries, WAITS_MS.length - 1)]);
      }
    }
  }

  /** Watch the generation that runs, if one does. */
  follow() {
    const { store } = this;
    const generation = store.generation;
    if (store.live) this.stream.watch({ generation: generation.id, have: () => store.received() });
    else this.stream.watch(null);
  }

  /** One look without the socket. */
  async poll() {
    const view = await this.get(`/episodes/${this.id}?view=path`);
    if (this.busy()) return;
    if (view.version !== this.store.version || view.generation?.status !== this.store.generation?.status) await this.reload();
    else if (view.length === null || this.store.live) this.#grow(view);
  }

  /** @param {any} view */
  #grow(view) {
    const piece = view.pieces.at(-1);
    const generation = this.store.generation;
    if (piece && generation && piece.segment === generation.segment) {
      this.store.arrive(generation.id, 0, view.rows.slice(piece.start, piece.end));
    }
  }
}

/** Wait, but no longer than until the line is back. @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", done);
      resolve(undefined);
    };
    const timer = setTimeout(done, ms);
    globalThis.addEventListener?.("online", done);
  });
}
