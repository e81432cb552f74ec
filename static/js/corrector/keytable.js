/** The keys as the person has them: which may be chosen, what they clash with, and who is told of a change. */

import { BINDINGS, STANDARD, bindingOf, face, switchedOff } from "./keys.js";

/** Keys that browsers and systems keep for themselves, or that people expect to stay theirs. */
export const BROWSER_KEYS = [
  ..."acdfghjlmnopqrstvwx+-=0123456789".split("").map((key) => `Ctrl+${key}`), ..."acijmnoprtvw".split("").map((key) => `Ctrl+Shift+${key}`),
  "Ctrl+Tab", "Ctrl+Shift+Tab", "Ctrl+PageUp", "Ctrl+PageDown", "Ctrl+F4", "Ctrl+F5", "Tab", "Shift+Tab", "Alt+Tab", "Alt+F4", "Alt+Home", "Alt+d", "Alt+f", "Alt+e",
  "F1", "F3", "Shift+F3", "F5", "F6", "F7", "F10", "Shift+F10", "F11", "F12", "ContextMenu", "Escape", "Shift+Escape", "Insert", "Shift+Insert", "Shift+Delete",
];
const WRITTEN = /^(?:Ctrl\+)?(?:Alt\+)?(?:Shift\+)?(?:[^\s\p{Lu}]|[ ]|Enter|Home|End|Page(?:Up|Down)|Arrow(?:Left|Right|Up|Down)|Backspace|Delete|F\d{1,2})$/u;
const MOST = 3;

/** Tells of changed keys. */
export const keyChanges = new EventTarget();

/** May this key be given to something, as far as browsers go? @param {string} key */
export function browserKeeps(key) {
  return BROWSER_KEYS.includes(key);
}

/** Is the key written as the table writes keys? @param {string} key */
export function wellWritten(key) {
  return WRITTEN.test(key);
}

/** What has one of the keys already, in a mode that both act in.
 * @param {string} id @param {string[]} keys @returns {import("./keys.js").Binding|undefined} */
export function clash(id, keys) {
  const { modes } = bindingOf(id);
  return BINDINGS.find((other) => other.id !== id && other.modes.some((mode) => modes.includes(mode)) && other.keys.some((key) => keys.includes(key)));
}

/** Take the person's own keys; what is not named has its standard keys. A set that clashes leaves the standard.
 * @param {Record<string, string[]>|undefined} own */
export function applyKeys(own = {}) {
  for (const binding of BINDINGS) binding.keys = STANDARD.get(binding.id) ?? [];
  for (const binding of BINDINGS) {
    const keys = own[binding.id];
    if (!binding.fixed && Array.isArray(keys) && keys.length && keys.length <= MOST) binding.keys = keys;
  }
  if (BINDINGS.some((binding) => clash(binding.id, binding.keys))) {
    for (const binding of BINDINGS) binding.keys = STANDARD.get(binding.id) ?? [];
  }
  keyChanges.dispatchEvent(new Event("changed"));
}

/** Show no longer what the project switched off. @param {string[]} ids */
export function switchOff(ids) {
  for (const id of ids) switchedOff.add(id);
  keyChanges.dispatchEvent(new Event("changed"));
}

/** The first key of a binding as its cap shows it. @param {string} id */
export function capOf(id) {
  return face(bindingOf(id).keys[0]);
}

/** Write the keys into every caption of the page: `data-cap` into the text, `data-cap-title` behind the title.
 * @param {ParentNode} [root] */
export function drawCaps(root = document) {
  for (const cap of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-cap]"))) cap.textContent = capOf(cap.dataset.cap ?? "");
  for (const named of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-cap-title]"))) {
    named.title = `${named.getAttribute("aria-label") ?? ""} (${capOf(named.dataset.capTitle ?? "")})`;
  }
}
