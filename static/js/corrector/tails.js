/** How the text of a branch goes on: from rows that are known, or asked for once. */

/** @typedef {import("./store.js").EpisodeStore} EpisodeStore */

const ENOUGH = 60;
const ASKED = 48;

/** The segment that was continued from the end of another, or undefined. @param {import("./tree.js").Segment[]} segments
 * @param {import("./tree.js").Segment} segment */
export function onward(segments, segment) {
  return segments.filter((one) => one.parent === segment.id && one.fork_at === segment.length && one.length !== null).at(-1);
}

export class Tails extends EventTarget {
  /** @param {EpisodeStore} store @param {(path: string) => Promise<any>} get */
  constructor(store, get) {
    super();
    this.store = store;
    this.get = get;
    /** @type {Set<string>} */
    this.asked = new Set();
  }

  /** The text behind a place, as much as fits a line or two; "" where nothing follows or it is not known yet.
   * @param {string} id of a segment @param {number} index @returns {string} */
  text(id, index) {
    const { segments, rows } = this.store;
    let at = segments.find((one) => one.id === id);
    let text = "";
    for (let from = index; at && at.length !== null && text.length < ENOUGH; from = 0) {
      const known = rows.of(at.id);
      const want = Math.min(at.length, from + ASKED);
      if (known.length < want) this.#ask(at.id, known.length, want);
      for (let i = from; i < Math.min(known.length, want); i += 1) {
        if (this.#isShown(at, at.start + i)) text += known[i][1];
      }
      if (from + ASKED < at.length) break;
      at = onward(segments, at);
    }
    return text.slice(0, ENOUGH);
  }

  /** What the template wrote between two speakers is left out. @param {import("./tree.js").Segment} segment @param {number} position */
  #isShown({ origin, id }, position) {
    return (origin !== 0 && origin !== 4) || this.store.rows.speakers.at(id, position) !== null;
  }

  /** @param {string} id @param {number} from @param {number} to */
  async #ask(id, from, to) {
    const key = `${id} ${from}`;
    if (this.asked.has(key)) return;
    this.asked.add(key);
    try {
      const answer = await this.get(`/segments/${id}/rows?from=${from}&to=${to}`);
      this.store.rows.put(id, from, answer.rows);
      this.store.rows.speakers.put(id, answer.spans);
      this.dispatchEvent(new Event("loaded"));
    } catch {
      this.asked.delete(key);
    }
  }
}
