/** From "not this" to what stands instead: the strip for a located token, and the text typed for it. */

import { find, make } from "../dom.js";
import { fill, gettext as _, percent } from "../text.js";
import { choices, sourceOf } from "./candidates.js";
import { capOf } from "./keytable.js";
import { correctable } from "./movement.js";
import { ORIGIN } from "./path.js";
import { tokenFace } from "./strip.js";

/**
 * @typedef {{store: import("./store.js").EpisodeStore, pane: import("./pane.js").Pane, modes: import("./modes.js").Modes,
 *   strip: import("./strip.js").Strip, typing: import("./typing.js").Typing, candidates: import("./candidates.js").Candidates,
 *   acts: import("./acts.js").Acts, ahead: import("./ahead.js").LookAhead, special: Map<number, string>, head: HTMLElement, say: (text: string, level?: string) => void}} Means
 */

const TURN_MS = 20;

export class Picking {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    /** @type {number|null} the token that is replaced */
    this.at = null;
    /** @type {import("./candidates.js").Position|undefined} */
    this.position = undefined;
    this.asked = 0;
    /** A choice made before the candidates were there. */
    this.early = "";
    /** The choice is meant for the inside of a character. */
    this.alt = false;
    means.strip.addEventListener("choose", (event) => {
      this.alt = means.strip.alt;
      this.choose(/** @type {CustomEvent} */ (event).detail);
      this.alt = false;
    });
    means.strip.addEventListener("highlight", () => this.#focused());
    means.ahead.addEventListener("grew", (event) => {
      means.store.aheadSeen = true;
      means.strip.follow(/** @type {CustomEvent} */ (event).detail);
    });
    means.typing.addEventListener("changed", () => this.#typed());
    means.typing.addEventListener("commit", () => this.commit());
  }

  /** Where a token's candidates are kept, null for typed text. @param {number} at */
  source(at) {
    const { store } = this.means;
    return sourceOf(store.place(at), (id) => store.segment(id)?.origin, store.episode.corrections);
  }

  /** Fetch what the cursor may soon need. @param {number} at @returns {Promise<import("./candidates.js").Position|undefined>} */
  async load(at) {
    const { store, candidates } = this.means;
    const source = this.source(at);
    return source ? candidates.load(source.segment, source.index, store.rows.of(source.segment).length) : undefined;
  }

  /** Begin to replace the token at `at`: the mode changes at once, so that no key goes astray.
   * @param {number} at @returns {boolean} false where it cannot be corrected */
  begin(at) {
    const { store, pane, modes, strip, say } = this.means;
    if (!correctable(store.path, at)) {
      say(_("These tokens were given to the model; only what it wrote can be corrected."));
      return false;
    }
    this.at = at;
    this.position = undefined;
    this.early = "";
    store.aheadSeen = false;
    pane.mark(store.path.clusterStart(at), pane.raw);
    pane.reveal();
    modes.set("pick");
    this.#title(at);
    strip.list.focus({ preventScroll: true });
    strip.clear();
    if (this.#foreseen(at)) this.#later(at);
    else this.#ask(at);
    return true;
  }

  /** Does the token belong to an act that is still being saved? @param {number} at */
  #foreseen(at) {
    const { store } = this.means;
    return at < store.path.length && store.segment(store.place(at).segment) === undefined;
  }

  /** @param {number} at */
  #ask(at) {
    if (this.source(at)) this.#fetch(at);
    else this.#write(at);
  }

  /** Its candidates are there once the act is saved and the page has what it left. @param {number} at */
  async #later(at) {
    const { store, strip } = this.means;
    const asked = ++this.asked;
    strip.list.setAttribute("aria-busy", "true");
    while (asked === this.asked && this.at === at && this.#foreseen(at)) await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    if (asked !== this.asked || this.at !== at) return;
    strip.list.removeAttribute("aria-busy");
    if (at < store.path.length && correctable(store.path, at)) this.#ask(at);
    else this.back();
  }

  /** Nothing was sampled at the place: there is only the end to choose, or one's own words. @param {number} at */
  #write(at) {
    const { store, strip, say } = this.means;
    strip.show(choices(undefined, store.episode.policy.eos, this.means.special, store.path.rows[at][0]));
    this.type(false);
    say(_("Nothing was sampled here, so there are no candidates: write what should stand here."));
  }

  /** @param {number} at */
  async #fetch(at) {
    const { store, strip, say } = this.means;
    const asked = ++this.asked;
    const current = () => asked === this.asked && this.at === at;
    strip.list.setAttribute("aria-busy", "true");
    try {
      const position = await this.load(at);
      if (current()) this.position = position;
    } catch (error) {
      if (current()) say(error instanceof Error ? error.message : String(error), "cut");
    } finally {
      if (asked === this.asked) strip.list.removeAttribute("aria-busy");
    }
    if (!current()) return;
    const rows = choices(this.position, store.episode.policy.eos, this.means.special, store.path.rows[at][0]);
    strip.show(rows, Math.max(0, rows.findIndex((row) => !row.sampled)));
    if (!this.position) say(fill(_("Nothing was sampled here, so there are no candidates: write your own with %(key)s."), { key: capOf("type") }));
    if (this.early) this.key(this.early, this.alt);
    else if (this.position) this.means.ahead.open(store.place(at), rows);
  }

  /** Choose by key; one that comes before the candidates waits for them.
   * @param {string} key a digit, or "Enter" @param {boolean} [alt] meant for the inside of a character */
  key(key, alt = false) {
    const { strip, modes } = this.means;
    if (modes.mode !== "pick") return;
    this.alt = alt;
    if (!strip.all.length) this.early = key;
    else this.choose(key === "Enter" ? strip.highlighted : strip.byKey(key));
    if (!this.early) this.alt = false;
  }

  /** Would the choice cut a character in two that nobody asked to cut? */
  get #cutsCharacter() {
    return this.at !== null && !this.alt && this.at !== this.means.store.path.clusterStart(this.at);
  }

  /** @param {number} at */
  #title(at) {
    const { store, special, head } = this.means;
    const [id, text, logprob, hex] = store.path.rows[at];
    const origin = store.path.originAt(at);
    const whole = store.path.text(store.path.clusterStart(at), store.path.clusterEnd(at));
    const by = origin === ORIGIN.prompt ? _("came with the task") : origin === ORIGIN.model ? _("the model wrote") : origin === ORIGIN.candidate ? _("a person picked") : _("a person typed");
    head.replaceChildren(
      make("b", { text: fill(_("Token %(number)s"), { number: at - store.low + 1 }) }),
      make("span", { class: "muted", text: by }), tokenFace(hex ? whole : text, hex, special.get(id)),
      make("span", { class: "muted", text: logprob === null ? "" : fill(_("at %(chance)s"), { chance: percent(logprob) }) }),
      make("span", { class: "strip-focus" }),
    );
  }

  /** Tell the id and the rank of the highlighted row. */
  #focused() {
    const row = this.means.strip.highlighted;
    const place = this.means.head.querySelector(".strip-focus");
    if (!place) return;
    place.textContent = !row || row.id === null ? fill(_("write your own: %(key)s"), { key: capOf("type") })
      : row.rank ? fill(_("rank %(rank)s, id %(id)s"), { rank: row.rank, id: row.id }) : fill(_("id %(id)s"), { id: row.id });
  }

  /** @param {import("./candidates.js").Choice|undefined} choice */
  choose(choice) {
    const { acts, say } = this.means;
    if (!choice || this.at === null) return;
    if (choice.kind === "other") {
      this.type(false);
      return;
    }
    if (this.#cutsCharacter && !choice.sampled) {
      say(_("This place is inside a character: hold Alt to choose here all the same."));
      return;
    }
    if (choice.sampled) {
      say(_("That is what stands here already. Choose another, or Esc to leave it."));
      return;
    }
    const at = this.at;
    const ends = choice.kind === "end";
    const text = choice.text || (ends ? this.means.special.get(choice.id ?? -1) ?? "" : "");
    /** @type {import("./path.js").Row} */
    const row = choice.hex ? [choice.id ?? 0, text, choice.logprob, choice.hex] : [choice.id ?? 0, text, choice.logprob];
    const ahead = ends ? undefined : this.means.ahead.behind(choice.id);
    this.#leave();
    acts.correct(at, ends ? { end: true } : { candidate: choice.id }, [row], ahead);
  }

  /** The answer should have ended before the token at `at`. @param {number} at */
  endAt(at) {
    const { store, say } = this.means;
    const [end] = store.episode.policy.eos;
    if (!correctable(store.path, at)) {
      say(_("These tokens were given to the model; only what it wrote can be corrected."));
      return;
    }
    this.at = store.path.clusterStart(at);
    this.choose({ kind: "end", key: "0", id: end, text: "", logprob: null, rank: null, sampled: store.path.rows[at][0] === end, twin: false });
  }

  /** Write instead of choosing. @param {boolean} filtering */
  type(filtering) {
    const { store, typing, modes, pane } = this.means;
    if (this.at === null) return;
    if (!filtering) {
      this.means.ahead.close();
      this.at = store.path.clusterStart(this.at);
    }
    pane.mark(store.path.clusterStart(this.at));
    modes.set("type");
    find("[data-strip]").dataset.typing = filtering ? "filter" : "text";
    typing.open(store.path.rows[this.at][1].startsWith(" "), filtering, this.means.acts.unsent);
  }

  #typed() {
    const { typing, strip } = this.means;
    if (!typing.filtering) return;
    const left = strip.filter(typing.area.value);
    if (!left && typing.area.value) {
      find("[data-strip]").dataset.typing = "text";
      typing.asText();
    }
  }

  /** Take what is typed, or the filtered row that is highlighted. */
  commit() {
    const { typing, strip, acts, say, store } = this.means;
    if (this.at === null) return;
    if (typing.filtering && typing.area.value && strip.highlighted) {
      this.choose(strip.highlighted);
      return;
    }
    const text = typing.text;
    if (!text) {
      say(_("Write something first, or Esc to go back."));
      return;
    }
    const at = store.path.clusterStart(this.at);
    const rows = typing.last?.text === text ? typing.last.rows : [/** @type {[number, string, null]} */ ([-1, text, null])];
    this.#leave();
    acts.correct(at, { text }, rows);
  }

  #leave() {
    this.means.ahead.close(true);
    this.close();
    this.means.pane.mark(null);
    this.means.modes.set("continue");
    this.means.pane.scroller.focus({ preventScroll: true });
    this.means.pane.toEnd();
  }

  /** Close the strip without a choice. */
  close() {
    this.at = null;
    this.asked += 1;
    this.means.ahead.close();
    this.means.typing.close();
    this.means.strip.clear();
    this.means.head.replaceChildren();
    delete find("[data-strip]").dataset.typing;
  }

  /** The text changed under the choice, from the token `keep` on: let go of it, and keep what was typed. @param {number} keep */
  overtaken(keep) {
    const { typing, acts, modes, pane } = this.means;
    if (this.at === null || this.at < keep) return;
    if (modes.mode === "type" && !typing.filtering && typing.area.value) acts.unsent = typing.text;
    this.close();
    modes.set("read");
    pane.scroller.focus({ preventScroll: true });
  }

  /** One step back. */
  back() {
    const { modes, typing, strip, store, pane } = this.means;
    if (modes.mode === "type") {
      typing.close();
      delete find("[data-strip]").dataset.typing;
      strip.filter("");
      modes.set("pick");
      strip.list.focus({ preventScroll: true });
    } else if (modes.mode === "pick") {
      store.lookedBeforeLocate = true;
      store.heatSeen = true;
      this.close();
      modes.set("locate");
      pane.scroller.focus({ preventScroll: true });
    }
  }
}
