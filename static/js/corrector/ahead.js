/** Look-ahead: while the list is open, what would follow its leading candidates; taken together with one of them. */

/**
 * @typedef {import("./path.js").Row} Row
 * @typedef {{id: string, segment: string, candidate: number, rows: Row[], ended: boolean}} Ahead
 * @typedef {{post: (path: string, body: any) => Promise<any>, stream: import("./stream.js").Stream,
 *   on: () => boolean, wait?: number, again?: number}} Means `on`: does the project want it?
 */

// Long enough that a list which is only passed through costs nothing.
const WAIT_MS = 80;
const AGAIN_MS = 300;
const TRIES = 4;
const MOST = 3;

/** The rows that are looked ahead of: the first that do not stand there already.
 * @param {import("./candidates.js").Choice[]} rows of a list */
export function leading(rows) {
  return rows.filter((row) => row.kind === "candidate" && !row.sampled && row.id !== null).slice(0, MOST);
}

export class LookAhead extends EventTarget {
  /** @param {Means} means */
  constructor(means) {
    super();
    this.means = means;
    /** @type {Map<number, Ahead>} by candidate */
    this.found = new Map();
    /** Grows when a list is opened or left, so that a late answer finds its list gone. */
    this.turn = 0;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    this.asking = false;
  }

  /** A list is open: ask for what follows its leading candidates.
   * @param {{segment: string, index: number}} place @param {import("./candidates.js").Choice[]} rows of the list */
  open(place, rows) {
    this.close();
    if (!this.means.on()) return;
    const candidates = leading(rows).map((row) => row.id);
    if (!candidates.length) return;
    const body = { ...place, candidates };
    this.timer = setTimeout(() => this.#ask(body, this.turn, TRIES), this.means.wait ?? WAIT_MS);
  }

  /** @param {any} body @param {number} turn @param {number} tries left while others come first */
  async #ask(body, turn, tries) {
    this.asking = true;
    const answer = await this.means.post("/lookahead", body).catch(() => null);
    if (turn !== this.turn) {
      if (answer?.generations.length) this.#cancel();
      return;
    }
    this.asking = false;
    for (const one of answer?.generations ?? []) if (!this.found.has(one.candidate)) this.#watch(one);
    if (answer?.skipped === "busy" && tries > 1) {
      this.timer = setTimeout(() => this.#ask(body, turn, tries - 1), this.means.again ?? AGAIN_MS);
    }
  }

  /** @param {any} made */
  #watch(made) {
    /** @type {Ahead} */
    const one = { id: made.id, segment: made.segment, candidate: made.candidate, rows: [], ended: false };
    this.found.set(one.candidate, one);
    this.means.stream.beside(one.id, () => one.rows.length, (message) => this.#arrive(one, message));
  }

  /** @param {Ahead} one @param {any} message */
  #arrive(one, message) {
    if (message.type === "tokens" && message.start <= one.rows.length) {
      one.rows.push(...message.rows.slice(one.rows.length - message.start));
      this.dispatchEvent(new CustomEvent("grew", { detail: one }));
    } else if (message.type === "reset") {
      one.rows = message.rows;
      this.dispatchEvent(new CustomEvent("grew", { detail: one }));
    } else if (message.type === "end" || message.type === "error") {
      one.ended = true;
      this.means.stream.leave(one.id);
    }
  }

  /** What is there behind a candidate, as it is shown now. @param {number|null} candidate @returns {Ahead|undefined} */
  behind(candidate) {
    const one = this.found.get(candidate ?? -1);
    return one?.rows.length ? { ...one, rows: one.rows.slice() } : undefined;
  }

  /** The list was left. @param {boolean} [picked] the server stops the rest itself when a pick is saved */
  close(picked = false) {
    clearTimeout(this.timer);
    this.turn += 1;
    const running = [...this.found.values()].filter((one) => !one.ended);
    for (const one of running) this.means.stream.leave(one.id);
    if (running.length && !picked) this.#cancel();
    this.found.clear();
    this.asking = false;
  }

  #cancel() {
    this.means.post("/lookahead/cancel", {}).catch(() => undefined);
  }
}
