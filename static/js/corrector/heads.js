/** The lines above what a speaker says, a thought or a call: who, how much, and whether it is folded. */

import { make } from "../dom.js";
import { fill, gettext as _, ngettext } from "../text.js";

/**
 * @typedef {import("./path.js").Path} Path
 * @typedef {{start: number, kind: string, name: string, head: HTMLElement|null, open: boolean, folds: boolean, blocks: import("./blocks.js").Block[]}} Group
 */

/** Tokens in which a call has told its name. */
export const NAME_WITHIN = 60;
const LONG = 900;
const LINES = 12;

/** @param {string} kind @returns {string} */
export function speakerName(kind) {
  const names = /** @type {Record<string, string>} */ ({
    system: _("System"), user: _("User"), assistant: _("Assistant"), tool: _("Tool"), reasoning: _("Reasoning"), call: _("Tool call"),
  });
  return names[kind] ?? kind;
}

/** The name of the function in the text of a call, "" while it is not told. @param {string} text @returns {string} */
export function callName(text) {
  const found = /"name"\s*:\s*"((?:[^"\\]|\\.){1,80})"/.exec(text)
    ?? /(?:<tool_call>|\[TOOL_CALLS\]|<\|tool_call_begin\|>|<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?|<\|python_tag\|>)\s*(?:functions\.)?([\w.-]{1,80})/.exec(text);
  return found ? found[1] : "";
}

/** @param {number} count @returns {string} */
export function sizeText(count) {
  return fill(ngettext("%(count)s character", "%(count)s characters", count), { count: count.toLocaleString() });
}

export class Heads {
  /** @param {HTMLElement} root */
  constructor(root) {
    /** @type {Map<HTMLElement, Group>} */
    this.groups = new Map();
    root.addEventListener("click", (event) => {
      const group = this.groups.get(/** @type {HTMLElement} */ (/** @type {HTMLElement} */ (event.target).closest?.(".turn-head")));
      if (group?.folds) this.turn(group, !group.open);
    });
    root.addEventListener("beforematch", (event) => {
      for (const group of this.groups.values()) if (group.blocks.some((block) => block.element === event.target)) this.turn(group, true);
    });
  }

  /** A group that begins at a token; its head, where it has one. @param {number} start @param {string} kind @param {boolean} headed @returns {Group} */
  add(start, kind, headed) {
    const folds = kind === "reasoning";
    const head = headed ? make(folds ? "button" : "div", { class: `turn-head ${kind}` }) : null;
    const group = { start, kind, name: "", head, open: true, folds, blocks: [] };
    if (head) {
      this.groups.set(head, group);
      this.#name(group, "", "");
    }
    return group;
  }

  /** @param {Group} group */
  drop(group) {
    if (!group.head) return;
    this.groups.delete(group.head);
    group.head.remove();
  }

  /** What stands in the group is known now: name it, tell its size, and fold what is long. @param {Path} path @param {Group} group */
  tell(path, group) {
    const last = group.blocks.at(-1);
    if (!group.head || !last) return;
    if (group.kind === "call") {
      this.#name(group, callName(path.text(group.start, Math.min(last.end, group.start + NAME_WITHIN))), "");
      return;
    }
    if (group.kind === "assistant") return;
    if (group.kind === "reasoning") {
      const count = last.end - group.start;
      this.#name(group, "", fill(ngettext("%(count)s token", "%(count)s tokens", count), { count }));
      return;
    }
    const text = path.text(group.start, last.end);
    const long = text.length > LONG || text.split("\n", LINES + 1).length > LINES;
    if (long && !group.folds) this.#fold(group);
    this.#name(group, group.name, long ? sizeText(text.length) : "");
  }

  /** From now on the group can be folded, and is. @param {Group} group */
  #fold(group) {
    if (!group.head) return;
    const button = make("button", { class: group.head.className });
    group.head.replaceWith(button);
    this.groups.delete(group.head);
    this.groups.set(button, group);
    Object.assign(group, { head: button, folds: true });
    this.turn(group, false);
  }

  /** @param {Group} group @param {string} name @param {string} note */
  #name({ head, kind, folds, open }, name, note) {
    if (!head) return;
    const label = name ? `${speakerName(kind)} · ${name}` : speakerName(kind);
    Object.assign(head.dataset, { label, note });
    head.setAttribute("aria-label", note ? `${label}, ${note}` : label);
    if (folds) {
      head.setAttribute("type", "button");
      head.setAttribute("aria-expanded", String(open));
      head.dataset.does = open ? _("fold") : _("open");
    } else head.setAttribute("role", "note");
  }

  /** Open or fold a group. @param {Group} group @param {boolean} open */
  turn(group, open) {
    group.open = open;
    for (const block of group.blocks) this.dress(group, block);
    if (group.head) {
      group.head.setAttribute("aria-expanded", String(open));
      group.head.dataset.does = open ? _("fold") : _("open");
    }
  }

  /** Show a block as its group is: of a folded thought nothing stays, of what was given the beginning.
   * @param {Group} group @param {import("./blocks.js").Block} block */
  dress(group, block) {
    const first = group.kind !== "reasoning" && block === group.blocks[0];
    block.element.classList.toggle("clipped", !group.open && first);
    if (group.open || first) block.element.removeAttribute("hidden");
    else block.element.setAttribute("hidden", "until-found");
  }
}
