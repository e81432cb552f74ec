/** What the page knows of one episode: the tree, the rows seen, the path shown. Knows no elements. */

import { Path } from "./path.js";
import { Rows, compose } from "./tree.js";

/** @typedef {import("./path.js").Row} Row */

const RUNNING = new Set(["running", "lookahead"]);

/** For traces that were not sampled here. */
export const NO_POLICY = { name: "–", eos: [], special: {} };

export class EpisodeStore extends EventTarget {
  constructor() {
    super();
    /** @type {any} */
    this.episode = null;
    this.rows = new Rows();
    this.path = new Path();
    /** Where each message of the task begins in a path. @type {{path: Path|null, byIndex: Map<number, number>}} */
    this.places = { path: null, byIndex: new Map() };
    /** Where the text of the page begins, and where the prompt ends. */
    this.low = 0;
    this.root = 0;
    this.held = false;
    /** The path shown is ahead of the server: an act is on its way. */
    this.ahead = false;
    /** Why nothing here can be changed, "" where it can. */
    this.readOnly = "";
    this.lookedBeforeLocate = false;
    this.heatSeen = false;
    this.aheadSeen = false;
  }

  get version() {
    return this.episode?.version;
  }

  get generation() {
    return this.episode?.generation ?? null;
  }

  /** Do tokens arrive now? */
  get live() {
    const generation = this.generation;
    return Boolean(generation && RUNNING.has(generation.status) && this.episode.head.segment === generation.segment);
  }

  /** Does the path end in an answer, or is it the model's turn? */
  get answered() {
    return this.path.length > this.low && this.path.ownAt(this.path.length - 1);
  }

  /** The episode's segments, with the one in the making. @returns {import("./tree.js").Segment[]} */
  get segments() {
    const segments = this.episode?.segments ?? [];
    const generation = this.generation;
    if (!generation || segments.some((/** @type {any} */ s) => s.id === generation.segment)) return segments;
    return [...segments, {
      id: generation.segment, parent: generation.parent, fork_at: generation.fork_at, start: generation.start,
      length: null, origin: 1, policy: this.episode.policy, generation: generation.id, finish_reason: null, created_at: "",
    }];
  }

  /** @param {string} id */
  segment(id) {
    return this.segments.find((segment) => segment.id === id);
  }

  /** Take what an act's answer says of the head, before the tree is asked for. @param {any} summary */
  note(summary) {
    const { version, status, undo, redo } = summary;
    Object.assign(this.episode, { version, status, undo, redo });
  }

  /**
   * Take the episode as the server has it. @param {any} episode
   * @returns {boolean} whether the path could be made from what is known; else ask for `?view=path`
   */
  adopt(episode) {
    this.episode = episode;
    episode.policy ??= NO_POLICY;
    const root = episode.segments.find((/** @type {any} */ segment) => segment.parent === null);
    this.root = root?.length ?? 0;
    this.low = this.#begin(root);
    this.ahead = false;
    const path = compose(this.segments, episode.head, this.rows);
    if (path) this.show(path);
    this.dispatchEvent(new Event("episode"));
    return path !== null;
  }

  /** Where what is read begins. A branch that leaves the prompt inside tells of an assistant's turn there, also where the
   * shown path was cut before it. @param {any} root */
  #begin(root) {
    const branches = this.segments.filter((segment) => root && segment.parent === root.id);
    const first = Math.min(this.root, ...branches.map((segment) => segment.fork_at));
    const whole = this.episode.policy === NO_POLICY || first < this.root;
    return (root && this.rows.speakers.begin(root.id, whole)) ?? first;
  }

  /** Remember the rows of a path view. @param {any} view */
  learn(view) {
    for (const piece of view.pieces) {
      this.rows.put(piece.segment, 0, view.rows.slice(piece.start, piece.end));
      this.rows.speakers.put(piece.segment, (view.spans ?? []).filter((/** @type {any} */ one) => one.start >= piece.start && one.end <= piece.end));
    }
  }

  /** Show a path view. @param {any} view */
  adoptPath(view) {
    this.learn(view);
    const path = new Path(this.rows.speakers);
    for (const piece of view.pieces) path.append(view.rows.slice(piece.start, piece.end), piece.segment, piece.origin);
    this.show(path);
  }

  /** Show another path. @param {Path} path */
  show(path) {
    const keep = unchanged(this.path, path);
    this.path = path;
    this.dispatchEvent(new CustomEvent("path", { detail: { keep } }));
  }

  /** Tokens of a running generation. @param {string} generation @param {number} start ids before these @param {Row[]} rows */
  arrive(generation, start, rows) {
    const running = this.generation;
    if (!running || running.id !== generation) return;
    const before = this.rows.of(running.segment).length;
    this.rows.put(running.segment, start, rows);
    const gained = this.rows.of(running.segment).length > before;
    if (gained && !this.held && !this.ahead && this.episode.head.segment === running.segment) this.#catchUp();
  }

  /** Replace what is known of a running generation. @param {string} generation @param {Row[]} rows */
  reset(generation, rows) {
    const running = this.generation;
    if (!running || running.id !== generation) return;
    this.rows.known.set(running.segment, rows.slice());
    const path = this.ahead ? null : compose(this.segments, this.episode.head, this.rows);
    if (path) this.show(path);
  }

  #catchUp() {
    const running = this.generation;
    const known = this.rows.of(running.segment);
    const last = this.path.pieces.at(-1);
    const shown = last && last.segment === running.segment ? last.end - last.start : 0;
    if (known.length <= shown) return;
    this.path.append(known.slice(shown), running.segment, 1);
    this.dispatchEvent(new Event("grew"));
  }

  /** Hold or resume what is drawn; the server goes on. @param {boolean} held */
  hold(held) {
    this.held = held;
    if (!held && !this.ahead && this.generation) this.#catchUp();
    this.dispatchEvent(new Event("episode"));
  }

  /** Ids received of the generation that is watched. */
  received() {
    return this.generation ? this.rows.of(this.generation.segment).length : 0;
  }

  /** How a generation ended. @param {any} message */
  ended(message) {
    const running = this.generation;
    if (!running || running.id !== message.generation) return;
    running.status = message.status;
    running.finish_reason = message.finish_reason ?? null;
    this.dispatchEvent(new Event("episode"));
  }

  /** Show the cut and the accepted tokens before the server answered.
   * @param {number} position @param {Row[]} rows @param {number} origin @param {Row[]} [ahead] sampled behind them */
  foresee(position, rows, origin, ahead = []) {
    const path = new Path(this.rows.speakers);
    for (const piece of this.path.pieces) {
      const end = Math.min(piece.end, position);
      if (end > piece.start) path.append(this.path.rows.slice(piece.start, end), piece.segment, piece.origin);
    }
    path.append(rows, "foreseen", origin);
    path.append(ahead, "foreseen-ahead", 1);
    this.ahead = true;
    this.show(path);
  }

  /** Show another head before the server answered, where its rows are known. @param {{segment: string, length: number}} head */
  foreseeHead(head) {
    const path = compose(this.segments, head, this.rows);
    if (!path) return;
    this.ahead = true;
    this.show(path);
  }

  /** Show again what the server last said. */
  rollBack() {
    this.ahead = false;
    const path = compose(this.segments, this.episode.head, this.rows);
    if (path) this.show(path);
  }

  /** Where a message of the task begins in the text shown, or null. @param {number} index @returns {number|null} */
  positionOf(index) {
    if (this.places.path !== this.path) {
      const byIndex = new Map();
      for (const piece of this.path.pieces) {
        for (const one of this.rows.speakers.messages.get(piece.segment) ?? []) {
          if (one.start >= this.low && one.start < piece.end && !byIndex.has(one.index)) byIndex.set(one.index, one.start);
        }
      }
      this.places = { path: this.path, byIndex };
    }
    return this.places.byIndex.get(index) ?? null;
  }

  /** @param {number} position @returns {{segment: string, index: number}} */
  place(position) {
    const piece = this.path.pieceAt(position);
    return { segment: piece.segment, index: position - piece.start };
  }
}

/** How many leading tokens look the same in both paths. @param {Path} before @param {Path} after */
export function unchanged(before, after) {
  const length = Math.min(before.length, after.length);
  for (let i = 0; i < length; i += 1) {
    const same = before.rows[i] === after.rows[i] || (before.rows[i][0] === after.rows[i][0] && before.rows[i][1] === after.rows[i][1]);
    if (!same) return i;
  }
  let at = 0;
  for (const piece of after.pieces) {
    for (at = piece.start; at < Math.min(piece.end, length); at = before.pieceAt(at).end) {
      if (before.originAt(at) !== piece.origin) return at;
    }
  }
  return length;
}
