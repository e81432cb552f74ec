/** The reviewer's acts on somebody else's answer: accept it, or send it back with a comment. */

import { gettext as _ } from "../text.js";
import { Problem } from "./api.js";
import { askText, dialog } from "./dialogs.js";

/**
 * @typedef {{store: import("./store.js").EpisodeStore, outbox: import("./outbox.js").Outbox, sync: import("./sync.js").Sync,
 *   say: import("./messages.js").Say, nextUrl: string, go?: (url: string) => void}} Means
 */

export class Review {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    this.judged = false;
  }

  accept() {
    const { store, say } = this.means;
    if (store.episode.status !== "submitted") return say(_("It is accepted already; it can still be sent back."));
    return this.#judge("/accept", {});
  }

  async giveBack() {
    const comment = (await askText("return", ""))?.trim();
    if (comment === undefined) return;
    if (!comment) this.means.say(_("Say what should change: the comment comes first in the author's queue."), "warn");
    else if (await this.#judge("/return", { comment })) dialog("return").querySelector("form")?.reset();
  }

  /** @param {string} path @param {Record<string, unknown>} more @returns {Promise<boolean>} whether it was taken */
  async #judge(path, more) {
    const { store, outbox, sync, say, nextUrl, go = (url) => location.assign(url) } = this.means;
    if (this.judged || outbox.busy) return false;
    try {
      await outbox.post(`/episodes/${store.episode.id}${path}`, { if_head: store.version, ...more });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await sync.reload().catch(() => undefined);
      say(error.message, "cut");
      return false;
    }
    this.judged = true;
    go(nextUrl);
    return true;
  }
}
