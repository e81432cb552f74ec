/** The one table of keys: what acts in which mode. Help, the foot line, the captions and the tests are made from it. */

import { gettext as _ } from "../text.js";
import { names } from "./keynames.js";

export { composing, face, names } from "./keynames.js";

/** @typedef {"read"|"locate"|"pick"|"type"|"continue"} Mode */
/**
 * @typedef {{id: string, keys: string[], modes: Mode[], label: string, foot?: string, pair?: string, fixed?: boolean}} Binding
 * keys are written as "Ctrl+Shift+z", "ArrowLeft", "]"; letters are lower case; `pair` names the one shown with it;
 * `fixed` keys cannot be given to something else. After a change: `node tests/js/keys-json.mjs`
 */

export const MODES = /** @type {Mode[]} */ (["read", "locate", "pick", "type", "continue"]);

const TEXT = /** @type {Mode[]} */ (["read", "locate", "continue"]);
const LIST = /** @type {Mode[]} */ (["pick"]);
const NOT_TYPING = /** @type {Mode[]} */ (["read", "locate", "continue", "pick"]);

/** As the person has it: `applyKeys` changes `keys` in place. @type {Binding[]} */
export const BINDINGS = [
  { id: "left", keys: ["ArrowLeft"], modes: TEXT, label: _("Previous character") },
  { id: "right", keys: ["ArrowRight"], modes: TEXT, label: _("Next character"), foot: _("move"), pair: "left" },
  { id: "tokenLeft", keys: [","], modes: TEXT, label: _("Previous raw token") },
  { id: "tokenRight", keys: ["."], modes: TEXT, label: _("Next raw token") },
  { id: "wordLeft", keys: ["Ctrl+ArrowLeft", "Alt+ArrowLeft"], modes: TEXT, label: _("Previous word") },
  { id: "wordRight", keys: ["Ctrl+ArrowRight", "Alt+ArrowRight"], modes: TEXT, label: _("Next word") },
  { id: "up", keys: ["ArrowUp"], modes: TEXT, label: _("Line above") },
  { id: "down", keys: ["ArrowDown"], modes: TEXT, label: _("Line below") },
  { id: "pageUp", keys: ["PageUp"], modes: TEXT, label: _("Page above") },
  { id: "pageDown", keys: ["PageDown"], modes: TEXT, label: _("Page below") },
  { id: "home", keys: ["Home", "Ctrl+Home"], modes: TEXT, label: _("Beginning of this answer, then of the one before") },
  { id: "end", keys: ["End", "Ctrl+End"], modes: TEXT, label: _("End of the answer; follows what arrives") },
  { id: "stepDown", keys: ["j"], modes: TEXT, label: _("Next sentence, list item or call"), foot: _("sentence"), pair: "stepUp" },
  { id: "stepUp", keys: ["k"], modes: TEXT, label: _("Previous sentence, list item or call") },
  { id: "uncertainNext", keys: ["]"], modes: TEXT, label: _("Next token the model was unsure of"), foot: _("unsure"), pair: "uncertainPrevious" },
  { id: "uncertainPrevious", keys: ["["], modes: TEXT, label: _("Previous token the model was unsure of") },
  { id: "locate", keys: ["Enter"], modes: TEXT, label: _("The first unsuitable token is here"), foot: _("not this") },
  { id: "hold", keys: [" "], modes: TEXT, label: _("Hold or resume the display; the model goes on"), foot: _("hold") },
  { id: "type", keys: ["i"], modes: NOT_TYPING, label: _("Write your own text here"), foot: _("write") },
  { id: "slash", keys: ["/"], modes: TEXT, label: _("Write your own text here") },
  { id: "endHere", keys: ["e"], modes: NOT_TYPING, label: _("The answer should have ended here") },
  { id: "goOn", keys: ["c"], modes: TEXT, label: _("The answer should go on, or continue it where it stopped"), foot: _("go on") },
  { id: "reply", keys: ["r"], modes: TEXT, label: _("Reply as the user, or as the tool that was called; the model goes on") },
  { id: "again", keys: ["a"], modes: TEXT, label: _("Say again the turn that a correction dropped") },
  { id: "undo", keys: ["u", "Ctrl+z"], modes: NOT_TYPING, label: _("Undo"), foot: _("undo") },
  { id: "redo", keys: ["Ctrl+Shift+z", "Ctrl+y"], modes: NOT_TYPING, label: _("Redo") },
  { id: "branches", keys: ["b"], modes: TEXT, label: _("Go to the branches") },
  { id: "diff", keys: ["d"], modes: TEXT, label: _("Compare what was cut with what stands now") },
  { id: "rendered", keys: ["v"], modes: TEXT, label: _("Show or hide the answer as rendered Markdown") },
  { id: "reason", keys: ["w"], modes: TEXT, label: _("Why: then a digit gives the last correction its reason") },
  { id: "question", keys: ["q"], modes: TEXT, label: _("Next question without an answer; then digits answer it") },
  { id: "comment", keys: ["m"], modes: TEXT, label: _("Comment on the selection, the token or the task") },
  { id: "flag", keys: ["f"], modes: TEXT, label: _("Flag the task as broken") },
  { id: "skip", keys: ["s"], modes: TEXT, label: _("Skip the task with a reason") },
  { id: "later", keys: ["l"], modes: TEXT, label: _("Set the task aside for later") },
  { id: "submit", keys: ["Ctrl+Enter"], modes: TEXT, label: _("The answer is good as it stands: submit") },
  { id: "giveBack", keys: ["Shift+r"], modes: TEXT, label: _("As the reviewer: send the answer back with a comment") },
  { id: "choose1to9", keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"], modes: LIST, label: _("Choose candidate 1 to 9"), foot: _("choose"), fixed: true },
  { id: "chooseEnd", keys: ["0"], modes: LIST, label: _("Choose the end of the answer"), fixed: true },
  { id: "chooseInner", keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((digit) => `Alt+${digit}`), modes: LIST, label: _("Choose a candidate inside a character"), fixed: true },
  { id: "takeInner", keys: ["Alt+Enter"], modes: LIST, label: _("Take the highlighted candidate inside a character") },
  { id: "listDown", keys: ["ArrowDown"], modes: LIST, label: _("Next candidate"), foot: _("move"), pair: "listUp" },
  { id: "listUp", keys: ["ArrowUp"], modes: LIST, label: _("Previous candidate") },
  { id: "listRight", keys: ["ArrowRight"], modes: LIST, label: _("Candidate in the next column") },
  { id: "listLeft", keys: ["ArrowLeft"], modes: LIST, label: _("Candidate in the previous column") },
  { id: "listHome", keys: ["Home"], modes: LIST, label: _("First candidate") },
  { id: "listEnd", keys: ["End"], modes: LIST, label: _("Last candidate") },
  { id: "take", keys: ["Enter"], modes: LIST, label: _("Take the highlighted candidate"), foot: _("take") },
  { id: "filter", keys: ["/"], modes: LIST, label: _("Filter the candidates; without a match your text is taken"), foot: _("filter") },
  { id: "commit", keys: ["Enter"], modes: ["type"], label: _("Take the text"), foot: _("take the text"), fixed: true },
  { id: "commitLines", keys: ["Ctrl+Enter"], modes: ["type"], label: _("Take a text of several lines"), foot: _("several lines") },
  { id: "newLine", keys: ["Shift+Enter"], modes: ["type"], label: _("New line in the text"), foot: _("new line"), fixed: true },
  { id: "back", keys: ["Escape"], modes: MODES, label: _("One step back"), foot: _("back"), fixed: true },
  { id: "help", keys: ["?"], modes: NOT_TYPING, label: _("Show the keys"), foot: _("keys") },
];

/** Bindings that this project switched off: they are not shown. @type {Set<string>} */
export const switchedOff = new Set();

/** The keys that a binding has unless the person chose others. @type {Map<string, string[]>} */
export const STANDARD = new Map(BINDINGS.map((binding) => [binding.id, binding.keys]));

/** Keys that no project may give to something else. @returns {Set<string>} */
export function reservedKeys() {
  return new Set([...STANDARD.values()].flat());
}

/** @param {string} id @returns {Binding} */
export function bindingOf(id) {
  const found = BINDINGS.find((binding) => binding.id === id);
  if (!found) throw new Error(`There is no key binding ${id}`);
  return found;
}

/** @param {KeyboardEvent} event @param {Mode} mode @returns {{binding: Binding, key: string}|null} */
export function match(event, mode) {
  for (const key of names(event)) {
    const binding = BINDINGS.find((one) => one.modes.includes(mode) && one.keys.includes(key));
    if (binding) return { binding, key };
  }
  return null;
}
