/** Candidates of positions: fetched around the cursor, kept by segment, never asked for twice. */

import { ORIGIN } from "./path.js";

/**
 * @typedef {[number, string, number|null, string?]} Candidate id, text, log-probability, hex
 * @typedef {{index: number, sampled: {id: number, text: string, logprob: number|null, rank: number|null, hex?: string},
 *   other: number|null, candidates: Candidate[]}} Position
 */

const BEFORE = 16;
const AFTER = 48;

export class Candidates {
  /** @param {(path: string) => Promise<any>} get */
  constructor(get) {
    this.get = get;
    /** @type {Map<string, Map<number, Position>>} */
    this.known = new Map();
    /** @type {Map<string, Promise<void>>} */
    this.asked = new Map();
  }

  /** @param {string} segment @param {number} index @returns {Position|undefined} */
  at(segment, index) {
    return this.known.get(segment)?.get(index);
  }

  /**
   * The candidates of one position, asking for its neighbours with it.
   * @param {string} segment @param {number} index @param {number} length tokens of the segment known to the page
   * @returns {Promise<Position|undefined>} undefined where the position has none (typed text)
   */
  async load(segment, index, length) {
    const found = this.at(segment, index);
    if (found) return found;
    const from = Math.max(0, index - BEFORE);
    const to = Math.min(Math.max(length, index + 1), index + AFTER);
    const key = `${segment}?from=${from}&to=${to}`;
    let asked = this.asked.get(key);
    if (!asked) {
      asked = this.#fetch(segment, `/segments/${segment}/candidates?from=${from}&to=${to}`).finally(() => this.asked.delete(key));
      this.asked.set(key, asked);
    }
    await asked;
    return this.at(segment, index);
  }

  /** @param {string} segment @param {string} path */
  async #fetch(segment, path) {
    const answer = await this.get(path);
    const rows = this.known.get(segment) ?? new Map();
    for (const row of answer.rows) rows.set(row.index, row);
    this.known.set(segment, rows);
  }
}

/**
 * Where the candidates of a place are kept: those of a picked token, and of an end that a person set, stand at what
 * was replaced; typed text has none.
 * @param {{segment: string, index: number}} place @param {(segment: string) => number|undefined} originOf
 * @param {{new_segment: string, segment: string, index: number, how: string}[]} corrections
 * @returns {{segment: string, index: number}|null}
 */
export function sourceOf(place, originOf, corrections) {
  let at = place;
  for (;;) {
    const { segment } = at;
    const origin = originOf(segment);
    if (origin === ORIGIN.model) return at;
    const made = corrections.find((one) => one.new_segment === segment);
    if (!made || (origin !== ORIGIN.candidate && made.how !== "end_here")) return null;
    at = { segment: made.segment, index: made.index };
  }
}

/**
 * @typedef {{kind: "candidate"|"end"|"other", key: string, id: number|null, text: string, hex?: string,
 *   logprob: number|null, rank: number|null, sampled: boolean, twin: boolean}} Choice
 */

/** The rows of the strip: ranks in order, the sampled token where it is not among them, the end, the rest.
 * @param {Position|undefined} position @param {number[]} eos @param {Map<number, string>} special
 * @param {number} [current] id that stands there now, where a person changed what was sampled @returns {Choice[]} */
export function choices(position, eos, special, current = position?.sampled.id) {
  /** @type {Choice[]} */
  const rows = [];
  const ends = new Set(eos);
  if (position) {
    const listed = position.candidates.filter(([id]) => id >= 0);
    listed.forEach(([id, text, logprob, hex], i) => {
      if (ends.has(id) && id === eos[0]) return;
      rows.push({ kind: "candidate", key: "", id, text, hex, logprob, rank: i + 1, sampled: id === current, twin: false });
    });
    const sampled = position.sampled;
    if (sampled.id !== eos[0] && !listed.some(([id]) => id === sampled.id)) {
      rows.push({ kind: "candidate", key: "", id: sampled.id, text: sampled.text, hex: sampled.hex, logprob: sampled.logprob, rank: sampled.rank, sampled: sampled.id === current, twin: false });
    }
  }
  rows.slice(0, 9).forEach((row, i) => (row.key = String(i + 1)));
  const faces = new Map();
  for (const row of rows) faces.set(row.text, (faces.get(row.text) ?? 0) + 1);
  for (const row of rows) row.twin = faces.get(row.text) > 1 || special.has(row.id ?? -1);
  const end = position?.candidates.findIndex(([id]) => id === eos[0]) ?? -1;
  const written = position?.sampled.id === eos[0] ? position?.sampled.logprob ?? null : null;
  rows.push({
    kind: "end", key: "0", id: eos[0] ?? null, text: "", logprob: end >= 0 ? position?.candidates[end][2] ?? null : written,
    rank: end >= 0 ? end + 1 : null, sampled: current === eos[0] && current !== undefined, twin: false,
  });
  if (position && position.other !== null && position.other > 0) {
    rows.push({ kind: "other", key: "", id: null, text: "", logprob: Math.log(position.other), rank: null, sampled: false, twin: false });
  }
  return rows;
}
