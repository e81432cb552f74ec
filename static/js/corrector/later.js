/** Turns that a correction dropped, kept so that they can be said again on the new branch; they outlive a reload. */

/** @typedef {{role: string, text: string}} Turn */

/** What others said behind a place of the path. @param {import("./path.js").Path} path @param {number} position @returns {Turn[]} */
export function turnsAfter(path, position) {
  const turns = [];
  for (let at = position; at < path.length; at = path.runEnd(at)) {
    const role = path.speakerAt(at);
    if (at > position && (role === "user" || role === "tool")) turns.push({ role, text: path.text(at, path.runEnd(at)) });
  }
  return turns;
}

/** By the segment that took their place: undo leaves them, redo finds them again. */
export class Later {
  /** @param {Storage} storage @param {string} key */
  constructor(storage, key) {
    this.storage = storage;
    this.key = key;
    /** @type {Record<string, Turn[]>} */
    this.dropped = this.#read();
  }

  #read() {
    try {
      const kept = JSON.parse(this.storage.getItem(this.key) ?? "{}");
      return kept && typeof kept === "object" && !Array.isArray(kept) ? kept : {};
    } catch {
      return {};
    }
  }

  /** The correction of the path that dropped turns last. @param {import("./path.js").Path} path */
  #branch(path) {
    return path.pieces.findLast((piece) => piece.segment in this.dropped)?.segment ?? "";
  }

  /** The turn to say next on this path. @param {import("./path.js").Path} path @returns {Turn|undefined} */
  next(path) {
    return this.dropped[this.#branch(path)]?.[0];
  }

  /** Keep what a correction dropped, before what is still to be said. @param {import("./path.js").Path} path as it was
   * @param {string} segment that took its place @param {Turn[]} turns */
  keep(path, segment, turns) {
    if (turns.length) this.#put(segment, [...turns, ...(this.dropped[this.#branch(path)] ?? [])]);
  }

  /** A turn was said on this path; what follows is next. @param {import("./path.js").Path} path @param {string} role */
  said(path, role) {
    const branch = this.#branch(path);
    const turns = this.dropped[branch] ?? [];
    if (turns[0]?.role === role) this.#put(branch, turns.slice(1));
  }

  /** @param {string} segment @param {Turn[]} turns */
  #put(segment, turns) {
    this.dropped[segment] = turns;
    try {
      this.storage.setItem(this.key, JSON.stringify(this.dropped));
    } catch {
      // A full or forbidden storage: they are kept for this visit.
    }
  }
}
