/** What each key of the table does, apart from moving the cursor. */

import { fill, gettext as _ } from "../text.js";
import { handedIn } from "./answers.js";
import { callsAtEnd } from "./calls.js";
import { ask, askReason, askText, dialog } from "./dialogs.js";
import { askResults } from "./results.js";
import { capOf } from "./keytable.js";
import { tailState } from "./tail.js";

const AFTER_TYPING_MS = 500;

/**
 * @typedef {{store: import("./store.js").EpisodeStore, pane: import("./pane.js").Pane, modes: import("./modes.js").Modes,
 *   cursor: import("./cursor.js").Cursor, picking: import("./picking.js").Picking, strip: import("./strip.js").Strip,
 *   typing: import("./typing.js").Typing, acts: import("./acts.js").Acts, reasons: import("./reasons.js").Reasons, active: import("./active.js").ActiveClock,
 *   questions: import("./questions.js").Questions, draft: import("./draft.js").Draft, comments: import("./comments.js").Comments,
 *   guideline: import("./guideline.js").GuidelineView,
 *   diffView: import("./diffview.js").DiffView, rendered: import("./rendered.js").Rendered,
 *   branches: import("./branches.js").Branches, say: (text: string, level?: string) => void}} Means
 */

export class Commands {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    /** @type {import("./review.js").Review|null} where the reader judges somebody else's answer */
    this.review = null;
  }

  /** @param {string} id of a binding @param {string} key @returns {any} */
  run(id, key) {
    const { cursor, picking, strip, acts, store, reasons, typing } = this.means;
    if (cursor.run(id)) return undefined;
    switch (id) {
      case "locate": return this.#locate();
      case "hold": return store.hold(!store.held);
      case "type": return this.#type();
      case "slash": return this.#type();
      case "endHere": return this.#endHere();
      case "goOn": return this.#goOn();
      case "reply": return this.#reply();
      case "again": return this.#again();
      case "undo": return this.#head("undo");
      case "redo": return this.#head("redo");
      case "branches": return this.means.branches.focus();
      case "reason": return reasons.wait(true);
      case "comment": return this.means.comments.begin();
      case "question": return this.means.questions.next();
      case "flag": return this.#leave("flag");
      case "skip": return this.#leave("skip");
      case "later": return this.#putAside("later");
      case "reopen": return acts.finish("reopen");
      case "submit": return this.review ? this.review.accept() : this.submit();
      case "giveBack": return this.#giveBack();
      case "choose1to9": return picking.key(key);
      case "chooseInner": return picking.key(key.replace("Alt+", ""), true);
      case "takeInner": return picking.key("Enter", true);
      case "chooseEnd": return picking.key("0");
      case "listDown": return strip.move(1);
      case "listUp": return strip.move(-1);
      case "listRight": return strip.move(strip.columnRows);
      case "listLeft": return strip.move(-strip.columnRows);
      case "listHome": return strip.highlight(0);
      case "listEnd": return strip.highlight(strip.shown.length - 1);
      case "take": return picking.key("Enter");
      case "filter": return picking.type(true);
      case "commit": return typing.severalLines ? false : picking.commit();
      case "commitLines": return picking.commit();
      case "newLine": return false;
      case "back": return this.#back();
      case "diff": return this.means.diffView.open();
      case "rendered": return this.means.rendered.toggle();
      case "help": return dialog("help").showModal();
      default: return false;
    }
  }

  #locate() {
    const { cursor, picking, pane, store, say } = this.means;
    if (cursor.at === null) {
      cursor.go(1, (at) => at);
      say(fill(_("Move to the first token that cannot stand, then %(key)s."), { key: capOf("locate") }));
      return;
    }
    // What was given cannot be corrected; where it is folded, this key opens it.
    if (!store.path.ownAt(cursor.at) && pane.blocks.unfold(cursor.at, true)) return;
    picking.begin(cursor.at);
  }

  #type() {
    const { cursor, picking, modes } = this.means;
    if (modes.mode !== "pick") {
      if (cursor.at === null) cursor.go(1, (at) => at);
      if (cursor.at === null || !picking.begin(cursor.at)) return;
    }
    picking.type(false);
  }

  #endHere() {
    const { cursor, picking, modes, strip, say } = this.means;
    if (modes.mode === "pick" && strip.byKey("0")) {
      picking.choose(strip.byKey("0"));
      return;
    }
    if (cursor.at === null) {
      say(fill(_("Move to the token before which the answer should have ended, then %(key)s."), { key: capOf("endHere") }));
      return;
    }
    picking.endAt(cursor.at);
  }

  #goOn() {
    const { store, cursor, picking, acts, say } = this.means;
    const eos = new Set(store.episode.policy.eos);
    const at = cursor.at ?? store.path.length - 1;
    if (at >= store.low && store.path.ownAt(at) && eos.has(store.path.rows[at]?.[0])) {
      picking.begin(at);
    } else if (store.live) {
      say(_("The model is writing already."));
    } else if (eos.has(store.path.rows.at(-1)?.[0] ?? -1) && store.answered) {
      picking.begin(store.path.length - 1);
    } else {
      cursor.put(null);
      this.means.modes.set("continue");
      this.means.pane.toEnd();
      acts.goOn();
    }
  }

  /** May somebody else speak now? Says why not. */
  #mayReply() {
    const { store, say } = this.means;
    const closed = tailState(store).key === "reopen";
    if (!store.readOnly && !closed && !store.live && !store.ahead && store.answered) return true;
    if (store.readOnly) say(store.readOnly, "warn");
    else say(closed ? _("It is handed in or set aside: reopen it to go on.")
      : store.answered ? _("The model is still writing; reply when it has ended.") : _("There is no answer yet to reply to."));
    return false;
  }

  /** Say the next of the turns that a correction dropped. */
  #again() {
    const { acts, store, say } = this.means;
    if (!this.#mayReply()) return undefined;
    const next = acts.later.next(store.path);
    if (next?.role === "user") return this.#send(acts.reply(next.text));
    if (next) return this.#reply();
    say(_("No turn was dropped here."));
    return undefined;
  }

  /** @param {Promise<boolean>} sent */
  async #send(sent) {
    this.means.picking.close();
    this.means.cursor.put(null);
    const done = await sent;
    if (done) this.means.pane.toEnd();
    return done;
  }

  async #reply() {
    const { store, acts, say } = this.means;
    if (!this.#mayReply()) return;
    const next = acts.later.next(store.path);
    const calls = callsAtEnd(store.path, store.episode.policy);
    const results = calls.length ? await askResults(calls, next?.role === "tool" ? next.text : "") : "user";
    if (results === null) return;
    if (results !== "user") {
      await this.#send(acts.answerCalls(results));
      return;
    }
    const text = await askText("reply", next?.role === "user" ? next.text : "");
    if (text === null) return;
    if (!text) say(_("Nothing was written, so nothing was sent."));
    else if (await this.#send(acts.reply(text))) dialog("reply").querySelector("form")?.reset();
  }

  /** @param {"undo"|"redo"} how */
  #head(how) {
    const { acts, picking, cursor } = this.means;
    picking.close();
    cursor.put(null);
    acts.step(how);
  }

  #back() {
    const { modes, cursor, picking, reasons, questions, pane, store } = this.means;
    if (reasons.waiting) reasons.wait(false);
    else if (questions.waiting) questions.wait(false);
    else if (modes.mode === "type" || modes.mode === "pick") picking.back();
    else if (modes.mode === "locate") cursor.put(null);
    else if (store.held) store.hold(false);
    else pane.scroller.focus({ preventScroll: true });
  }

  /** @param {"skip"|"flag"} how */
  async #leave(how) {
    const reason = await askReason(how);
    if (reason) await this.#putAside(how, { reason });
  }

  /** The answers to the questions first: they are not taken once the work is put aside.
   * @param {"later"|"skip"|"flag"} how @param {Record<string, unknown>} [more] */
  async #putAside(how, more = {}) {
    await this.means.draft.settled();
    await this.means.acts.finish(how, more);
  }

  #giveBack() {
    if (this.review) return this.review.giveBack();
    return this.means.say(_("Only a reviewer sends an answer back, and never their own."));
  }

  /** Hand the answer in; asks first where it is unusual. */
  async submit() {
    const { store, typing, acts, modes, active, questions, draft, guideline, say } = this.means;
    if (performance.now() - typing.closedAt < AFTER_TYPING_MS) return;
    if (modes.mode === "pick" || modes.mode === "type") return;
    if (!store.answered) {
      say(_("There is no answer to submit yet."));
      return;
    }
    if (questions.incomplete()) return;
    const ended = store.episode.policy.eos.includes(store.path.rows.at(-1)?.[0]);
    if (store.live || !ended) {
      const text = store.live ? _("The model is still writing. Submitting stops it; what has arrived is kept.")
        : _("The answer has no end token: it was cut or stopped. It will be kept as unfinished.");
      /** @type {HTMLElement} */ (dialog("submit").querySelector("[data-why]")).textContent = text;
      const { value } = await ask("submit");
      if (value !== "yes" || !(await acts.stop())) return;
    }
    await draft.save();
    if (draft.conflict) {
      say(_("Another tab answered the questions differently: choose first, in the panel on the right."), "warn");
      return;
    }
    await acts.finish("submit", { answers: handedIn(questions.means.questions, draft.answers), ...guideline.seen, ...active.take() });
  }
}
