/** Who said what: the spans of messages and calls in the segments that the model was given. */

/** @typedef {{level: string, role: string, index: number, start: number, end: number}} Said absolute, half-open */

const ROLES = /** @type {Record<string, string>} */ ({ developer: "system", function: "tool" });

export class Speakers {
  constructor() {
    /** @type {Map<string, Said[]>} */
    this.messages = new Map();
    /** @type {Map<string, Said[]>} */
    this.calls = new Map();
  }

  /** Remember the spans of a segment; of one that was known shorter the longer counts. @param {string} segment @param {Said[]} spans */
  put(segment, spans) {
    for (const [level, kept] of /** @type {[string, Map<string, Said[]>][]} */ ([["message", this.messages], ["call", this.calls]])) {
      const mine = spans.filter((one) => one.level === level);
      if (!mine.length) continue;
      const byStart = new Map((kept.get(segment) ?? []).map((one) => [one.start, one]));
      for (const one of mine) if ((byStart.get(one.start)?.end ?? 0) < one.end) byStart.set(one.start, { ...one, role: ROLES[one.role] ?? one.role });
      kept.set(segment, [...byStart.values()].sort((a, b) => a.start - b.start));
    }
  }

  /** @param {Said[]|undefined} spans @param {number} position @returns {number} of the last that begins at or before it, else -1 */
  static #last(spans, position) {
    let low = -1;
    let high = (spans?.length ?? 0) - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((spans ?? [])[middle].start <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The message that a token of a segment belongs to, null for the template's own. @param {string} segment @param {number} position @returns {Said|null} */
  at(segment, position) {
    const spans = this.messages.get(segment);
    const found = spans?.[Speakers.#last(spans, position)];
    return found && position < found.end ? found : null;
  }

  /** The call that a token belongs to. @param {string} segment @param {number} position @returns {Said|null} */
  callAt(segment, position) {
    const spans = this.calls.get(segment);
    const found = spans?.[Speakers.#last(spans, position)];
    return found && position < found.end ? found : null;
  }

  /** Where the next message of the segment begins behind a position, or Infinity. @param {string} segment @param {number} position */
  next(segment, position) {
    const spans = this.messages.get(segment) ?? [];
    return spans[Speakers.#last(spans, position) + 1]?.start ?? Infinity;
  }

  /** Where the dialogue of a prompt begins to be read beside the answer: with its first message that is no system's, if an
   * assistant speaks in it or it is a whole record; else null. @param {string} root @param {boolean} [whole] @returns {number|null} */
  begin(root, whole = false) {
    const spans = this.messages.get(root) ?? [];
    if (!whole && !spans.some((one) => one.role === "assistant")) return null;
    return spans.find((one) => one.role !== "system")?.start ?? null;
  }
}
