/** Commands that move the cursor through the answer. */

import { gettext as _, percent } from "../text.js";
import { byCluster, byStep, byToken, byUncertain, byWord, correctable, nearest, ownFrom } from "./movement.js";

/** @typedef {{store: import("./store.js").EpisodeStore, pane: import("./pane.js").Pane, modes: import("./modes.js").Modes,
 *   language: string, say: (text: string, level?: string) => void}} Means */

export class Cursor extends EventTarget {
  /** @param {Means} means */
  constructor(means) {
    super();
    this.store = means.store;
    this.pane = means.pane;
    this.modes = means.modes;
    this.language = means.language;
    this.say = means.say;
  }

  /** @returns {number|null} the raw token where one was chosen, else the cluster's first */
  get at() {
    return this.pane.raw ?? this.pane.cursor;
  }

  /** @param {number|null} at @param {boolean} [raw] keep the token inside its cluster @param {boolean} [reveal] */
  put(at, raw = false, reveal = true) {
    if (at === null) {
      this.pane.mark(null);
      if (this.modes.mode !== "read") this.modes.set("read");
    } else {
      this.pane.flush();
      this.pane.mark(this.store.path.clusterStart(at), raw ? at : null);
      if (reveal) this.pane.reveal();
      else this.pane.unfollow();
      this.modes.set("locate");
      this.#announce(at);
    }
    this.dispatchEvent(new Event("moved"));
  }

  /** Put the cursor there, the place at the top of the view. @param {number|null} at */
  goTo(at) {
    if (at === null) return;
    this.put(at);
    this.pane.marked[0]?.scrollIntoView({ block: "start" });
    this.pane.scroller.focus({ preventScroll: true });
  }

  /** @param {number} at */
  #announce(at) {
    const { path, low } = this.store;
    const text = path.text(path.clusterStart(at), path.clusterEnd(at));
    const words = text.replace(/\n/g, ` ${_("new line")} `).replace(/^ /, `${_("space")} `);
    this.modes.announceToken(at - low + 1, words, path.rows[at][2] === null ? "" : percent(path.rows[at][2]));
  }

  /** Where a move begins when there is no cursor yet. @param {1|-1} direction */
  #start(direction) {
    const { path, low } = this.store;
    if (path.length <= low) {
      this.say(_("There is no text yet."));
      return null;
    }
    this.pane.flush();
    const from = direction > 0 ? Math.max(low, this.pane.firstInView()) : path.length - 1;
    const ahead = direction > 0 ? ownFrom(path, from, 1) : path.length;
    return ahead < path.length ? path.clusterStart(ahead) : nearest(path, from, low);
  }

  /** @param {1|-1} direction @param {(at: number) => number|null} move @param {boolean} [raw] */
  go(direction, move, raw = false) {
    const from = this.at;
    if (from === null) this.put(this.#start(direction));
    else this.put(move(from), raw);
  }

  /** @param {string} command @returns {boolean} whether it was one of these */
  run(command) {
    const { path, low } = this.store;
    const { pane } = this;
    const lines = Math.max(1, pane.pageLines);
    switch (command) {
      case "left": this.go(-1, (at) => byCluster(path, at, low, -1)); break;
      case "right": this.go(1, (at) => byCluster(path, at, low, 1)); break;
      case "tokenLeft": this.go(-1, (at) => byToken(path, at, low, -1), true); break;
      case "tokenRight": this.go(1, (at) => byToken(path, at, low, 1), true); break;
      case "wordLeft": this.go(-1, (at) => byWord(path, at, low, -1, this.language)); break;
      case "wordRight": this.go(1, (at) => byWord(path, at, low, 1, this.language)); break;
      case "stepUp": this.go(-1, (at) => byStep(path, at, low, -1)); break;
      case "stepDown": this.go(1, (at) => byStep(path, at, low, 1)); break;
      case "up": this.go(-1, (at) => pane.byLine(at, -1)); break;
      case "down": this.go(1, (at) => pane.byLine(at, 1)); break;
      case "pageUp": this.go(-1, (at) => pane.byLine(at, -lines)); break;
      case "pageDown": this.go(1, (at) => pane.byLine(at, lines)); break;
      case "home": this.#home(); break;
      case "end":
        if (path.length > low) this.put(nearest(path, path.length - 1, low));
        pane.toEnd();
        break;
      case "uncertainNext": this.#uncertain(1); break;
      case "uncertainPrevious": this.#uncertain(-1); break;
      default: return false;
    }
    return true;
  }

  /** To the beginning of the answer that the cursor is in or else of the last; from there to the one before. */
  #home() {
    const { path, low } = this.store;
    const at = this.at ?? nearest(path, path.length - 1, low);
    if (at === null) return;
    const start = Math.max(low, path.runStart(at));
    const before = ownFrom(path, start - 1, -1);
    const further = this.at === start && before >= low && correctable(path, before);
    this.put(further ? Math.max(low, path.runStart(before)) : start);
  }

  /** @param {1|-1} direction */
  #uncertain(direction) {
    if (this.store.episode.settings?.jump === false) {
      this.say(_("This project reads without hints: the keys for unsure tokens are off."));
      return;
    }
    const found = byUncertain(this.store.path, this.at, this.store.low, direction);
    if (found === null || found === this.at) this.say(_("No further token that the model was unsure of."));
    else this.put(found);
  }
}
