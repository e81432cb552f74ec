/** What earlier visits left: acts without an answer are sent, acts that were refused are shown until they are dismissed. */

import { find, make } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { Outbox, wordsOf } from "./outbox.js";

/**
 * @typedef {import("./outbox.js").Act} Act
 * @typedef {{keep: import("./keep.js").Keep, send: (path: string, body: any, key: string) => Promise<any>, me: number,
 *   episodeUrl: string, say: import("./messages.js").Say, locks?: LockManager, outboxes: Outbox[]}} Means
 * `outboxes` of this page, whose state it shows
 */

const WATCH_MS = 4000;

/** Where the acts of a person on an episode are kept. @param {string} lane "act" or "comment" @param {number} me @param {number|string} episode */
export function place(lane, me, episode) {
  return `${lane}:${me}:${episode}`;
}

/** What a path of the interface does, in words. @param {string} path */
function what(path) {
  const words = /** @type {Record<string, string>} */ ({
    corrections: _("correction"), head: _("undo or redo"), turns: _("reply"), continue: _("continue"), submit: _("submit"),
    later: _("set aside"), skip: _("skip"), flag: _("flag"), reopen: _("reopen"), reason: _("reason"), comments: _("comment"),
  });
  return words[path.split("/").at(-1) ?? ""] ?? path;
}

export class Leftovers {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    this.root = find("[data-leftovers]");
    /** What a person wrote in the last refused correction of this episode. */
    this.unsent = "";
  }

  /** Every act that is kept. @returns {Promise<{name: string, key: string, act: Act}[]>} */
  async #all() {
    const { keep, me } = this.means;
    const lanes = await Promise.all(["act", "comment"].map((lane) => keep.all(`${lane}:${me}:`)));
    return lanes.flat().map(([key, act]) => ({ name: key.slice(0, key.lastIndexOf(":")), key, act }));
  }

  /** Send what a tab that is gone left of an episode, while this one stays open. @param {number|string} episode */
  watch(episode) {
    setInterval(() => this.#idle && this.send(episode, true, true).catch(() => undefined), WATCH_MS);
  }

  get #idle() {
    return !this.means.outboxes.some((one) => one.busy);
  }

  /** Send what waits, of one episode or of all others. @param {number|string} episode @param {boolean} own
   * @param {boolean} [quiet] where nobody waits for it: the acts of other tabs are mostly at it themselves */
  async send(episode, own, quiet = false) {
    const { keep, send, say, locks, outboxes } = this.means;
    const waiting = (await this.#all()).filter(({ name, act }) => !act.refused && (name.split(":")[2] === String(episode)) === own);
    if (own && waiting.length && !quiet) say(_("An act of the last visit was not answered yet; it is being saved now."), "warn");
    for (const { name, act } of waiting.sort((a, b) => a.act.at - b.act.at)) {
      const outbox = outboxes.find((one) => one.means.name === name) ?? new Outbox({ keep, send, name, locks });
      // An act of this page is on its way: it may be the very one.
      if (outbox.busy) continue;
      try {
        const { done } = await outbox.again(act);
        if (own && (done || !quiet)) say(done ? _("What the last visit left is saved.") : _("Another tab is still saving an act of this answer; it shows here once it is saved."), done ? "" : "warn");
      } catch (error) {
        if (own) this.unsent = act.body?.choice?.text ?? this.unsent;
        say(error instanceof Error ? error.message : String(error), "warn");
      }
    }
    if (waiting.length || !quiet) await this.draw();
  }

  /** List what was refused. */
  async draw() {
    const refused = (await this.#all()).filter(({ act }) => act.refused);
    this.root.hidden = !refused.length;
    find("ul", this.root).replaceChildren(...refused.map((one) => this.#row(one)));
  }

  /** @param {{name: string, key: string, act: Act}} one */
  #row({ name, key, act }) {
    const episode = name.split(":")[2];
    const when = new Date(act.at).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
    const words = wordsOf(act.body);
    return make("li", {},
      make("p", {}, make("b", { text: what(act.path) }), " ", make("a", { href: this.means.episodeUrl.replace("/0/", `/${episode}/`), text: when })),
      make("p", { class: "muted", text: act.refused?.detail ?? "" }),
      words ? make("p", { class: "kept-words", dir: "auto", text: words }) : null,
      make("button", {
        type: "button", class: "plain", text: _("Discard"), "aria-label": fill(_("Discard this %(what)s"), { what: what(act.path) }),
        onclick: async () => {
          await this.means.keep.drop(key);
          await this.draw();
        },
      }));
  }
}
