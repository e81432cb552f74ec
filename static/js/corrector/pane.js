/** The pane in which the answer is read and located: drawing, the cursor, scrolling, clicks. */

import { Blocks } from "./blocks.js";
import { ownFrom } from "./movement.js";

/** @typedef {import("./path.js").Path} Path */

const AT_END_PX = 24;
const FARTHEST = 4000;

export class Pane extends EventTarget {
  /**
   * @param {HTMLElement} scroller @param {HTMLElement} root where the blocks go
   * @param {import("./blocks.js").Signs} signs
   */
  constructor(scroller, root, signs) {
    super();
    this.scroller = scroller;
    this.blocks = new Blocks(root, signs);
    /** @type {Path|null} */
    this.path = null;
    /** @type {number|null} */
    this.cursor = null;
    /** @type {HTMLElement[]} */
    this.marked = [];
    this.follow = true;
    this.cutting = false;
    this.frame = 0;
    this.blocks.source = () => /** @type {Path} */ (this.path);
    scroller.addEventListener("click", (event) => this.#clicked(event));
    scroller.addEventListener("wheel", (event) => event.deltaY < 0 && this.unfollow(), { passive: true });
    scroller.addEventListener("touchmove", () => this.unfollow(), { passive: true });
    scroller.addEventListener("pointerdown", (event) => event.target === scroller && this.unfollow());
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
  }

  /** Where the view stood after the last scroll, to see which way it went. */
  top = 0;

  #scrolled() {
    const { scrollTop } = this.scroller;
    if (scrollTop < this.top - 1 && !this.atEnd) this.unfollow();
    this.top = scrollTop;
    this.dispatchEvent(new Event("scrolled"));
  }

  /** Show a path of which the first `keep` tokens are drawn already. @param {Path} path @param {number} low @param {number} keep */
  show(path, low, keep) {
    this.path = path;
    if (this.cursor !== null && this.cursor >= keep) this.mark(null);
    if (keep < this.blocks.drawn || low !== this.blocks.low) this.blocks.cut(path, low, keep);
    this.#later();
  }

  /** The path grew. */
  grew() {
    this.#later();
  }

  #later() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.flush());
  }

  /** Draw now what waits for the next frame. */
  flush() {
    if (!this.path || (!this.frame && this.blocks.drawn >= this.path.length)) return;
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.blocks.draw(this.path);
    if (this.cursor !== null && !this.marked.every((span) => span.isConnected)) this.mark(this.cursor, this.raw);
    if (this.follow) this.scroller.scrollTop = this.scroller.scrollHeight;
    this.dispatchEvent(new Event("drawn"));
  }

  /** @type {number|null} the raw token inside the cluster, where one was asked for */
  raw = null;

  /** Put the cursor on the cluster at `at`, or nowhere. @param {number|null} at @param {number|null} [raw] */
  mark(at, raw = null) {
    for (const span of this.marked) {
      span.classList.remove("at", "cut");
      span.removeAttribute("data-raw");
      if (this.cutting) this.#cutFrom(span, false);
    }
    this.marked = [];
    this.cursor = at;
    this.raw = raw;
    if (at === null || !this.path) return;
    const start = this.path.clusterStart(at);
    const end = this.path.clusterEnd(at);
    for (let i = start; i < end; i += 1) {
      const span = this.blocks.span(this.path, i);
      if (!span) continue;
      span.classList.add("at");
      if (this.cutting) this.#cut(span);
      if (raw !== null && end - start > 1) span.dataset.raw = `${raw - start + 1}/${end - start}`;
      this.marked.push(span);
    }
  }

  /** Strike what a choice would cut away. The classes are apart from the cursor's, so that moving it touches no other token.
   * @param {boolean} on */
  strike(on) {
    if (on === this.cutting) return;
    this.cutting = on;
    for (const span of this.marked) {
      if (on) this.#cut(span);
      else {
        span.classList.remove("cut");
        this.#cutFrom(span, false);
      }
    }
  }

  /** @param {HTMLElement} span */
  #cut(span) {
    span.classList.add("cut");
    this.#cutFrom(span, true);
  }

  /** What comes behind the token's block, on its leaf and on those after it, is cut too. @param {HTMLElement} span @param {boolean} on */
  #cutFrom(span, on) {
    span.parentElement?.classList.toggle("cut-here", on);
    span.parentElement?.parentElement?.classList.toggle("cuts", on);
  }

  /** Bring the cursor into view. */
  reveal() {
    if (this.cursor !== null) this.blocks.unfold(this.cursor);
    const span = this.marked.at(-1);
    if (!span) return;
    this.unfollow();
    span.scrollIntoView({ block: "nearest" });
  }

  unfollow() {
    this.follow = false;
  }

  /** Go to the end and stay there while text arrives. */
  toEnd() {
    this.follow = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  get atEnd() {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < AT_END_PX;
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed) return;
    const span = /** @type {HTMLElement} */ (event.target).closest?.(".t");
    const block = span?.parentElement;
    if (!span || !block?.dataset.start) return;
    const at = Number(block.dataset.start) + Array.prototype.indexOf.call(block.children, span);
    this.dispatchEvent(new CustomEvent("locate", { detail: at }));
  }

  /** @param {number} at @returns {DOMRect|null} */
  #box(at) {
    if (!this.path) return null;
    const span = this.blocks.span(this.path, this.path.clusterEnd(at) - 1);
    const boxes = span?.getClientRects();
    return boxes?.length ? boxes[0] : null;
  }

  /** The cluster above or below on the screen, `lines` visual lines away. @param {number} at @param {number} lines */
  byLine(at, lines) {
    const path = this.path;
    const here = this.#box(at);
    if (!path || !here) return at;
    const middle = here.left + here.width / 2;
    const height = parseFloat(getComputedStyle(this.scroller).lineHeight) || here.height;
    const wanted = here.top + here.height / 2 + lines * height;
    const direction = lines > 0 ? 1 : -1;
    let best = at;
    let bestScore = Infinity;
    let previous = at;
    for (let i = 0; i < FARTHEST; i += 1) {
      const beside = direction > 0 ? path.clusterEnd(previous) : path.clusterStart(previous) - 1;
      const next = ownFrom(path, beside, direction);
      if (next < this.blocks.low || next >= path.length) break;
      previous = path.clusterStart(next);
      const box = this.#box(previous);
      if (!box) continue;
      const line = Math.abs(box.top + box.height / 2 - wanted) / height;
      const moved = direction * (box.top - here.top) > height / 2;
      const score = Math.round(line) * 1e5 + Math.abs(box.left + box.width / 2 - middle);
      if (moved && score < bestScore) {
        best = previous;
        bestScore = score;
      }
      if (direction * (box.top + box.height / 2 - wanted) > height * 1.5) break;
    }
    return best;
  }

  /** How many lines fit the view. */
  get pageLines() {
    const height = parseFloat(getComputedStyle(this.scroller).lineHeight) || 24;
    return Math.max(1, Math.floor(this.scroller.clientHeight / height) - 1);
  }

  /** The first token in view, where a cursor can begin. @returns {number} */
  firstInView() {
    const top = this.scroller.getBoundingClientRect().top;
    /** @type {Element|null} */
    let above = null;
    for (const block of this.blocks.blocks) {
      // Not asked of the blocks of a leaf that is above: the browser would have to lay it out.
      const leaf = block.element.parentElement;
      if (!leaf || leaf === above) continue;
      if (leaf.getBoundingClientRect().bottom < top) {
        above = leaf;
        continue;
      }
      if (block.element.getBoundingClientRect().bottom < top) continue;
      for (let i = block.start; i < block.end; i += 1) {
        const box = this.#box(i);
        if (box && box.bottom > top) return i;
      }
    }
    return this.blocks.low;
  }
}
