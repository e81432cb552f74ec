/** The guideline beside the task: says when a newer version is out, shows what changed, and changes only when the person does. */

import { find, make } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { diff } from "./diff.js";
import { parser } from "./markdown.js";
import { nodes } from "./markdowndom.js";

/**
 * @typedef {{version: number, text: string}} Version
 * @typedef {{root: HTMLElement, shown: Version|null, path: string, get: (path: string) => Promise<any>,
 *   say: import("./messages.js").Say}} Means `path` of the list of versions
 */

/** Words, signs and line ends with the spaces behind them: what a change is told in. @param {string} text */
export function pieces(text) {
  return text.match(/\p{Script=Han}|[\p{L}\p{N}_]+[ \t]*|\n|[^\p{L}\p{N}_\n][ \t]*/gu) ?? [];
}

/** What changed between two texts. @param {string} old @param {string} now @returns {{kind: "same"|"del"|"ins", text: string}[]} */
export function textDiff(old, now) {
  const numbers = new Map();
  const number = (/** @type {string} */ piece) => {
    if (!numbers.has(piece)) numbers.set(piece, numbers.size);
    return numbers.get(piece);
  };
  const [before, after] = [pieces(old), pieces(now)];
  return diff(before.map(number), after.map(number)).map(({ kind, from, to }) => ({ kind, text: (kind === "ins" ? after : before).slice(from, to).join("") }));
}

export class GuidelineView {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    this.shown = means.shown;
    /** @type {Version|null} */
    this.newest = null;
    this.notice = find("[data-guideline-notice]", means.root);
    find("[data-guideline-take]", means.root).addEventListener("click", () => this.#take());
  }

  /** Version of the guideline that the person works by, for the submission. @returns {{guideline?: number}} */
  get seen() {
    return this.shown ? { guideline: this.shown.version } : {};
  }

  /** See whether a newer version is out. @param {number} [version] that was told */
  async look(version) {
    if (version !== undefined && version <= (this.newest ?? this.shown ?? { version: 0 }).version) return;
    const { results } = await this.means.get(`${this.means.path}?limit=1`);
    const [newest] = results;
    if (!newest || newest.version <= (this.newest ?? this.shown ?? { version: 0 }).version) return;
    this.newest = newest;
    this.#draw();
    this.means.say(fill(_("The guideline has a newer version, %(version)s: what changed stands on the left. Your work is not touched."), { version: newest.version }), "warn");
  }

  #draw() {
    const { newest, notice, shown } = this;
    this.means.root.hidden = false;
    notice.hidden = !newest;
    if (!newest) return;
    find("p", notice).textContent = shown
      ? fill(_("Version %(new)s is out. You work by version %(old)s until you take it."), { new: newest.version, old: shown.version })
      : fill(_("A guideline is out, version %(new)s."), { new: newest.version });
    const tags = { same: "span", del: "del", ins: "ins" };
    find("[data-guideline-changes]", notice).replaceChildren(...textDiff(shown?.text ?? "", newest.text).map(({ kind, text }) => make(tags[kind], { text: kind === "same" ? shortened(text) : text })));
  }

  /** Work by the newer version from now on. */
  #take() {
    if (!this.newest) return;
    const { root } = this.means;
    this.shown = this.newest;
    this.newest = null;
    find("[data-guideline-version]", root).textContent = fill(_("Guideline, version %(version)s"), { version: this.shown.version });
    find("[data-guideline]", root).replaceChildren(nodes(parser().parse(this.shown.text, {})));
    this.#draw();
    find("[data-guideline]", root).focus({ preventScroll: true });
  }
}

/** Text that stayed, its middle left out. @param {string} text */
function shortened(text) {
  return text.length > 160 ? `${text.slice(0, 70)} … ${text.slice(-70)}` : text;
}
