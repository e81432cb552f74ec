/** What a comment is about: the whole task, a sentence, or tokens; and where that stands on the path shown. */

import { byStep } from "./movement.js";

/**
 * @typedef {import("./path.js").Path} Path
 * @typedef {{level: "task"|"step"|"token", segment?: string, start?: number, end?: number, quote?: string}} Anchor
 * @typedef {{start: number, end: number}} Place half-open, absolute
 */

/** The token that an element of the text belongs to. @param {Node|null} node @returns {number|null} */
function tokenOf(node) {
  const element = node instanceof Element ? node : node?.parentElement;
  const span = element?.closest(".t");
  const block = span?.parentElement;
  if (!span || !block?.dataset.start) return null;
  return Number(block.dataset.start) + Array.prototype.indexOf.call(block.children, span);
}

/** The tokens that are selected in the text, whole characters. @param {HTMLElement} root @param {Path} path @returns {Place|null} */
export function selectedTokens(root, path) {
  const selection = document.getSelection();
  if (!selection?.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!root.contains(range.commonAncestorContainer)) return null;
  const spans = [...root.querySelectorAll(".t")].filter((span) => selection.containsNode(span, true) && touches(range, span));
  const first = tokenOf(spans[0] ?? null);
  const last = tokenOf(spans.at(-1) ?? null);
  return first === null || last === null ? null : { start: path.clusterStart(first), end: path.clusterEnd(last) };
}

/** Does the range hold more than an edge of the element? @param {Range} range @param {Element} element */
function touches(range, element) {
  const own = document.createRange();
  own.selectNodeContents(element);
  return range.compareBoundaryPoints(Range.END_TO_START, own) < 0 && range.compareBoundaryPoints(Range.START_TO_END, own) > 0;
}

/** The sentence, list item or call in which a token stands. @param {Path} path @param {number} at @param {number} low @returns {Place} */
export function stepAt(path, at, low) {
  const next = path.clusterEnd(at);
  const start = Math.max(low, next < path.length ? byStep(path, next, low, -1) : byStep(path, at, low, -1));
  const end = byStep(path, at, low, 1);
  return { start: Math.min(start, at), end: end > at ? end : path.length };
}

/** @param {Path} path @param {Place} place @param {"step"|"token"} level @returns {Anchor} */
export function anchorOf(path, { start, end }, level) {
  return { level, segment: path.pieceAt(end - 1).segment, start, end, quote: path.text(start, end) };
}

/** Where an anchor stands on the path shown, null where it is on another branch. @param {Path} path @param {Anchor} anchor @returns {Place|null} */
export function placeOf(path, { segment, start, end, quote }) {
  if (start === undefined || end === undefined || end > path.length) return null;
  return path.pieceAt(end - 1).segment === segment && path.text(start, end) === quote ? { start, end } : null;
}

/** The tokens as a range of the page; blocks that are only text stay so. @param {import("./blocks.js").Blocks} blocks @param {Path} path @param {Place} place
 * @returns {Range|null} */
export function rangeOf(blocks, path, { start, end }) {
  const range = document.createRange();
  const edge = (/** @type {number} */ at, /** @type {"setStart"|"setEnd"} */ set) => {
    const last = set === "setEnd" ? at - 1 : at;
    const block = blocks.blockOf(last);
    if (!block || last < block.start || last >= block.end) return false;
    const node = block.spans ? block.element : block.element.firstChild;
    if (!node) return false;
    range[set](node, block.spans ? at - block.start : path.text(block.start, at).length);
    return true;
  };
  return edge(start, "setStart") && edge(end, "setEnd") ? range : null;
}
