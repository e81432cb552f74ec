/** Paths through the episode's tree of segments, from rows that the page has already seen. */

import { Path } from "./path.js";
import { Speakers } from "./speakers.js";

/** @typedef {import("./path.js").Row} Row */
/**
 * @typedef {{id: string, parent: string|null, fork_at: number, start: number, length: number|null,
 *   origin: number, policy: any, generation: string|null, finish_reason: string|null, created_at: string}} Segment
 * @typedef {{segment: string, length: number|null}} Head
 */

/** Which rows of which segment are known. Segments only grow, so what is known stays true. */
export class Rows {
  constructor() {
    /** @type {Map<string, Row[]>} */
    this.known = new Map();
    this.speakers = new Speakers();
  }

  /** @param {string} segment @returns {Row[]} */
  of(segment) {
    return this.known.get(segment) ?? [];
  }

  /** Remember rows that begin at `index` of the segment; a gap is not bridged.
   * @param {string} segment @param {number} index @param {Row[]} rows */
  put(segment, index, rows) {
    const have = this.known.get(segment) ?? [];
    if (index > have.length) return;
    for (let i = have.length - index; i < rows.length; i += 1) have.push(rows[i]);
    this.known.set(segment, have);
  }
}

/** What the segment's first `fork_at` tokens and its ancestors come to, root first.
 * @param {Segment[]} segments @param {Head} head
 * @returns {{segment: Segment, upto: number|null}[]} */
export function ancestry(segments, head) {
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  const line = [];
  let at = byId.get(head.segment);
  let upto = head.length;
  while (at) {
    line.unshift({ segment: at, upto });
    upto = at.fork_at;
    at = at.parent === null ? undefined : byId.get(at.parent);
  }
  return line;
}

/** The path of a head, or null where a row is missing and the server must be asked.
 * @param {Segment[]} segments @param {Head} head @param {Rows} rows @returns {Path|null} */
export function compose(segments, head, rows) {
  const line = ancestry(segments, head);
  if (!line.length) return null;
  const path = new Path(rows.speakers);
  for (const { segment, upto } of line) {
    const known = rows.of(segment.id);
    const need = upto ?? segment.length;
    if (need !== null && known.length < need) return null;
    path.append(need === null ? known.slice() : known.slice(0, need), segment.id, segment.origin);
  }
  return path;
}
