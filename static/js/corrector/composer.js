/** Writing a comment: about what, the text with its mentions, kept over a reload until it is sent. */

import { debounce, find, make } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { composing } from "./keys.js";
import { Mentions } from "./mentions.js";

/**
 * @typedef {import("./anchors.js").Anchor} Anchor
 * @typedef {{text: string, anchor: Anchor, parent: number|null}} Writing
 * @typedef {{root: HTMLElement, members: import("./mentions.js").Member[], keep: import("./keep.js").Keep, place: string,
 *   send: (writing: Writing) => Promise<boolean>, leave: () => void}} Means `place` among what is kept
 */

const KEEP_MS = 200;
const QUOTE = 60;

/** What an anchor is about, in words. @param {Anchor} anchor */
export function aboutText({ level, quote = "" }) {
  const short = quote.trim().length > QUOTE ? `${quote.trim().slice(0, QUOTE)}…` : quote.trim() || "␣";
  if (level === "task") return _("the whole task");
  return level === "step" ? fill(_("sentence “%(quote)s”"), { quote: short }) : fill(_("“%(quote)s”"), { quote: short });
}

export class Composer {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    const { root } = means;
    this.area = /** @type {HTMLTextAreaElement} */ (find("textarea", root));
    this.about = find("[data-about]", root);
    this.mentions = new Mentions(this.area, find("[data-mentions]", root), means.members);
    /** @type {Anchor[]} */
    this.choices = [];
    /** @type {Anchor} */
    this.anchor = { level: "task" };
    /** @type {number|null} */
    this.parent = null;
    this.kept = debounce(() => this.#keep(), KEEP_MS);
    this.area.addEventListener("input", () => this.kept());
    this.area.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    find("[data-leave]", root).addEventListener("click", () => this.close());
  }

  #keep() {
    const { keep, place } = this.means;
    const text = this.area.value;
    return keep.put(place, text.trim() ? { text, anchor: this.anchor, parent: this.parent } : undefined);
  }

  /** Write about one of these. @param {Anchor[]} choices the first is meant unless another is chosen @param {number|null} [parent] a comment that is answered */
  open(choices, parent = null) {
    this.choices = choices;
    this.anchor = choices[0];
    this.parent = parent;
    this.#draw();
    this.means.root.hidden = false;
    this.area.focus({ preventScroll: true });
    this.means.root.scrollIntoView({ block: "nearest" });
    if (this.area.value) this.kept();
  }

  #draw() {
    const chips = this.choices.map((anchor) => make("label", { class: "chip radio-chip" },
      make("input", { type: "radio", name: "about", checked: anchor === this.anchor, onchange: () => {
        this.anchor = anchor;
        this.kept();
      } }), make("span", { text: aboutText(anchor) })));
    this.about.replaceChildren(...(this.parent === null ? chips : [make("span", { class: "muted", text: _("Answer to this thread") })]));
  }

  /** Take up what was being written before a reload. @returns {Promise<Writing|null>} */
  async restore() {
    const kept = await this.means.keep.get(this.means.place);
    if (!kept) return null;
    this.area.value = kept.text;
    this.choices = kept.anchor.level === "task" ? [kept.anchor] : [kept.anchor, { level: "task" }];
    this.anchor = kept.anchor;
    this.parent = kept.parent;
    this.#draw();
    this.means.root.hidden = false;
    return kept;
  }

  /** Close the field; what is written in it stays for the next time. */
  close() {
    this.means.root.hidden = true;
    this.means.leave();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (composing(event) || event.defaultPrevented) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#send();
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  async #send() {
    const writing = { text: this.area.value.trim(), anchor: this.anchor, parent: this.parent };
    if (!writing.text) {
      this.area.focus();
      return;
    }
    this.area.value = "";
    await this.means.keep.drop(this.means.place);
    this.close();
    if (await this.means.send(writing)) return;
    this.area.value = writing.text;
    this.parent = writing.parent;
    this.choices = [writing.anchor];
    this.anchor = writing.anchor;
    this.#draw();
    this.means.root.hidden = false;
    await this.#keep();
  }
}
