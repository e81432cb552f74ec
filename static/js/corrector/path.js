/** The accepted path as the page holds it: tokens by absolute position, and their character clusters. */

import { Speakers } from "./speakers.js";

/** @typedef {[number, string, number|null, string?]} Row id, text, log-probability, hex of lone bytes */
/** @typedef {{segment: string, start: number, end: number, origin: number}} Piece half-open, absolute */

export const ORIGIN = { prompt: 0, model: 1, candidate: 2, human: 3, tool: 4, foreign: 5 };

/** Was it put in by the template, a user or a tool? @param {number} origin */
function given(origin) {
  return origin === ORIGIN.prompt || origin === ORIGIN.tool;
}

export class Path {
  /** @param {Speakers} [speakers] who said what in the segments that were given */
  constructor(speakers = new Speakers()) {
    this.speakers = speakers;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Piece[]} */
    this.pieces = [];
    /** @type {number[]} first token of each token's cluster */
    this.first = [];
    /** Where a character that is not whole yet began, or -1. */
    this.pending = -1;
    /** @type {Piece|undefined} the piece that was asked for last */
    this.hit = undefined;
  }

  get length() {
    return this.rows.length;
  }

  /**
   * @param {Row[]} rows @param {string} segment @param {number} origin
   */
  append(rows, segment, origin) {
    if (!rows.length) return;
    const last = this.pieces.at(-1);
    if (last && last.segment === segment) last.end += rows.length;
    else this.pieces.push({ segment, origin, start: this.length, end: this.length + rows.length });
    for (const row of rows) this.#cluster(row);
  }

  /** @param {Row} row */
  #cluster(row) {
    const at = this.rows.push(row) - 1;
    const bytes = Boolean(row[3]);
    const open = this.pending >= 0;
    this.first.push(bytes && open ? this.pending : at);
    if (!bytes || row[1] !== "") this.pending = -1;
    else if (!open) this.pending = at;
  }

  /** Drop the tokens at and after `length`. @param {number} length */
  cut(length) {
    this.rows.length = length;
    this.first.length = length;
    this.pieces = this.pieces.filter((piece) => piece.start < length);
    this.hit = undefined;
    const last = this.pieces.at(-1);
    if (last) last.end = Math.min(last.end, length);
    this.pending = -1;
    if (length && this.rows[length - 1][3] && this.rows[length - 1][1] === "") {
      this.pending = this.first[length - 1];
    }
  }

  /** @param {number} position @returns {Piece} */
  pieceAt(position) {
    // Whoever walks the path asks for the same piece again and again.
    const last = this.hit;
    if (last && position >= last.start && position < last.end) return last;
    this.hit = this.#search(position);
    return this.hit;
  }

  /** @param {number} position @returns {Piece} */
  #search(position) {
    let low = 0;
    let high = this.pieces.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pieces[middle].end <= position) low = middle + 1;
      else high = middle;
    }
    return this.pieces[low];
  }

  /** @param {number} position @returns {number} */
  originAt(position) {
    return this.pieceAt(position).origin;
  }

  /** The message that a given token belongs to; null for what the template or a model wrote.
   * @param {number} position @returns {import("./speakers.js").Said|null} */
  saidAt(position) {
    const piece = this.pieceAt(position);
    return given(piece.origin) ? this.speakers.at(piece.segment, position) : null;
  }

  /** Who speaks: "assistant", "user", "tool", "system", or "" for the template itself. @param {number} position @returns {string} */
  speakerAt(position) {
    const piece = this.pieceAt(position);
    return given(piece.origin) ? this.speakers.at(piece.segment, position)?.role ?? "" : "assistant";
  }

  /** Is the token an assistant's, so that a person may correct it? @param {number} position */
  ownAt(position) {
    return position > 0 && this.speakerAt(position) === "assistant";
  }

  /** The recorded call that an imported token belongs to. @param {number} position */
  callAt(position) {
    return this.speakers.callAt(this.pieceAt(position).segment, position);
  }

  /** One past the last token of the run of one speaker that the token stands in. @param {number} position @returns {number} */
  runEnd(position) {
    const who = this.speakerAt(position);
    let at = position;
    do {
      const piece = this.pieceAt(at);
      const next = this.saidAt(at)?.end ?? (given(piece.origin) ? this.speakers.next(piece.segment, at) : piece.end);
      at = Math.min(next, piece.end);
    } while (at < this.length && (who === "assistant" || who === "") && this.speakerAt(at) === who);
    return at;
  }

  /** The first token of what one speaker says there; of the template's own, the token itself. @param {number} position @returns {number} */
  runStart(position) {
    const who = this.speakerAt(position);
    let at = position;
    while (who !== "") {
      at = this.saidAt(at)?.start ?? this.pieceAt(at).start;
      if (at === 0 || who !== "assistant" || this.speakerAt(at - 1) !== who) break;
      at -= 1;
    }
    return at;
  }

  /** First token of the cluster at `position`. @param {number} position */
  clusterStart(position) {
    return this.first[position];
  }

  /** One past the last token of the cluster at `position`. @param {number} position */
  clusterEnd(position) {
    const start = this.first[position];
    let end = position + 1;
    while (end < this.length && this.first[end] === start) end += 1;
    return end;
  }

  /** @param {number} from @param {number} [to] @returns {string} */
  text(from, to = this.length) {
    let text = "";
    for (let i = from; i < to; i += 1) text += this.rows[i][1];
    return text;
  }

  /** @param {number} [upto] @returns {Int32Array} */
  ids(upto = this.length) {
    return Int32Array.from({ length: upto }, (_, i) => this.rows[i][0]);
  }
}
