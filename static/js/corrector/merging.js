/** Two tabs answered the same question differently: both answers, and a choice. */

import { find, make } from "../dom.js";
import { gettext as _ } from "../text.js";
import { empty } from "./answers.js";

/** @param {import("./answers.js").Question} question @param {import("./answers.js").Value|undefined} value */
function inWords(question, value) {
  if (empty(value)) return _("no answer");
  const label = (/** @type {unknown} */ one) => question.options.find((option) => option.value === one)?.label ?? String(one);
  return Array.isArray(value) ? value.map(label).join(", ") : label(value);
}

/** @param {HTMLElement} root @param {import("./draft.js").Draft} draft @param {import("./answers.js").Question[]} questions @param {() => void} show */
export function mergeView(root, draft, questions, show) {
  let shown = false;
  const draw = () => {
    const { conflict } = draft;
    shown &&= Boolean(conflict);
    root.hidden = !conflict;
    if (!conflict) return;
    const fresh = !shown;
    shown = true;
    show();
    find("ul", root).replaceChildren(...conflict.keys.map((key) => {
      const question = questions.find((one) => one.key === key) ?? /** @type {any} */ ({ label: key, options: [] });
      const button = (/** @type {"mine"|"theirs"} */ whose, /** @type {string} */ text) => make("button", {
        type: "button", class: "button", "data-testid": whose, text, onclick: () => draft.choose(key, whose),
      });
      return make("li", {}, make("b", { text: question.label }),
        make("p", {}, make("span", { class: "muted", text: `${_("here")} ` }), make("span", { dir: "auto", text: inWords(question, draft.answers[key]) })),
        make("p", {}, make("span", { class: "muted", text: `${_("other tab")} ` }), make("span", { dir: "auto", text: inWords(question, conflict.theirs[key]) })),
        make("p", { class: "row" }, button("mine", _("Keep mine")), button("theirs", _("Take theirs"))));
    }));
    if (fresh) root.scrollIntoView({ block: "nearest" });
  };
  draft.addEventListener("conflict", draw);
  draft.addEventListener("answers", draw);
  draw();
}
