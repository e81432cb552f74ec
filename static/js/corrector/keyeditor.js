/** The page on which a person changes keys: one presses the new key; clashes and keys of the browser are refused. */

import { make } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { composing, names } from "./keynames.js";
import { BINDINGS, STANDARD, bindingOf, face, switchedOff } from "./keys.js";
import { applyKeys, browserKeeps, clash, keyChanges, wellWritten } from "./keytable.js";

/** @typedef {import("./keys.js").Binding} Binding */
/** @typedef {{api: (method: string, path: string, body?: any) => Promise<any>, taken?: Map<string, string>}} Means */

const CHANNEL = "stet-preferences";

/** The parts of the key table, for help and for the editor. @returns {{title: string, rows: Binding[]}[]} */
export function groups() {
  const told = new Set();
  const parts = [
    { title: _("Read and locate"), modes: ["read", "locate", "continue"] },
    { title: _("Pick"), modes: ["pick"] },
    { title: _("Type"), modes: ["type"] },
  ];
  return parts.map(({ title, modes }) => {
    const rows = BINDINGS.filter((binding) => !told.has(binding.id) && !switchedOff.has(binding.id) && binding.modes.some((mode) => modes.includes(mode)));
    rows.forEach((binding) => told.add(binding.id));
    return { title, rows };
  });
}

/** Key caps, as many as fit a column. @param {string[]} keys @returns {(Node|string)[]} */
export function caps(keys) {
  if (keys.length > 3) return [make("kbd", { text: face(keys[0]) }), "–", make("kbd", { text: face(keys[keys.length - 1].replace(/^.*\+(?=.)/, "")) })];
  const short = keys.filter((key, i) => i === 0 || keys.join("").length < 8);
  return short.map((key) => make("kbd", { text: face(key) }));
}

/** Take the person's keys as another tab changed them. */
export function followKeys() {
  new BroadcastChannel(CHANNEL).onmessage = (event) => applyKeys(event.data);
}

/** What is meant by a pressed key. A key of another script is kept by its place, so that it acts on every layout.
 * @param {KeyboardEvent} event @returns {string|undefined} */
export function pressed(event) {
  return names(event).at(-1);
}

/** Why the key cannot be given to the binding, "" where it can. @param {string} id @param {string} key
 * @param {Map<string, string>} [taken] keys of the project's questions */
export function refusal(id, key, taken = new Map()) {
  const shown = face(key);
  if (browserKeeps(key)) return fill(_("“%(key)s” belongs to the browser and would not reach this page."), { key: shown });
  if (!wellWritten(key)) return fill(_("“%(key)s” cannot be a key here."), { key: shown });
  const other = clash(id, [key])?.label ?? taken.get(key);
  return other ? fill(_("“%(key)s” is taken already: %(name)s. Nothing was changed."), { key: shown, name: other }) : "";
}

export class KeyEditor {
  /** @param {HTMLElement} root @param {Means} means */
  constructor(root, means) {
    this.means = means;
    this.list = make("div", { class: "key-groups" });
    this.status = make("p", { class: "key-status", role: "status", "data-testid": "key-status" });
    this.all = make("button", { type: "button", class: "button", "data-testid": "keys-reset", text: _("Standard keys again") });
    root.replaceChildren(this.status, this.list, make("p", { class: "row end" }, this.all));
    /** @type {string} the binding whose new key is waited for */
    this.waiting = "";
    this.all.addEventListener("click", () => this.#save(null));
    this.list.addEventListener("click", (event) => this.#clicked(/** @type {HTMLElement} */ (event.target)));
    this.list.addEventListener("focusout", () => this.wait(""));
    document.addEventListener("keydown", (event) => this.#key(event), { capture: true });
    keyChanges.addEventListener("changed", () => this.draw());
    this.#tell(_("Choose “Change”, then press the new key. Esc leaves it as it is."));
    this.draw();
  }

  draw() {
    const focus = /** @type {HTMLElement|null} */ (document.activeElement)?.closest("[data-binding]");
    const id = focus instanceof HTMLElement && this.list.contains(focus) ? focus.dataset.binding : "";
    this.list.replaceChildren(...groups().map(({ title, rows }) => make("section", {}, make("h3", { text: title }), ...rows.map((row) => this.#row(row)))));
    if (id) /** @type {HTMLElement|null} */ (this.list.querySelector(`[data-binding="${id}"] button`))?.focus();
  }

  /** @param {Binding} binding */
  #row(binding) {
    const own = String(binding.keys) !== String(STANDARD.get(binding.id));
    const button = (/** @type {string} */ act, /** @type {string} */ text) => make("button", {
      type: "button", class: "plain", "data-act": act, "aria-label": fill(_("%(act)s: %(name)s"), { act: text, name: binding.label }), text,
    });
    return make("div", { class: own ? "key-row own" : "key-row", "data-binding": binding.id, "data-testid": "key-row" },
      make("span", { class: "key-caps" }, ...caps(binding.keys)), make("span", { class: "key-name", text: binding.label }),
      binding.fixed ? make("span", { class: "muted", text: _("fixed") }) : button("change", _("Change")), own ? button("reset", _("Standard")) : null);
  }

  /** @param {HTMLElement} target */
  #clicked(target) {
    const act = target.closest("button")?.dataset.act;
    const id = /** @type {HTMLElement|null} */ (target.closest("[data-binding]"))?.dataset.binding ?? "";
    if (act === "reset") this.#save({ [id]: null });
    if (act === "change") this.wait(this.waiting === id ? "" : id);
  }

  /** @param {string} id "" for none */
  wait(id) {
    if (id === this.waiting) return;
    this.list.querySelector(".waiting")?.classList.remove("waiting");
    this.waiting = id;
    if (!id) return;
    this.list.querySelector(`[data-binding="${id}"]`)?.classList.add("waiting");
    this.#tell(fill(_("Press the new key for: %(name)s"), { name: bindingOf(id).label }));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (composing(event) || !this.waiting) return;
    const key = pressed(event);
    if (!key) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const id = this.waiting;
    if (event.key === "Escape") {
      this.wait("");
      this.#tell(_("Left as it was."));
      return;
    }
    if (event.repeat) return;
    const [, ...others] = bindingOf(id).keys;
    const refused = refusal(id, key, this.means.taken);
    if (refused) this.#tell(refused, "cut");
    else this.#save({ [id]: [key, ...others.filter((other) => other !== key)] });
  }

  /** @param {Record<string, string[]|null>|null} keys */
  async #save(keys) {
    this.wait("");
    try {
      const saved = await this.means.api("PATCH", "/me/preferences", { keys });
      const channel = new BroadcastChannel(CHANNEL);
      channel.postMessage(saved.keys);
      channel.close();
      applyKeys(saved.keys);
      this.#tell(_("Saved, and in force in every tab."), "ok");
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : String(error), "cut");
    }
  }

  /** @param {string} text @param {string} [level] */
  #tell(text, level = "") {
    this.status.textContent = text;
    this.status.dataset.level = level;
  }
}
