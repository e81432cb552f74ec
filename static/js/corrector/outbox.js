/** Acts on their way to the server: kept until they are answered, repeated with the same key, one tab at a time. */

import { alone } from "./alone.js";
import { Problem } from "./api.js";
import { newKey } from "./digest.js";

/**
 * @typedef {{key: string, path: string, body: any, at: number, refused?: {code: string, detail: string}}} Act
 * @typedef {"saved"|"saving"|"waiting"|"retrying"|"offline"|"signed_out"|"refused"} SaveState
 * `saved` with no time yet: nothing was done here; `waiting` for another tab
 * @typedef {{send: (path: string, body: any, key: string) => Promise<any>, keep: import("./keep.js").Keep, name: string,
 *   locks?: LockManager, quiet?: boolean}} Means `quiet` where whoever posts keeps what was written themselves; `name` tells the acts of one person on one episode from all others
 */

const REFUSED_MS = 6000;
const WAITS_MS = [500, 1000, 2000, 4000, 8000];

/** What a person wrote in an act, "" where they only chose. @param {any} body @returns {string} */
export function wordsOf(body) {
  const turns = (body?.messages ?? []).map((/** @type {any} */ one) => one.content);
  return [body?.choice?.text, body?.body, ...turns].filter((text) => typeof text === "string" && text).join("\n");
}

export class Outbox extends EventTarget {
  /** @param {Means} means */
  constructor(means) {
    super();
    this.means = means;
    /** @type {SaveState} */
    this.state = "saved";
    /** @type {Date|null} */
    this.savedAt = null;
    this.busy = false;
    /** @type {(() => void)|null} */
    this.wake = null;
  }

  /** @param {Act} act */
  #place(act) {
    return `${this.means.name}:${act.key}`;
  }

  /** Acts that an earlier page left unanswered, oldest first. @returns {Promise<Act[]>} */
  async left() {
    const kept = await this.means.keep.all(`${this.means.name}:`);
    return kept.map(([, act]) => act).filter((act) => !act.refused).sort((a, b) => a.at - b.at);
  }

  /** The refusal was told; what the page shows is what the server has. */
  #settle() {
    if (this.state === "refused") this.#turn("saved", this.savedAt);
  }

  /** @param {SaveState} state @param {Date|null} [at] */
  #turn(state, at = new Date()) {
    this.state = state;
    if (state === "saved") this.savedAt = at;
    this.dispatchEvent(new Event("state"));
  }

  /** Try again now instead of after the wait. */
  hurry() {
    this.wake?.();
  }

  /** @param {string} path @param {any} body @returns {Promise<any>} the answer; a refusal is thrown as a Problem */
  async post(path, body) {
    if (this.busy) throw new Problem(409, { code: "still_saving", detail: "still saving" });
    const act = { key: newKey(), path, body, at: Date.now() };
    return (await this.#send(act, true)).result;
  }

  /** Send what an earlier page left, unless another tab is at it. @param {Act} act
   * @returns {Promise<{done: boolean, result?: any}>} */
  again(act) {
    return this.#send(act, false);
  }

  /** @param {Act} act @param {boolean} fresh */
  async #send(act, fresh) {
    const { keep, name, locks } = this.means;
    this.busy = true;
    this.#turn("saving");
    try {
      if (fresh) await keep.put(this.#place(act), act);
      const slow = setTimeout(() => this.#turn("waiting"), WAITS_MS[0]);
      const sent = await alone(`stet ${name}`, async () => {
        clearTimeout(slow);
        if (!fresh && !(await keep.get(this.#place(act)))) return null;
        return this.#insist(act);
      }, { locks, keep }, fresh);
      clearTimeout(slow);
      this.busy = false;
      if (sent.done) await keep.drop(this.#place(act));
      this.#turn("saved", sent.done ? new Date() : this.savedAt);
      return sent;
    } catch (error) {
      this.busy = false;
      await this.#refuse(act, error, fresh);
      throw error;
    }
  }

  /** Keep a refused act where something would be lost with it. @param {Act} act @param {any} error @param {boolean} fresh */
  async #refuse(act, error, fresh) {
    const worth = !fresh || (!this.means.quiet && wordsOf(act.body));
    const refused = { code: error.code ?? "", detail: error.message };
    await this.means.keep.put(this.#place(act), worth ? { ...act, refused } : undefined);
    this.#turn("refused");
    setTimeout(() => this.#settle(), REFUSED_MS);
  }

  /** @param {Act} act */
  async #insist(act) {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.means.send(act.path, act.body, act.key);
      } catch (error) {
        if (!(error instanceof Problem) || !(error.passing || error.signedOut)) throw error;
        this.#turn(error.signedOut ? "signed_out" : globalThis.navigator?.onLine === false ? "offline" : "retrying");
        await this.#pause(WAITS_MS[Math.min(tries, WAITS_MS.length - 1)]);
      }
    }
  }

  /** @param {number} wait */
  #pause(wait) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake?.(), wait);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve(undefined);
      };
    });
  }
}
