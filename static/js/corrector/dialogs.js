/** The dialogs of the corrector: help from the key table, reasons to skip or flag, unusual submits, what follows. */

import { find, make } from "../dom.js";
import { caps, groups } from "./keyeditor.js";
import { composing } from "./keys.js";
import { drawCaps, keyChanges } from "./keytable.js";

/** @param {string} name @returns {HTMLDialogElement} */
export function dialog(name) {
  return /** @type {HTMLDialogElement} */ (find(`dialog[data-dialog=${name}]`));
}

/** Is a dialog open? */
export function dialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}

/** Open a dialog and wait for its answer. @param {string} name
 * @returns {Promise<{value: string, data: FormData}>} value "" where it was left by Esc */
export function ask(name) {
  const element = dialog(name);
  const form = /** @type {HTMLFormElement} */ (find("form", element));
  form.reset();
  element.returnValue = "";
  // No submit button, so that Enter in a field never means it.
  find("[data-back]", element).onclick = () => element.close();
  element.showModal();
  return new Promise((resolve) => {
    element.addEventListener("close", () => resolve({ value: element.returnValue, data: new FormData(form) }), { once: true });
  });
}

/** Ask for a reason: a chip, words of one's own, or both. @param {string} name @returns {Promise<string|null>} */
export async function askReason(name) {
  const { value, data } = await ask(name);
  if (value !== "yes") return null;
  return [data.get("reason"), data.get("words")].map((part) => String(part ?? "").trim()).filter(Boolean).join(": ") || null;
}

/** Ask for a text; Enter sends one line, Ctrl+Enter several. @param {string} name @param {string} text to begin with
 * @returns {Promise<string|null>} null where it was left; what was written then stands there the next time */
export async function askText(name, text) {
  const area = /** @type {HTMLTextAreaElement} */ (find("textarea", dialog(name)));
  const draft = area.value;
  area.onkeydown = (event) => {
    const sends = event.key === "Enter" && !event.shiftKey && (event.ctrlKey || event.metaKey || !area.value.includes("\n"));
    if (!sends || composing(event)) return;
    event.preventDefault();
    area.form?.requestSubmit(find("button[value=yes]", dialog(name)));
  };
  const answer = ask(name);
  area.value = draft || text;
  const { value } = await answer;
  return value === "yes" ? area.value : null;
}

/** Fill the help and the captions from the key table, now and when it changes, so that no key is missing from them. */
export function drawHelp() {
  const draw = () => {
    find("[data-help]").replaceChildren(...groups().map(({ title, rows }) =>
      make("section", {}, make("h3", { text: title }), make("dl", {}, ...rows.flatMap((binding) => [
        make("dt", {}, ...caps(binding.keys)), make("dd", { text: binding.label }),
      ])))));
    drawCaps();
  };
  keyChanges.addEventListener("changed", draw);
  find("[data-change-keys]").addEventListener("click", () => {
    dialog("help").close();
    dialog("keys").showModal();
  });
  draw();
}
