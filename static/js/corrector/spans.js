/** One token as an element. Decorations are attributes drawn by the style sheet, so the text stays the true text. */

import { heat, joinsBefore, parts } from "./display.js";
import { ORIGIN } from "./path.js";

/**
 * @typedef {import("./path.js").Path} Path
 * @typedef {{special: Map<number, string>, low: number}} Look
 */

/** @param {Path} path @param {number} at */
function isWhole(path, at) {
  const row = path.rows[path.clusterEnd(at) - 1];
  return !row[3] || row[1] !== "";
}

/** @param {import("./display.js").Part} part @returns {Node} */
function partNode(part) {
  if (part.kind === "text") return document.createTextNode(part.text);
  const element = document.createElement("i");
  element.className = `odd ${part.kind}`;
  element.dataset.mark = part.mark;
  element.textContent = part.text;
  return element;
}

/** The token at `at` of the path as a span. @param {Path} path @param {number} at @param {Look} look @returns {HTMLElement} */
export function tokenSpan(path, at, look) {
  const [id, text, logprob, hex] = path.rows[at];
  const origin = path.originAt(at);
  const span = document.createElement("span");
  const names = ["t"];
  if (origin === ORIGIN.candidate) names.push("picked");
  if (origin === ORIGIN.human) names.push("typed");
  if ((names.length > 1) && (at === look.low || path.originAt(at - 1) !== origin || path.pieceAt(at).start === at)) names.push("begin");
  if (origin === ORIGIN.model) {
    const level = heat(logprob);
    if (level) names.push(`h${level}`);
  }
  const start = path.clusterStart(at);
  const before = start > look.low ? path.rows[start - 1][1] : "";
  if (joinsBefore(before, text)) names.push("joined");
  const end = path.clusterEnd(at);
  if (end < path.length && joinsBefore(text, path.rows[path.clusterEnd(end) - 1][1])) names.push("joins");
  const pieces = parts(text, hex, {
    special: look.special.get(id),
    before,
    lone: Boolean(hex) && !isWhole(path, at),
    afterLone: at > look.low && Boolean(path.rows[at - 1][3]) && path.rows[at - 1][1] === "" && path.first[at] === at,
  });
  if (start !== path.clusterEnd(at) - 1) {
    if (pieces.length) span.dataset.ticks = String(path.clusterEnd(at) - start);
    else names.push("inner");
  }
  if (pieces.length === 1 && pieces[0].kind === "text") span.textContent = text;
  else span.append(...pieces.map(partNode));
  span.className = names.join(" ");
  return span;
}
