/** Free text in place of the located token: leading space, live token preview, several lines, and the candidate filter. */

import { debounce, find, make } from "../dom.js";
import { gettext as _, ngettext, fill } from "../text.js";
import { composing } from "./keys.js";
import { tokenFace } from "./strip.js";

const PREVIEW_MS = 120;

/** The text as it will be stored. @param {string} value @param {boolean} space */
export function typedText(value, space) {
  return (space ? " " : "") + value;
}

export class Typing extends EventTarget {
  /**
   * @param {HTMLElement} root
   * @param {(text: string) => Promise<{ids: number[], rows: any[], canonical: boolean}>} preview
   */
  constructor(root, preview) {
    super();
    this.root = root;
    this.preview = preview;
    this.area = /** @type {HTMLTextAreaElement} */ (find("textarea", root));
    this.space = /** @type {HTMLButtonElement} */ (find("[data-space]", root));
    this.tokens = find("[data-tokens]", root);
    this.note = find("[data-note]", root);
    this.filtering = false;
    /** @type {{text: string, rows: any[], canonical: boolean}|null} */
    this.last = null;
    this.closedAt = -Infinity;
    this.space.addEventListener("click", () => {
      this.#setSpace(!this.spaced);
      this.#changed();
      this.area.focus();
    });
    this.area.addEventListener("input", (event) => {
      if (!(/** @type {InputEvent} */ (event).isComposing)) this.#collapse();
      this.#changed();
    });
    this.area.addEventListener("compositionend", () => this.#changed());
    this.area.addEventListener("keydown", (event) => {
      if (!composing(event) && event.key === "Backspace" && this.spaced && this.area.selectionEnd === 0) {
        this.#setSpace(false);
        this.#changed();
      }
    });
    find("[data-commit]", root).addEventListener("click", () => this.dispatchEvent(new Event("commit")));
    this.askPreview = debounce(() => this.#ask(), PREVIEW_MS);
  }

  get spaced() {
    return this.space.getAttribute("aria-pressed") === "true";
  }

  get text() {
    return typedText(this.area.value, this.spaced);
  }

  get severalLines() {
    return this.area.value.includes("\n");
  }

  /** @param {boolean} on */
  #setSpace(on) {
    this.space.setAttribute("aria-pressed", String(on));
  }

  /** A space typed at the start is the one that the button already adds. */
  #collapse() {
    if (this.spaced && this.area.value.startsWith(" ")) {
      const at = this.area.selectionStart;
      this.area.value = this.area.value.slice(1);
      this.area.setSelectionRange(Math.max(0, at - 1), Math.max(0, at - 1));
    }
  }

  #changed() {
    this.area.rows = Math.min(3, this.area.value.split("\n").length);
    this.last = null;
    this.dispatchEvent(new Event("changed"));
    if (this.filtering) return;
    if (!this.text) this.#show(null);
    else this.askPreview();
  }

  /** @param {boolean} leadingSpace of the token that is replaced @param {boolean} filtering
   * @param {string} [kept] text that was typed before and not taken */
  open(leadingSpace, filtering, kept = "") {
    this.root.hidden = false;
    this.filtering = filtering;
    const again = filtering ? "" : kept;
    this.#setSpace(again ? again.startsWith(" ") : leadingSpace);
    this.area.value = again.replace(/^ /, "");
    this.area.rows = 1;
    this.#show(null);
    this.area.focus();
    if (again) this.#changed();
  }

  /** Stop filtering and take what is written as text. */
  asText() {
    this.filtering = false;
    this.askPreview();
  }

  close() {
    if (this.root.hidden) return;
    this.root.hidden = true;
    this.closedAt = performance.now();
  }

  async #ask() {
    const text = this.text;
    if (!text || this.root.hidden) return;
    try {
      const answer = await this.preview(text);
      if (text === this.text) this.#show({ text, ...answer });
    } catch (error) {
      this.tokens.replaceChildren();
      this.note.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {{text: string, rows: any[], canonical: boolean}|null} answer */
  #show(answer) {
    this.last = answer;
    this.tokens.replaceChildren(...(answer?.rows ?? []).map(([id, text, , hex]) => {
      const chip = make("span", { class: "piece", title: `#${id}` }, tokenFace(text, hex, undefined));
      return chip;
    }));
    if (!answer) {
      this.note.textContent = _("What you type is yours, not the model's: it is stored with that origin.");
      return;
    }
    const count = fill(ngettext("%(count)s token.", "%(count)s tokens.", answer.rows.length), { count: answer.rows.length });
    this.note.textContent = answer.canonical ? count
      : `${count} ${_("Written in one go the model would cut this place differently; it is stored as you typed it.")}`;
  }
}
