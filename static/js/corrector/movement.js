/** Where the cursor goes: by cluster, token, word, step and surprise. Positions are absolute; nothing here touches the page. */

import { heat } from "./display.js";
import { ORIGIN } from "./path.js";

/** @typedef {import("./path.js").Path} Path */

const WINDOW = 400;
const STEP = /(?:[.!?…]+["'”’)\]]*\s+|[。！？]+["'”’）」』]*\s*|\n+\s*|<\/?(?:think|tool_call)>\s*)/gu;

/** @type {Map<string, Intl.Segmenter>} */
const segmenters = new Map();

/** @param {string} language @returns {Intl.Segmenter} */
function segmenter(language) {
  let found = segmenters.get(language);
  if (!found) {
    found = new Intl.Segmenter(language, { granularity: "word" });
    segmenters.set(language, found);
  }
  return found;
}

/** The nearest token at or after `at` in the direction that an assistant wrote: what was given is passed over in one step.
 * @param {Path} path @param {number} at @param {1|-1} direction @returns {number} may lie outside of the path */
export function ownFrom(path, at, direction) {
  let i = at;
  while (i > 0 && i < path.length && path.speakerAt(i) !== "assistant") {
    if (direction > 0) i = path.runEnd(i);
    else i = path.speakerAt(i) === "" ? i - 1 : path.runStart(i) - 1;
  }
  return i;
}

/** @param {Path} path @param {number} at @param {number} low @param {1|-1} direction */
export function byCluster(path, at, low, direction) {
  const start = path.clusterStart(at);
  const next = ownFrom(path, direction > 0 ? path.clusterEnd(at) : start - 1, direction);
  return next >= low && next < path.length ? path.clusterStart(next) : start;
}

/** @param {Path} path @param {number} at @param {number} low @param {1|-1} direction */
export function byToken(path, at, low, direction) {
  const next = ownFrom(path, at + direction, direction);
  return next >= low && next < path.length ? next : at;
}

/** Text of a window of tokens and where each token begins in it.
 * @param {Path} path @param {number} from @param {number} to */
function windowed(path, from, to) {
  const offsets = [];
  let text = "";
  for (let i = from; i < to; i += 1) {
    offsets.push(text.length);
    text += path.rows[i][1];
  }
  return { text, offsets };
}

/** The token in which the character at `offset` lies. @param {number[]} offsets @param {number} offset */
function tokenAt(offsets, offset) {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Go to the nearest of `starts` (character offsets) in the direction, within what one speaker says or on to what the next does.
 * @param {Path} path @param {number} at @param {number} low @param {1|-1} direction
 * @param {(text: string) => number[]} starts */
function byStarts(path, at, low, direction, starts) {
  const from = Math.max(low, at - WINDOW, path.runStart(at));
  const to = Math.min(path.length, at + WINDOW, path.runEnd(at));
  const { text, offsets } = windowed(path, from, to);
  const tokens = starts(text).map((offset) => path.clusterStart(from + tokenAt(offsets, offset)));
  const here = path.clusterStart(at);
  const found = direction > 0 ? tokens.find((token) => token > here) : tokens.reverse().find((token) => token < here && token >= low);
  if (found !== undefined) return found;
  if (direction > 0) return to < path.length ? onward(path, to, 1) : path.clusterStart(path.length - 1);
  return from < here || from <= low ? from : Math.max(low, onward(path, from - 1, -1));
}

/** Where the reading goes on beside the end of what one speaker says: what the template wrote is passed over.
 * @param {Path} path @param {number} at @param {1|-1} direction */
function onward(path, at, direction) {
  let i = at;
  while (i > 0 && i < path.length && path.speakerAt(i) === "") i += direction;
  if (i >= path.length) return path.clusterStart(path.length - 1);
  return direction > 0 || path.speakerAt(i) === "assistant" ? path.clusterStart(i) : path.runStart(i);
}

/** @param {Path} path @param {number} at @param {number} low @param {1|-1} direction @param {string} language */
export function byWord(path, at, low, direction, language) {
  const found = byStarts(path, at, low, direction, (text) =>
    [...segmenter(language).segment(text)].filter((word) => word.isWordLike).map((word) => word.index));
  const own = ownFrom(path, found, direction);
  return own >= low && own < path.length ? path.clusterStart(own) : path.clusterStart(at);
}

/** Sentence, list item, paragraph, or call. @param {Path} path @param {number} at @param {number} low @param {1|-1} direction */
export function byStep(path, at, low, direction) {
  if (path.speakerAt(at) !== "assistant") {
    if (direction > 0) return onward(path, path.runEnd(at), 1);
    const start = path.runStart(at);
    return start < at || start <= low ? Math.max(start, low) : Math.max(low, onward(path, start - 1, -1));
  }
  return byStarts(path, at, low, direction, (text) =>
    [...text.matchAll(STEP)].map((match) => match.index + match[0].length).filter((offset) => offset < text.length));
}

/** The next token that the model was unsure of, or the same place where there is none.
 * @param {Path} path @param {number|null} at @param {number} low @param {1|-1} direction */
export function byUncertain(path, at, low, direction) {
  let i = at === null ? (direction > 0 ? low : path.length - 1) : at + direction;
  for (; i >= low && i < path.length; i += direction) {
    if (heat(path.rows[i][2]) && path.originAt(i) === ORIGIN.model) return path.clusterStart(i);
  }
  return at;
}

/** May a person correct this token? Template, user and tool text is not the model's.
 * @param {Path} path @param {number} at */
export function correctable(path, at) {
  return path.ownAt(at);
}

/** The nearest correctable token at or before `at`, else after it, else null.
 * @param {Path} path @param {number} at @param {number} low @returns {number|null} */
export function nearest(path, at, low) {
  const before = ownFrom(path, at, -1);
  if (before >= low && correctable(path, before)) return path.clusterStart(before);
  const after = ownFrom(path, at + 1, 1);
  return after < path.length && correctable(path, after) ? path.clusterStart(after) : null;
}
