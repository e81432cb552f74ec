/** The dialog in which a person answers as the tools that the model called. */

import { find, make } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { ask, dialog } from "./dialogs.js";
import { composing } from "./keys.js";

/** @typedef {import("./calls.js").Call} Call */

/** What a result is, said beside its field. @param {string} text @returns {string} */
export function resultKind(text) {
  if (!text.trim()) return _("empty result");
  try {
    JSON.parse(text);
    return _("JSON");
  } catch {
    return /^\s*[[{]/.test(text) ? _("text; as JSON it is not complete") : _("text");
  }
}

/** @param {Call} call @param {number} i @param {string} text to begin with @returns {HTMLElement} */
function field(call, i, text) {
  const name = call.name || _("a tool");
  const note = make("span", { class: "muted", id: `result-note-${i}`, text: resultKind(text) });
  const area = /** @type {HTMLTextAreaElement} */ (make("textarea", {
    class: "field mono", name: `result-${i}`, rows: 4, maxlength: 1000000, dir: "auto", spellcheck: "false",
    "aria-label": fill(_("What %(name)s gives back"), { name }), "aria-describedby": `result-note-${i}`, "data-testid": "result",
  }));
  area.value = text;
  area.addEventListener("input", () => (note.textContent = resultKind(area.value)));
  return make("fieldset", { class: "result" }, make("legend", { text: name }),
    make("pre", { class: "call", dir: "ltr", text: call.arguments || _("without arguments") }), area, note);
}

/** Ask what the called tools give back. @param {Call[]} calls @param {string} text for the first
 * @returns {Promise<{name: string, id: string, content: string}[]|"user"|null>} "user" to reply as the user instead, null where it was left */
export async function askResults(calls, text) {
  const element = dialog("tool");
  const place = find("[data-results]", element);
  place.replaceChildren(...calls.map((call, i) => field(call, i, i ? "" : text)));
  const areas = [...place.querySelectorAll("textarea")];
  place.onkeydown = (event) => {
    if (composing(event) || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    /** @type {HTMLFormElement} */ (find("form", element)).requestSubmit(find("button[value=yes]", element));
  };
  const kept = areas.map((area) => area.value);
  const answer = ask("tool");
  areas.forEach((area, i) => (area.value = kept[i]));
  areas[0].focus();
  const { value } = await answer;
  if (value === "user") return "user";
  return value === "yes" ? calls.map((call, i) => ({ name: call.name, id: call.id, content: areas[i].value })) : null;
}
