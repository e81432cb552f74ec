/** The draft of the answers: kept in the browser at once, saved soon after, never over what another tab saved. */

import { debounce } from "../dom.js";
import { gettext as _ } from "../text.js";
import { empty, merge, same } from "./answers.js";
import { Problem } from "./api.js";

/**
 * @typedef {import("./answers.js").Answers} Answers
 * @typedef {{version: number, answers: Answers}} Base
 * @typedef {{base: Base, answers: Answers, sent?: Answers}} Kept `sent` is on its way
 * @typedef {{request: (method: string, path: string, body?: any, options?: import("./api.js").Options) => Promise<{body: any, etag: string}>,
 *   keep: import("./keep.js").Keep, me: number, episode: number|string, from: Base, active: import("./active.js").ActiveClock,
 *   closed: () => boolean}} Means `closed` while the answer cannot be changed
 */

const SOON_MS = 800;
const WAITS_MS = [1000, 2000, 4000, 8000, 15_000];
const WORTH_TELLING_MS = 5000;
const SETTLED = ["saved", "refused"];

export class Draft extends EventTarget {
  /** @param {Means} means */
  constructor(means) {
    super();
    this.means = means;
    /** What the server has. @type {Base} */
    this.base = { version: means.from.version, answers: { ...means.from.answers } };
    /** @type {Answers} */
    this.answers = { ...means.from.answers };
    /** @type {import("./outbox.js").SaveState} */
    this.state = "saved";
    /** @type {Date|null} */
    this.savedAt = null;
    /** What another tab saved and this one changed as well. @type {{theirs: Answers, keys: string[]}|null} */
    this.conflict = null;
    /** Sent, and not known whether it arrived: it is sent again as it was. @type {any} */
    this.unsure = null;
    /** What an earlier visit kept, and may have sent as it went: its answer went with the page, and it may arrive yet. @type {Kept|null} */
    this.earlier = null;
    /** The newest version that was told. */
    this.heard = 0;
    this.sending = false;
    this.tries = 0;
    this.soon = debounce(() => this.save(), SOON_MS);
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
  }

  get #place() {
    return `draft:${this.means.me}:${this.means.episode}`;
  }

  get #path() {
    return `/episodes/${this.means.episode}/draft`;
  }

  get dirty() {
    return !same(this.answers, this.base.answers);
  }

  /** Is there anything that the server may not have, or may still get? */
  get #open() {
    return this.dirty || Boolean(this.unsure ?? this.earlier);
  }

  /** Keep what is open over a reload, drop what is not. @returns {Promise<void>} */
  #keep() {
    const { base, answers, unsure } = this;
    return this.means.keep.put(this.#place, this.#open ? { base, answers, sent: unsure?.body.answers } : undefined);
  }

  /** Take up what an earlier visit could not save. */
  async restore() {
    const kept = await this.means.keep.get(this.#place);
    if (!kept) return;
    this.earlier = kept;
    this.#join(kept.base.answers, kept.answers, this.base);
    this.soon();
  }

  /** @param {string} key @param {import("./answers.js").Value|undefined} value */
  set(key, value) {
    if (empty(value)) delete this.answers[key];
    else this.answers[key] = /** @type {import("./answers.js").Value} */ (value);
    this.#keep();
    this.#tell("answers");
    // What was changed back before it was sent needs no saving.
    if (!this.conflict) this.#turn(this.#open ? "saving" : "saved", this.savedAt);
    this.soon();
  }

  /** @param {string} name */
  #tell(name) {
    this.dispatchEvent(new Event(name));
  }

  /** @param {import("./outbox.js").SaveState} state @param {Date|null} [at] */
  #turn(state, at = new Date()) {
    this.state = state;
    if (state === "saved") this.savedAt = at;
    this.#tell("state");
  }

  hurry() {
    if (this.tries) this.save();
  }

  /** Save now what is not saved; with `times`, also the time that went by alone. @param {{times?: boolean, leaving?: boolean}} [how] */
  async save({ times = false, leaving = false } = {}) {
    clearTimeout(this.timer);
    const worth = times && this.means.active.total - this.means.active.told.active > WORTH_TELLING_MS;
    if (this.sending || this.conflict || !(this.#open || worth)) return;
    if (this.means.closed()) {
      if (this.dirty) this.#refuse(_("It is handed in or set aside. Your answers stay in this browser; reopen it to save them."));
      else this.#turn("saved", this.savedAt);
      return;
    }
    this.sending = true;
    const sent = this.unsure ?? { version: this.base.version, body: { answers: { ...this.answers }, ...this.means.active.take() } };
    this.unsure = sent;
    this.#keep();
    try {
      const { etag } = await this.means.request("PUT", this.#path, sent.body, { ifMatch: `"${sent.version}"`, keepalive: leaving });
      this.#saved({ version: Number(/\d+/.exec(etag)?.[0] ?? sent.version + 1), answers: sent.body.answers });
    } catch (error) {
      this.#failed(error, sent);
    } finally {
      this.sending = false;
    }
    if (this.dirty && this.state === "saved") await this.save();
    else await this.told(this.heard);
  }

  /** Until the answers are saved, or cannot be: for acts after which the server takes none. */
  async settled() {
    this.save();
    while (this.sending || !SETTLED.includes(this.state)) {
      await new Promise((resolve) => this.addEventListener("state", resolve, { once: true }));
    }
  }

  /** Another tab may have saved this version: take it, joined with what is not saved here. @param {number} version */
  async told(version) {
    this.heard = Math.max(this.heard, version);
    if (this.sending || this.unsure || this.conflict || this.heard <= this.base.version) return;
    await this.refresh();
  }

  /** @param {Base} base */
  #saved(base) {
    this.unsure = this.earlier = null;
    this.tries = 0;
    this.base = base;
    this.#keep();
    this.#turn("saved");
  }

  /** @param {unknown} error @param {any} sent */
  #failed(error, sent) {
    if (!(error instanceof Problem)) throw error;
    const { current } = error.body ?? {};
    if (error.status === 412 && current) {
      // The answer to an earlier try was lost on the way: it did arrive.
      const arrived = current.version === sent.version + 1 && same(current.answers, sent.body.answers);
      if (!arrived) this.means.active.giveBack(sent.body);
      this.unsure = null;
      this.#join(arrived ? sent.body.answers : this.#before(current), this.answers, current);
      return;
    }
    if (error.passing || error.signedOut) {
      this.#turn(error.signedOut ? "signed_out" : globalThis.navigator?.onLine === false ? "offline" : "retrying");
      this.timer = setTimeout(() => this.save(), WAITS_MS[Math.min(this.tries, WAITS_MS.length - 1)]);
      this.tries += 1;
      return;
    }
    this.unsure = null;
    this.means.active.giveBack(sent.body);
    this.#refuse(error.message);
  }

  /** @param {string} why */
  #refuse(why) {
    this.#turn("refused");
    this.dispatchEvent(new CustomEvent("refused", { detail: why }));
  }

  /** What the answers here began with: those of the server, or what an earlier visit sent as it went. @param {Base} current */
  #before(current) {
    const { earlier } = this;
    const sent = earlier && (earlier.sent ?? earlier.answers);
    const left = sent && current.version === earlier.base.version + 1 && same(current.answers, sent);
    return left ? sent : this.base.answers;
  }

  /** Join the answers here with what the server has now. @param {Answers} before what both began with
   * @param {Answers} mine @param {Base} current */
  #join(before, mine, current) {
    const { merged, conflicts } = merge(before, mine, current.answers);
    this.base = { version: current.version, answers: { ...current.answers } };
    this.answers = merged;
    this.conflict = conflicts.length ? { theirs: current.answers, keys: conflicts } : null;
    // Whatever arrives late names an older version, and is refused.
    if (this.earlier && current.version > this.earlier.base.version) this.earlier = null;
    this.#keep();
    this.#turn(this.conflict ? "refused" : this.#open ? "saving" : "saved");
    this.#tell("answers");
    if (this.conflict) this.#tell("conflict");
    else if (this.#open) this.soon();
  }

  /** Choose between two answers to a question. @param {string} key @param {"mine"|"theirs"} whose */
  choose(key, whose) {
    if (!this.conflict) return;
    const { theirs, keys } = this.conflict;
    this.conflict = keys.length > 1 ? { theirs, keys: keys.filter((one) => one !== key) } : null;
    if (whose === "theirs") this.set(key, theirs[key]);
    this.#tell("conflict");
    if (!this.conflict) {
      this.#turn(this.#open ? "saving" : "saved");
      this.soon();
    }
  }

  /** The server's draft moved on by another act (a submit): take what it is now. */
  async refresh() {
    const { body } = await this.means.request("GET", this.#path);
    if (!this.sending && body.version > this.base.version) this.#join(this.#before(body), this.answers, body);
  }
}
