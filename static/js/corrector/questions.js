/** The questions of the project beside the answer: by mouse, by Tab, or by a key and then a digit. */

import { find, make } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { asked, choices, digitFor, empty, missing } from "./answers.js";
import { face } from "./keys.js";

/**
 * @typedef {import("./answers.js").Question} Question
 * @typedef {{root: HTMLElement, questions: Question[], draft: import("./draft.js").Draft, readOnly: () => boolean,
 *   show: () => void, hide: () => void, announce: (text: string) => void, say: import("./messages.js").Say}} Means `show` and `hide` turn the panel in a narrow window
 */

const MOST_CHIPS = 11;

export class Questions {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    this.list = find("[data-list]", means.root);
    /** @type {Map<string, HTMLElement>} */
    this.places = new Map();
    /** @type {Question|null} the one that the next digit answers */
    this.at = null;
    means.root.hidden = !means.questions.length;
    for (const question of means.questions) this.places.set(question.key, this.#make(question));
    this.list.replaceChildren(...this.places.values());
    means.draft.addEventListener("answers", () => this.draw());
    this.draw();
  }

  /** @param {Question} question */
  #make(question) {
    const name = `q-${question.key}`;
    const help = question.help ? make("p", { class: "muted", id: `${name}-help`, text: question.help }) : null;
    return make("fieldset", { class: "question", "data-key": question.key, "data-testid": `question-${question.key}`, "aria-describedby": help ? `${name}-help` : null },
      make("legend", {}, make("span", { text: question.label }),
        question.required ? make("span", { class: "required", title: _("required"), "aria-label": _("required"), role: "img", text: "*" }) : null,
        question.hotkey ? make("kbd", { text: face(question.hotkey) }) : null),
      help, this.#field(question, name), make("p", { class: "fault", hidden: true }));
  }

  /** @param {Question} question @param {string} name */
  #field(question, name) {
    const all = choices(question);
    if (question.kind === "text") {
      return make("textarea", { class: "field", rows: 2, dir: "auto", maxlength: 20_000, "aria-label": question.label, oninput: (/** @type {Event} */ event) =>
        this.means.draft.set(question.key, /** @type {HTMLTextAreaElement} */ (event.target).value) });
    }
    if (question.kind === "scale" && all.length > MOST_CHIPS) {
      return make("input", { class: "field number", type: "number", step: 1, min: question.min, max: question.max, "aria-label": question.label,
        oninput: (/** @type {Event} */ event) => {
          const value = /** @type {HTMLInputElement} */ (event.target).valueAsNumber;
          this.means.draft.set(question.key, all.includes(value) ? value : undefined);
        } });
    }
    const type = question.kind === "multiple" ? "checkbox" : "radio";
    const chips = all.map((value, i) => make("label", { class: `chip radio-chip ${question.kind}` },
      make("input", { type, name, value, onclick: () => this.#chose(question, i) }),
      make("kbd", { text: digitFor(question, i), hidden: !digitFor(question, i) }),
      make("span", { text: question.options[i]?.label ?? value })));
    const ends = question.kind === "scale" && (question.min_label || question.max_label)
      ? make("p", { class: "scale-ends muted" }, make("span", { text: question.min_label }), make("span", { text: question.max_label })) : null;
    return make("div", {}, make("div", { class: "chips" }, ...chips), ends);
  }

  /** @param {Question} question @param {number} at the same choice again takes it back */
  #chose(question, at) {
    const { draft } = this.means;
    if (this.means.readOnly()) return;
    const value = choices(question)[at];
    const now = draft.answers[question.key];
    if (question.kind === "multiple") {
      const chosen = Array.isArray(now) ? now : [];
      draft.set(question.key, chosen.includes(String(value)) ? chosen.filter((one) => one !== value) : [...chosen, String(value)]);
    } else {
      draft.set(question.key, now === value ? undefined : value);
    }
  }

  /** Show the answers; a field in which somebody writes is left alone. */
  draw() {
    const { questions, draft, root } = this.means;
    const now = asked(questions, draft.answers);
    for (const question of questions) {
      const place = /** @type {HTMLFieldSetElement} */ (this.places.get(question.key));
      const value = draft.answers[question.key];
      place.hidden = !now.includes(question);
      place.disabled = this.means.readOnly();
      if (!empty(value)) this.#fault(question.key, "");
      for (const input of place.querySelectorAll("input, textarea")) {
        const field = /** @type {HTMLInputElement} */ (input);
        if (field.type === "radio") field.checked = String(value) === field.value && !empty(value);
        else if (field.type === "checkbox") field.checked = Array.isArray(value) && value.includes(field.value);
        else if (field !== document.activeElement) field.value = empty(value) ? "" : String(value);
      }
    }
    const done = now.filter((question) => !empty(draft.answers[question.key])).length;
    find("[data-count]", root).textContent = fill(_("%(done)s of %(all)s"), { done, all: now.length });
  }

  get waiting() {
    return this.at !== null;
  }

  /** Does the next digit answer a question? @param {boolean} on */
  wait(on) {
    if (on) this.next();
    else this.#turn(null);
  }

  /** @param {Question|null} question */
  #turn(question) {
    if (this.at) this.places.get(this.at.key)?.classList.remove("waiting");
    if (this.at && !question) this.means.hide();
    this.at = question;
    if (!question) return;
    const place = /** @type {HTMLElement} */ (this.places.get(question.key));
    this.means.show();
    place.scrollIntoView({ block: "nearest" });
    place.classList.add("waiting");
    const field = /** @type {HTMLElement|null} */ (place.querySelector("textarea, input.number"));
    if (field) {
      place.classList.remove("waiting");
      this.at = null;
      field.focus();
      return;
    }
    const words = choices(question).map((value, i) => `${digitFor(question, i)} ${question.options[i]?.label ?? value}`).join(", ");
    this.means.announce(`${question.label} ${words}`);
  }

  /** To the next question without an answer, after the one that is being answered; where all have one, to the next of all. */
  next() {
    const { questions, draft, say } = this.means;
    const now = asked(questions, draft.answers);
    if (!now.length) {
      say(_("This project asks no questions."));
      return;
    }
    const from = this.at ? now.indexOf(this.at) + 1 : 0;
    const round = [...now.slice(from), ...now.slice(0, from)];
    const open = round.filter((question) => empty(draft.answers[question.key]));
    this.#turn((open.length ? open : round)[0]);
  }

  /** @param {string} digit @returns {boolean} whether it answered */
  digit(digit) {
    const question = this.at;
    if (!question) return false;
    const at = choices(question).findIndex((_value, i) => digitFor(question, i) === digit);
    if (at < 0) return false;
    this.#chose(question, at);
    if (question.kind !== "multiple") this.#turn(null);
    return true;
  }

  /** The question that has one of these keys as its own. @param {string[]} keys @returns {boolean} */
  hotkey(keys) {
    const { questions, draft } = this.means;
    const found = asked(questions, draft.answers).find((question) => question.hotkey && keys.includes(question.hotkey));
    if (found) this.#turn(found);
    return Boolean(found);
  }

  /** @param {string} key @param {string} text */
  #fault(key, text) {
    const place = this.places.get(key);
    const line = /** @type {HTMLElement|null} */ (place?.querySelector(".fault"));
    if (!place || !line) return;
    line.textContent = text;
    line.hidden = !text;
    place.classList.toggle("faulty", Boolean(text));
  }

  /** Lead to what is missing or wrong. @param {{field: string, detail: string}[]} faults @returns {boolean} whether there is any here */
  lead(faults) {
    const known = faults.filter(({ field }) => this.places.has(field));
    for (const { field, detail } of known) this.#fault(field, detail);
    const first = this.means.questions.find(({ key }) => key === known[0]?.field);
    if (first) this.#turn(first);
    return Boolean(first);
  }

  /** Is an answer missing? Leads there. */
  incomplete() {
    const { questions, draft, say } = this.means;
    const open = missing(questions, draft.answers);
    if (!open.length) return false;
    this.lead(open.map(({ key }) => ({ field: key, detail: _("Please answer this question.") })));
    say(fill(_("Before you hand it in, please answer: %(label)s"), { label: open[0].label }), "warn");
    return true;
  }
}
