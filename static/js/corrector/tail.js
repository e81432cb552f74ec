/** The line under the text: whether the model writes, why it stopped, and what to do next. */

import { make } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { callsAtEnd } from "./calls.js";
import { capOf } from "./keytable.js";

const TITLE = 300;

/** @param {string} status @returns {string} "" where it can be worked on */
function closedText(status) {
  const words = /** @type {Record<string, string>} */ ({
    submitted: _("Submitted."), accepted: _("Accepted."), skipped: _("Skipped."), flagged: _("Flagged."), later: _("Set aside for later."),
  });
  return words[status] ?? "";
}

/** Why the last generation from this place failed, "" where none did. @param {import("./store.js").EpisodeStore} store */
function failedHere({ episode, path }) {
  const last = (episode.generations ?? []).at(-1);
  if (!last || last.status !== "failed") return "";
  const tip = path.pieces.at(-1);
  const here = last.segment === tip?.segment || (last.parent === tip?.segment && last.start === path.length);
  if (!here) return "";
  const { error } = last;
  return (typeof error === "string" ? error : error?.detail || error?.code) || _("no detail.");
}

/** @param {import("./store.js").EpisodeStore} store */
function ended({ path, episode }) {
  const names = callsAtEnd(path, episode.policy).map((call) => call.name || _("a tool"));
  if (!names.length) return { text: _("The answer has ended."), level: "", key: "r" };
  return { text: fill(_("The model calls %(names)s and waits for the result."), { names: names.join(", ") }), level: "", key: "tool" };
}

/** @param {import("./store.js").EpisodeStore} store @returns {{text: string, level: string, key?: string}} */
export function tailState(store) {
  const { episode, generation, path, low } = store;
  const closed = closedText(episode.status);
  if (store.readOnly && !store.live) return { text: closed, level: closed ? "ok" : "" };
  if (closed) return { text: closed, level: "ok", key: "reopen" };
  if (store.held) return { text: _("Held: the model goes on, the page waits."), level: "warn", key: "Space" };
  if (store.live) return { text: path.length > low ? _("The model is writing.") : _("Waiting for the first token, usually under a second."), level: "live" };
  if (store.ahead) return { text: _("Saving; then the model goes on."), level: "live" };
  const failed = failedHere(store);
  if (failed) return { text: fill(_("The model failed: %(error)s What had arrived is kept."), { error: failed }), level: "cut", key: "c" };
  if (!store.answered) return { text: _("No answer yet."), level: "", key: "c" };
  if (episode.policy.eos.includes(path.rows[path.length - 1][0])) return ended(store);
  const atTip = generation && generation.segment === path.pieces.at(-1)?.segment;
  if (atTip && generation.status === "interrupted") return { text: _("The server was interrupted. What had arrived is kept."), level: "warn", key: "c" };
  if (atTip && generation.finish_reason === "length") return { text: _("The limit of tokens was reached."), level: "warn", key: "c" };
  return { text: _("Stopped here."), level: "", key: "c" };
}

/** @param {HTMLElement} place @param {import("./store.js").EpisodeStore} store @param {import("./later.js").Turn} [next] that a correction dropped */
export function drawTail(place, store, next) {
  const { text, level, key = "" } = tailState(store);
  const again = key === "r" || key === "tool" ? next?.text ?? "" : "";
  if (place.dataset.said === text && place.dataset.key === key && place.dataset.again === again) return;
  Object.assign(place.dataset, { said: text, level, key, again });
  place.replaceChildren(make("span", { text }));
  if (key === "c") place.append(" ", make("button", { type: "button", class: "plain", "data-run": "goOn" }, make("kbd", { text: capOf("goOn"), "data-cap": "goOn" }), ` ${_("continue")}`));
  if (again) place.append(" ", make("button", { type: "button", class: "plain", "data-run": "again", "data-testid": "again", title: again.slice(0, TITLE) }, make("kbd", { text: capOf("again"), "data-cap": "again" }), ` ${_("say the dropped turn again")}`));
  if (key === "tool") place.append(" ", make("button", { type: "button", class: "plain", "data-run": "reply", "data-testid": "answer-call" }, make("kbd", { text: capOf("reply"), "data-cap": "reply" }), ` ${_("answer as the tool")}`));
  if (key === "r") place.append(" ", make("button", { type: "button", class: "plain", "data-run": "reply", "data-testid": "reply" }, make("kbd", { text: capOf("reply"), "data-cap": "reply" }), ` ${_("reply as the user")}`));
  if (key === "Space") place.append(" ", make("button", { type: "button", class: "plain", "data-run": "hold" }, make("kbd", { text: capOf("hold"), "data-cap": "hold" }), ` ${_("resume")}`));
  if (key === "reopen") place.append(" ", make("button", { type: "button", class: "plain", "data-run": "reopen" }, _("Reopen to change it")));
  place.hidden = !text;
}
