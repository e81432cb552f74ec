/** The left column: what was asked, as it was received. Any shape is text; what is long is folded, what is large is a file. */

import { make } from "../dom.js";
import { fill, gettext as _, ngettext } from "../text.js";
import { sizeText, speakerName } from "./heads.js";

/**
 * @typedef {{text: string, size: number, kind: string}} Piece the head of a text, and the size of the whole
 * @typedef {{name: string, id: string, arguments: Piece}} Called
 * @typedef {{index: number, role: string, name?: string, pieces: Piece[], reasoning?: Piece|null, calls: Called[]}} Card
 * @typedef {{name: string, about: Piece|null, takes: Piece}} Tool
 * @typedef {{messages: Card[], tools: Tool[], system: string|null}} Task
 */

const LONG = 400;
const SHOWN = 160;
const AT_ONCE = 60;
const ROLES = /** @type {Record<string, string>} */ ({ developer: "system", function: "tool" });

/** @param {Piece} piece is it more than its head? */
const isCut = (piece) => piece.size > piece.text.length;

/** How large a piece is, in words. @param {Piece} piece @returns {string} */
export function sizeOf(piece) {
  const size = piece.size < 100_000 ? sizeText(piece.size) : fill(_("%(size)s MB"), { size: (piece.size / 1e6).toFixed(1) });
  return piece.kind === "text" || piece.kind === "json" ? size : `${piece.kind}, ${size}`;
}

/** One line that stands for a text. @param {string} text @returns {string} */
export function firstWords(text) {
  const line = text.slice(0, SHOWN * 2).replace(/\s+/g, " ").trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)} …` : line;
}

/** Laid out where it is JSON and whole, else as it is. @param {Piece} piece @returns {string} */
export function laidOut(piece) {
  if (isCut(piece) || piece.size > LONG * 20) return piece.text;
  try {
    return JSON.stringify(JSON.parse(piece.text), null, 1);
  } catch {
    return piece.text;
  }
}

export class Conversation extends EventTarget {
  /** @param {HTMLElement} root @param {Task} task @param {string} files where a message lies as it was received */
  constructor(root, task, files) {
    super();
    this.root = root;
    this.files = files;
    /** @type {(index: number) => boolean} */
    this.stands = () => false;
    root.addEventListener("click", (event) => {
      const button = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("[data-message]"));
      if (button) this.dispatchEvent(new CustomEvent("goto", { detail: Number(button.dataset.message) }));
    });
    root.replaceChildren();
    if (task.system) root.append(this.#inForce(task.system));
    if (task.tools?.length) root.append(this.#tools(task.tools));
    if (!task.messages?.length) root.append(make("p", { class: "empty", text: _("This task has no messages.") }));
    this.#draw(root, task.messages ?? [], 0);
  }

  /** Which messages stand in the text too, so that one can go there. @param {(index: number) => boolean} stands */
  offer(stands) {
    this.stands = stands;
    for (const button of this.root.querySelectorAll("[data-message]")) this.#offer(/** @type {HTMLButtonElement} */ (button));
  }

  /** @param {HTMLButtonElement} button */
  #offer(button) {
    button.disabled = !this.stands(Number(button.dataset.message));
    button.title = button.disabled ? "" : _("Show it in the text");
  }

  /** Some at once, the others while nothing else is to be done: all of them are in the page, so that find finds them.
   * @param {HTMLElement} root @param {Card[]} cards @param {number} from */
  #draw(root, cards, from) {
    root.append(make("div", { class: "leaf" }, ...cards.slice(from, from + AT_ONCE).map((card) => this.#turn(card))));
    if (from + AT_ONCE < cards.length) setTimeout(() => this.#draw(root, cards, from + AT_ONCE), 0);
  }

  /** @param {string} text */
  #inForce(text) {
    const piece = { text, size: text.length, kind: "text" };
    return make("article", { class: "turn system", "data-testid": "system-in-force" },
      make("h3", {}, `${speakerName("system")} `, make("span", { class: "muted", text: _("the template's own") })), this.#said(piece, 0));
  }

  /** @param {Tool[]} tools */
  #tools(tools) {
    const count = fill(ngettext("%(count)s tool", "%(count)s tools", tools.length), { count: tools.length });
    return make("article", { class: "turn tools" }, make("h3", { text: count }), ...tools.map((tool) => make("details", { class: "call" },
      make("summary", {}, make("b", { text: tool.name || _("a tool") }), tool.about ? ` ${firstWords(tool.about.text)}` : ""),
      make("pre", { dir: "ltr", text: laidOut(tool.takes) }))));
  }

  /** @param {Card} card */
  #turn(card) {
    const role = ROLES[card.role] ?? card.role;
    const name = card.name && card.name !== role ? `${speakerName(role)} · ${card.name}` : speakerName(role);
    const button = /** @type {HTMLButtonElement} */ (make("button", { type: "button", class: "goto", "data-message": card.index, text: name }));
    this.#offer(button);
    const title = make("h3", {}, button);
    return make("article", { class: `turn ${role}`, "data-testid": "message" }, title,
      card.reasoning ? this.#folded(speakerName("reasoning"), card.reasoning, card.index, "reasoning") : null,
      ...card.pieces.map((piece) => this.#said(piece, card.index)),
      ...card.calls.map((call) => this.#folded(call.name || speakerName("call"), call.arguments, card.index, "call")));
  }

  /** @param {Piece} piece @param {number} index */
  #said(piece, index) {
    const isText = piece.kind === "text";
    if (isText && !isCut(piece) && piece.text.length <= LONG) return make("div", { class: "said", dir: "auto", text: piece.text });
    return this.#folded("", piece, index, isText ? "said" : "call");
  }

  /** @param {string} name @param {Piece} piece @param {number} index @param {string} kind */
  #folded(name, piece, index, kind) {
    const words = name || piece.kind === "text" || piece.kind === "json" ? firstWords(piece.text) : "";
    const summary = make("summary", {}, name ? make("b", { text: name }) : null, ` ${words} `, make("span", { class: "muted", text: sizeOf(piece) }));
    const details = make("details", { class: kind }, summary);
    // What is folded is written when it is opened.
    details.addEventListener("toggle", () => details.append(
      make(kind === "said" ? "div" : "pre", { class: "whole", dir: kind === "call" ? "ltr" : "auto", text: kind === "said" ? piece.text : laidOut(piece) }),
      ...(isCut(piece) ? [this.#file(piece, index)] : [])), { once: true });
    return details;
  }

  /** @param {Piece} piece @param {number} index */
  #file(piece, index) {
    return make("p", { class: "cut-note" }, fill(_("This is the beginning of %(size)s."), { size: sizeOf(piece) }), " ",
      make("a", { href: `${this.files}/${index}`, download: true, text: _("Download the message") }));
  }
}
