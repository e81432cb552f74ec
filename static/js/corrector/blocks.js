/** The dialogue as blocks of about 256 tokens: spans near the view, one text node elsewhere, one flush per frame. */

import { Heads, NAME_WITHIN, callName } from "./heads.js";
import { Regions } from "./regions.js";
import { tokenSpan } from "./spans.js";

/**
 * @typedef {import("./path.js").Path} Path
 * @typedef {import("./heads.js").Group} Group
 * @typedef {{start: number, end: number, element: HTMLElement, spans: boolean, group: Group, closed: boolean, midLine: boolean}} Block
 * @typedef {{special: Map<number, string>, channels: import("./regions.js").Marker[], eos: number[]}} Signs
 */

const BLOCK = 256;
const LONGEST_BLOCK = 512;
const ALWAYS_SPANS = 6;
const LEAF = 60;

export class Blocks {
  /** @param {HTMLElement} root @param {Signs} signs names of special tokens by id, and what marks channels */
  constructor(root, signs) {
    this.root = root;
    this.signs = signs;
    this.heads = new Heads(root);
    /** @type {Block[]} */
    this.blocks = [];
    this.low = 0;
    this.drawn = 0;
    this.regions = new Regions(signs.channels, signs.eos);
    this.near = new IntersectionObserver((entries) => this.#reached(entries), { root: root.parentElement, rootMargin: "200% 0px" });
  }

  /** Blocks became spans or text: ranges over them are to be made anew. */
  onswap = () => undefined;

  /** Forget everything drawn at and after `keep`. @param {Path} path @param {number} low @param {number} keep */
  cut(path, low, keep) {
    if (low !== this.low) keep = low;
    this.low = low;
    this.#forget(path, keep);
    this.regions = new Regions(this.signs.channels, this.signs.eos);
    this.#prime(path);
    for (let i = low; i < this.drawn; i += 1) this.#feed(path, i);
  }

  /** What the template wrote right before the text may have opened a thought. @param {Path} path */
  #prime(path) {
    const end = Math.min(this.low, path.length);
    let from = end;
    while (from > 0 && path.speakerAt(from - 1) === "") from -= 1;
    for (let i = from; i < end; i += 1) this.regions.feed(path.rows[i][0], path.rows[i][1], "");
    this.regions.of = [];
  }

  /** @param {Path} path @param {number} at @returns {number} the first token whose channel is now other than before */
  #feed(path, at) {
    return this.low + this.regions.feed(path.rows[at][0], path.rows[at][1], path.speakerAt(at));
  }

  /** @param {Path} path @param {number} keep */
  #forget(path, keep) {
    while (this.blocks.length && this.blocks[this.blocks.length - 1].end > keep) {
      const block = this.blocks[this.blocks.length - 1];
      if (block.start < keep) {
        this.#trim(path, block, keep);
        break;
      }
      this.near.unobserve(block.element);
      block.element.remove();
      this.blocks.pop();
      block.group.blocks.pop();
      if (!block.group.blocks.length) this.heads.drop(block.group);
    }
    while (this.root.lastElementChild?.childElementCount === 0) this.root.lastElementChild.remove();
    this.drawn = this.blocks.at(-1)?.end ?? this.low;
  }

  /** @param {Path} path @param {Block} block @param {number} keep */
  #trim(path, block, keep) {
    block.end = keep;
    block.closed = false;
    block.element.classList.toggle("flow", block.midLine);
    if (!block.spans) this.#toSpans(path, block);
    while (block.element.childNodes.length > keep - block.start) block.element.lastChild?.remove();
    for (let i = path.clusterStart(keep - 1); i < keep; i += 1) if (path.rows[i][3]) this.#redraw(path, i);
  }

  /** Draw what the path has and the page has not. @param {Path} path */
  draw(path) {
    let from = this.drawn;
    if (from >= path.length) return;
    this.marked.at = -1;
    let changed = from;
    for (let i = from; i < path.length; i += 1) changed = Math.min(changed, this.#feed(path, i));
    if (changed < from) {
      this.#forget(path, Math.max(changed, this.low));
      from = this.drawn;
    }
    const redraw = Math.max(Math.min(path.first[from], from), this.low);
    /** @type {DocumentFragment} */
    let batch = document.createDocumentFragment();
    let plain = "";
    const put = (/** @type {Block|undefined} */ into) => {
      if (plain) batch.append(plain);
      plain = "";
      into?.element.append(batch);
      batch = document.createDocumentFragment();
    };
    let block = this.blocks.at(-1);
    if (block && !block.closed && !block.spans) this.#toSpans(path, block);
    const told = new Set(block ? [block.group] : []);
    for (let i = from; i < path.length; i += 1) {
      const text = path.rows[i][1];
      const start = this.#groupStart(path, i);
      if (!block || block.closed || block.group.start !== start) {
        put(block);
        block = this.#add(path, i, start);
        // Of much that is drawn at once only the end becomes spans in this frame, the rest when it comes near the view.
        block.spans = path.length - i <= LONGEST_BLOCK;
        told.add(block.group);
      }
      if (block.spans) batch.append(tokenSpan(path, i, { special: this.signs.special, low: this.low }));
      else plain += text;
      if (block.spans && batch.lastElementChild?.classList.contains("joined")) this.#join(path, i, batch);
      block.end = i + 1;
      const size = block.end - block.start;
      if ((size >= BLOCK && text.endsWith("\n")) || size >= LONGEST_BLOCK) this.#close(block, text);
    }
    put(block);
    this.drawn = path.length;
    for (let i = redraw; i < from; i += 1) this.#redraw(path, i);
    for (const group of told) this.heads.tell(path, group);
  }

  /** One character of several tokens is one box: the token before gets its part. @param {Path} path @param {number} at @param {DocumentFragment} batch */
  #join(path, at, batch) {
    const back = at - (path.clusterStart(at) - 1);
    const before = batch.children[batch.childElementCount - 1 - back] ?? this.span(path, at - back);
    before?.classList.add("joins");
  }

  /** Where the group of a token begins: a message, a thought, a call, or the plain text between. @param {Path} path @param {number} at */
  #groupStart(path, at) {
    const before = this.blocks.at(-1);
    const kind = this.#kind(path, at);
    const mark = this.#mark(path, at);
    const above = this.marked.at === at - 1 ? this.marked.mark : at > this.low ? this.#mark(path, at - 1) : undefined;
    this.marked = { at, mark };
    return before && at > this.low && before.group.kind === kind && mark === above ? before.group.start : at;
  }

  /** The mark of the token that was asked for last. @type {{at: number, mark: any}} */
  marked = { at: -1, mark: undefined };

  /** What tells a group from the next of its kind. @param {Path} path @param {number} at */
  #mark(path, at) {
    if (path.speakerAt(at) !== "assistant") return path.saidAt(at);
    return path.callAt(at) ?? this.regions.of[at - this.low];
  }

  /** @param {Path} path @param {number} at @returns {string} */
  #kind(path, at) {
    const speaker = path.speakerAt(at);
    if (speaker !== "assistant") return speaker || "frame";
    return path.callAt(at) ? "call" : this.regions.kind(at - this.low) || "assistant";
  }

  /** @param {Path} path @param {number} start @param {number} group where its group begins @returns {Block} */
  #add(path, start, group) {
    const before = this.blocks.at(-1);
    if (before && !before.closed) before.closed = true;
    const joins = before !== undefined && before.group.start === group;
    const own = joins ? before.group : this.#begin(path, start);
    const { kind } = own;
    const element = document.createElement("div");
    element.className = `block ${kind === "assistant" ? "" : kind}`.trim();
    if (kind === "user" || kind === "tool" || kind === "system") element.classList.add("quiet");
    element.dataset.start = String(start);
    const midLine = joins && before.element.classList.contains("flow") && !before.element.textContent?.endsWith("\n");
    element.classList.toggle("flow", midLine);
    const block = { start, end: start, element, spans: true, group: own, closed: false, midLine };
    this.blocks.push(block);
    own.blocks.push(block);
    this.heads.dress(own, block);
    this.#leaf(false).append(element);
    this.near.observe(element);
    return block;
  }

  /** @param {Path} path @param {number} start @returns {Group} */
  #begin(path, start) {
    const kind = this.#kind(path, start);
    const above = this.blocks.findLast((block) => block.group.kind !== "frame");
    const given = (/** @type {string} */ one) => one === "user" || one === "tool" || one === "system";
    const goesOn = kind === "assistant" && !(above && given(above.group.kind));
    const group = this.heads.add(start, kind, kind !== "frame" && !goesOn);
    if (kind === "tool") group.name = this.#answered(path);
    const leaf = this.#leaf(true);
    if (group.head) leaf.append(group.head);
    return group;
  }

  /** Where the next element goes: many turns lie on leaves, of which the browser lays out those near the view.
   * @param {boolean} begins does a group begin, which may stand on a new one? @returns {Element} */
  #leaf(begins) {
    const last = this.root.lastElementChild;
    if (last && !(begins && last.childElementCount >= LEAF)) return last;
    const leaf = document.createElement("div");
    leaf.className = "leaf";
    this.root.append(leaf);
    return leaf;
  }

  /** The name of the call that the tool's message which begins now answers: they come in the order of the calls. @param {Path} path */
  #answered(path) {
    let answers = 0;
    let own = false;
    /** @type {Group|undefined} */
    let before;
    const calls = [];
    for (let i = this.blocks.length - 1; i >= 0; i -= 1) {
      const { group } = this.blocks[i];
      if (group === before || group.kind === "frame") continue;
      before = group;
      if (group.kind === "user" || group.kind === "system" || (group.kind === "tool" && own)) break;
      if (group.kind === "tool") answers += 1;
      else own = true;
      if (group.kind === "call") calls.unshift(group);
    }
    const call = calls[answers];
    return call ? callName(path.text(call.start, Math.min(path.length, call.start + NAME_WITHIN))) : "";
  }

  /** @param {Block} block @param {string} text of its last token */
  #close(block, text) {
    block.closed = true;
    if (!text.endsWith("\n")) block.element.classList.add("flow");
  }

  /** @param {Path} path @param {number} at */
  #redraw(path, at) {
    const block = this.blockOf(at);
    if (block?.spans) block.element.children[at - block.start]?.replaceWith(tokenSpan(path, at, { special: this.signs.special, low: this.low }));
  }

  /** @param {number} at @returns {Block|undefined} */
  blockOf(at) {
    let low = 0;
    let high = this.blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.blocks[middle].end <= at) low = middle + 1;
      else high = middle;
    }
    return this.blocks[low];
  }

  /** The span of a token, made when its block was only text. @param {Path} path @param {number} at @returns {HTMLElement|null} */
  span(path, at) {
    const block = this.blockOf(at);
    if (!block || at < block.start || at >= block.end) return null;
    if (!block.spans) this.#toSpans(path, block);
    return /** @type {HTMLElement|null} */ (block.element.children[at - block.start] ?? null);
  }

  /** Open what is folded over a token; `turn` also folds what is open. @param {number} at @param {boolean} [turn] @returns {boolean} whether there is a fold */
  unfold(at, turn = false) {
    const block = this.blockOf(at);
    const group = block?.group;
    if (!block || !group?.folds) return false;
    if (turn || (!group.open && block.element.hasAttribute("hidden"))) this.heads.turn(group, !group.open);
    return true;
  }

  /** @param {Path} path @param {Block} block */
  #toSpans(path, block) {
    const batch = document.createDocumentFragment();
    for (let i = block.start; i < block.end; i += 1) batch.append(tokenSpan(path, i, { special: this.signs.special, low: this.low }));
    block.element.replaceChildren(batch);
    block.spans = true;
  }

  /** @type {(() => Path)|null} where the observer finds the path */
  source = null;

  /** @param {IntersectionObserverEntry[]} entries */
  #reached(entries) {
    const path = this.source?.();
    if (!path) return;
    let swapped = false;
    const byElement = new Map(this.blocks.map((block) => [block.element, block]));
    for (const entry of entries) {
      const block = byElement.get(/** @type {HTMLElement} */ (entry.target));
      if (!block || block.end > path.length) continue;
      const before = block.spans;
      if (entry.isIntersecting && !block.spans) this.#toSpans(path, block);
      else if (!entry.isIntersecting && block.spans && block.closed && this.blocks.length > ALWAYS_SPANS && !block.element.querySelector(".at")) {
        block.element.textContent = path.text(block.start, block.end);
        block.spans = false;
      }
      swapped ||= before !== block.spans;
    }
    if (swapped) this.onswap();
  }
}
