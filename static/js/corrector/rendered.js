/** The answer as rendered Markdown beside the tokens: drawn only while it is shown, block by block. */

import { debounce, make } from "../dom.js";
import { MarkdownStream } from "./markdown.js";
import { nodes, plain } from "./markdowndom.js";
import { speakerName } from "./heads.js";

const IDLE_MS = 300;
const BY_HAND_MS = 250;

/** One run of text by one speaker: an answer is Markdown, what was given to the model stands as it is. */
class Run {
  /** @param {number} start of its first token @param {string} who speaks, "" for the template */
  constructor(start, who) {
    this.start = start;
    this.end = start;
    this.who = who;
    this.quiet = who !== "assistant";
    this.element = make("div", { class: this.quiet ? "md-given" : "md", hidden: who === "", "data-who": who ? speakerName(who) : null });
    this.tail = make("div", { class: "md-tail" });
    this.rest = make("p", { class: "md-rest", dir: "auto" });
    this.element.append(this.tail, this.rest);
    this.stream = new MarkdownStream();
    /** @type {Node[][]} nodes of each settled block */
    this.blocks = [];
  }

  /** @param {string} text @param {boolean} [whole] */
  append(text, whole = false) {
    if (this.quiet) {
      if (text) this.tail.append(...plain(text));
      return;
    }
    const change = this.stream.append(text, whole);
    for (const block of change.settled) {
      const made = nodes(block.tokens);
      this.blocks.push([...made.childNodes]);
      this.tail.before(made);
    }
    if (change.tail) this.tail.replaceChildren(nodes(change.tail));
    if (change.code) this.tail.querySelector("code")?.append(...plain(change.code));
    this.rest.replaceChildren(...plain(change.rest));
  }

  /** Keep the first `length` characters. @param {number} length */
  cut(length) {
    const stay = this.stream.cut(length);
    for (const gone of this.blocks.splice(stay)) for (const node of gone) /** @type {ChildNode} */ (node).remove();
    this.tail.replaceChildren();
    this.rest.replaceChildren();
    const left = this.stream.source.slice(this.stream.start);
    this.stream.source = this.stream.source.slice(0, this.stream.start);
    this.append(left, true);
  }
}

export class Rendered {
  /** @param {{root: HTMLElement, store: import("./store.js").EpisodeStore, pane: import("./pane.js").Pane, special: Map<number, string>,
   *   shown: boolean, keep: (shown: boolean) => void}} means */
  constructor(means) {
    this.means = means;
    /** @type {Run[]} */
    this.runs = [];
    this.drawn = 0;
    this.shown = means.shown;
    this.byHand = -Infinity;
    const { root, store, pane } = means;
    const settle = debounce(() => this.shown && this.runs.at(-1)?.append("", true), IDLE_MS);
    store.addEventListener("path", (event) => this.cut(/** @type {CustomEvent} */ (event).detail.keep));
    pane.addEventListener("drawn", () => {
      this.draw();
      settle();
    });
    pane.addEventListener("scrolled", () => this.follow());
    for (const name of ["wheel", "touchmove", "pointerdown", "keydown"]) root.addEventListener(name, () => (this.byHand = performance.now()), { passive: true });
    root.addEventListener("scroll", () => this.#lead(), { passive: true });
    root.hidden = !this.shown;
  }

  /** Show or hide it, and keep that for the next time. */
  toggle() {
    this.show(!this.shown);
    this.means.keep(this.shown);
  }

  /** @param {boolean} on */
  show(on) {
    this.shown = on;
    this.means.root.hidden = !on;
    if (!on) return;
    this.draw();
    this.runs.at(-1)?.append("", true);
    this.follow();
  }

  /** Draw what the path has and this view has not. */
  draw() {
    const { store, root, special } = this.means;
    if (!this.shown) return;
    const { path, low } = store;
    let at = Math.max(this.drawn, low);
    while (at < path.length) {
      const who = path.speakerAt(at);
      let run = this.runs.at(-1);
      if (!run || run.who !== who) {
        run?.append("", true);
        run = new Run(at, who);
        this.runs.push(run);
        root.append(run.element);
      }
      let text = "";
      for (; at < path.length && path.speakerAt(at) === who; at += 1) if (!special.has(path.rows[at][0])) text += path.rows[at][1];
      run.end = at;
      run.append(text);
    }
    this.drawn = path.length;
    if (this.means.pane.follow) this.follow();
  }

  /** Forget the tokens at and after `keep`. @param {number} keep */
  cut(keep) {
    if (keep >= this.drawn) return;
    const { path } = this.means.store;
    while (this.runs.length && this.runs[this.runs.length - 1].start >= keep) this.runs.pop()?.element.remove();
    const run = this.runs.at(-1);
    this.drawn = run ? Math.min(run.end, keep) : 0;
    if (run && run.end > keep) {
      let length = 0;
      for (let i = run.start; i < keep; i += 1) if (!this.means.special.has(path.rows[i][0])) length += path.rows[i][1].length;
      run.end = keep;
      if (run.quiet) {
        const text = path.text(run.start, keep);
        run.tail.replaceChildren();
        run.append(text);
      } else run.cut(length);
    }
    if (this.shown) this.draw();
  }

  /** Scroll with the tokens. */
  follow() {
    const { root, pane } = this.means;
    if (!this.shown || performance.now() - this.byHand < BY_HAND_MS) return;
    const from = pane.scroller;
    const share = from.scrollTop / Math.max(1, from.scrollHeight - from.clientHeight);
    root.scrollTop = share * (root.scrollHeight - root.clientHeight);
  }

  /** The tokens scroll with this view where a person scrolls it. */
  #lead() {
    if (performance.now() - this.byHand > BY_HAND_MS) return;
    const { root, pane } = this.means;
    const share = root.scrollTop / Math.max(1, root.scrollHeight - root.clientHeight);
    pane.unfollow();
    pane.scroller.scrollTop = share * (pane.scroller.scrollHeight - pane.scroller.clientHeight);
  }
}
