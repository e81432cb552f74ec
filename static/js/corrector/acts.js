/** What a person does, sent to the server: shown at once, kept until answered, taken back where refused. */

import { fill, gettext as _, ngettext } from "../text.js";
import { Problem } from "./api.js";
import { digest } from "./digest.js";
import { capOf } from "./keytable.js";
import { Later, turnsAfter } from "./later.js";
import { ORIGIN } from "./path.js";

/**
 * @typedef {import("./path.js").Row} Row
 * @typedef {{store: import("./store.js").EpisodeStore, outbox: import("./outbox.js").Outbox,
 *   active: import("./active.js").ActiveClock, page: any, sync: import("./sync.js").Sync, say: (text: string, level?: string) => void}} Means
 */

const TURN_MS = 20;

export class Acts extends EventTarget {
  /** @param {Means} means */
  constructor(means) {
    super();
    this.store = means.store;
    this.outbox = means.outbox;
    this.active = means.active;
    this.sync = means.sync;
    this.say = means.say;
    this.sync.afterword = () => this.#kept();
    /** @type {number|string|null} the correction that a reason can be given to */
    this.lastCorrection = null;
    this.taking = false;
    /** Typed text that was not taken. */
    this.unsent = "";
    this.later = new Later(localStorage, `stet-later-${means.page.episode}`);
  }

  get #base() {
    return `/episodes/${this.store.episode.id}`;
  }

  /** Is the way free for another act? Says so where it is not. */
  free() {
    if (this.store.readOnly) {
      this.say(this.store.readOnly, "warn");
      this.store.dispatchEvent(new Event("episode"));
      return false;
    }
    if (!this.outbox.busy && !this.taking) return true;
    this.outbox.hurry();
    this.say(_("The last act is still being saved. This one was not taken; try again in a moment."), "warn");
    return false;
  }

  /** Wait for the act before, as long as it gets through; a key pressed quickly is not lost. */
  async #ready() {
    while ((this.outbox.busy || this.taking) && ["saving", "saved"].includes(this.outbox.state)) {
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    }
    return this.free();
  }

  /** @param {string} path @param {any} body @returns {Promise<any>} the answer, null where it was refused */
  async #post(path, body) {
    try {
      return await this.outbox.post(this.#base + path, body);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await this.#refused(error);
      return null;
    }
  }

  /** @param {Problem} problem */
  async #refused(problem) {
    this.dispatchEvent(new CustomEvent("refused", { detail: problem }));
    if (problem.status === 412) {
      this.taking = true;
      await this.sync.catchUp().catch(() => this.store.rollBack());
      this.taking = false;
      const moved = problem.code === "not_what_you_saw"
        ? _("The text was not the one you saw. It was loaded again and nothing was changed: look, and do it again.")
        : _("This answer was changed in another tab or by another person. It was loaded again and nothing was lost: look, and do it again.");
      this.say(moved + this.#kept(), "warn");
      return;
    }
    this.store.rollBack();
    this.sync.follow();
    this.say(problem.message + this.#kept(), "cut");
  }

  #kept() {
    return this.unsent ? ` ${fill(_("What you typed is kept: %(key)s brings it back."), { key: capOf("type") })}` : "";
  }

  /** @param {any} episode of an answer */
  async #take(episode) {
    this.taking = true;
    try {
      await this.sync.take(episode);
    } catch {
      this.say(_("Saved, but the page could not be brought up to date; it tries again."), "warn");
      await this.sync.catchUp().catch((error) => this.say(error.message, "cut"));
    } finally {
      this.taking = false;
    }
  }

  /** What was on the screen. */
  seen() {
    const { path } = this.store;
    const upto = path.length;
    return {
      upto, digest: digest(path.ids(upto)), heat: this.store.heatSeen,
      candidates_before_locate: this.store.lookedBeforeLocate, lookahead: this.store.aheadSeen,
    };
  }

  /**
   * Replace the token at `position`, and let the model continue.
   * @param {number} position @param {any} choice `{candidate}`, `{text}` or `{end: true}` @param {Row[]} rows shown meanwhile
   * @param {import("./ahead.js").Ahead} [ahead] what was sampled behind the candidate, to be taken with it
   */
  async correct(position, choice, rows, ahead) {
    this.unsent = choice.text ?? "";
    const [located] = this.store.path.rows[position];
    if (!(await this.#ready())) return;
    if (this.store.path.rows[position]?.[0] !== located) {
      this.say(_("The text changed before this could be taken, so nothing was changed: look, and do it again.") + this.#kept(), "warn");
      return;
    }
    const body = {
      if_head: this.store.version, ...this.store.place(position), choice, seen: this.seen(),
      active_ms: this.active.takeActive(), continue: !choice.end,
      ...(ahead ? { lookahead: { generation: ahead.id, ids: ahead.rows.map((row) => row[0]) } } : {}),
    };
    const before = this.store.path;
    const dropped = turnsAfter(before, position);
    this.store.foresee(position, rows, choice.text === undefined ? ORIGIN.candidate : ORIGIN.human, ahead?.rows);
    this.store.lookedBeforeLocate = false;
    this.store.heatSeen = false;
    this.store.aheadSeen = false;
    this.dispatchEvent(new Event("corrected"));
    const answer = await this.#post("/corrections", body);
    if (!answer) {
      this.active.giveBack(body);
      return;
    }
    this.unsent = "";
    const { correction } = answer;
    this.lastCorrection = correction.id;
    this.#drop(before, dropped, correction.new_segment);
    const whole = rows.every((row) => !row[1].includes("\ufffd"));
    if (whole && rows.length === correction.accepted.length && rows.every((row, i) => row[0] === correction.accepted[i])) {
      this.store.rows.put(correction.new_segment, 0, rows);
    }
    if (ahead && answer.lookahead) this.store.rows.put(answer.lookahead.segment, 0, ahead.rows);
    await this.#take(answer.episode);
    this.dispatchEvent(new Event("correction"));
  }

  /** Keep what others said behind the place, and say that it is dropped. @param {import("./path.js").Path} path as it was
   * @param {import("./later.js").Turn[]} dropped @param {string} segment that took its place */
  #drop(path, dropped, segment) {
    this.later.keep(path, segment, dropped);
    if (!dropped.length) return;
    const values = { count: dropped.length, again: capOf("again"), reply: capOf("reply") };
    this.say(fill(ngettext(
      "%(count)s later turn stays on the old branch. When the answer has ended, %(again)s says it again, %(reply)s lets you change it.",
      "%(count)s later turns stay on the old branch. When the answer has ended, %(again)s says the next again, %(reply)s lets you change it.",
      dropped.length), values), "warn");
  }

  /** Undo or redo what is the last act once those before it are saved. @param {"undo"|"redo"} how */
  async step(how) {
    if (await this.#ready()) await this.head(this.store.episode[how], how);
  }

  /** Move the head. @param {{segment: string, length: number}|null} to @param {"undo"|"redo"|"move"} how */
  async head(to, how) {
    if (!to) {
      this.say(how === "redo" ? _("Nothing to redo.") : _("Nothing to undo."));
      return;
    }
    if (!this.free()) return;
    this.store.foreseeHead(to);
    const answer = await this.#post("/head", { if_head: this.store.version, segment: to.segment, length: to.length, how });
    if (answer) await this.#take(answer.episode);
  }

  /** Say something further as the user, and let the model answer. @param {string} text @returns {Promise<boolean>} */
  async reply(text) {
    return this.#turn([{ role: "user", content: text }]);
  }

  /** Answer calls as the tools, and let the model go on. @param {{name: string, id: string, content: string}[]} results @returns {Promise<boolean>} */
  async answerCalls(results) {
    return this.#turn(results.map(({ name, id, content }) => ({
      role: "tool", content, ...(name ? { name: name.slice(0, 200) } : {}), ...(id ? { tool_call_id: id.slice(0, 200) } : {}),
    })));
  }

  /** @param {{role: string, content: string}[]} messages @returns {Promise<boolean>} */
  async #turn(messages) {
    if (!(await this.#ready())) return false;
    const answer = await this.#post("/turns", { if_head: this.store.version, messages });
    if (!answer) return false;
    for (const message of messages) this.later.said(this.store.path, message.role);
    await this.#take(answer.episode);
    await this.goOn();
    return true;
  }

  async goOn() {
    if (!this.free()) return;
    const answer = await this.#post("/continue", { if_head: this.store.version });
    if (answer) await this.#take(answer.episode);
  }

  /** @param {string} reason */
  async reason(reason) {
    if (this.lastCorrection === null || !this.free()) return;
    const id = this.lastCorrection;
    const answer = await this.#post(`/corrections/${id}/reason`, { reason });
    if (!answer) return;
    const correction = this.store.episode.corrections.find((/** @type {any} */ one) => one.id === id);
    if (correction) correction.reason = reason;
    this.store.dispatchEvent(new Event("episode"));
  }

  /** Stop the generation that runs; what has arrived is kept. @returns {Promise<boolean>} */
  async stop() {
    if (!this.store.live) return true;
    if (this.store.readOnly) return this.free();
    try {
      await this.outbox.post(`/generations/${this.store.generation.id}/stop`, {});
      await this.sync.refresh();
      return true;
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), "cut");
      return false;
    }
  }

  /** submit, later, skip, flag, reopen. @param {string} name @param {Record<string, unknown>} [more] @returns {Promise<boolean>} */
  async finish(name, more = {}) {
    if (!(await this.#ready())) return false;
    const answer = await this.#post(`/${name}`, { if_head: this.store.version, ...more });
    if (!answer) {
      this.active.giveBack(more);
      return false;
    }
    await this.#take(answer.episode);
    this.dispatchEvent(new CustomEvent("finished", { detail: name }));
    return true;
  }
}
