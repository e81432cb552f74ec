/** The panels beside the answer: questions with their draft, and what joins them to the rest of the desk. */

import { find } from "../dom.js";
import { gettext as _ } from "../text.js";
import { request } from "./api.js";
import { Comments } from "./comments.js";
import { Draft } from "./draft.js";
import { GuidelineView } from "./guideline.js";
import { place } from "./leftovers.js";
import { Marks } from "./marks.js";
import { mergeView } from "./merging.js";
import { Outbox } from "./outbox.js";
import { Questions } from "./questions.js";
import { Returned } from "./returned.js";
import { drawProgress, showTime } from "./worktime.js";

const TELL_TIME_MS = 300_000;
const WORKABLE = ["open", "returned", "later"];

/**
 * @typedef {{modes: import("./modes.js").Modes, acts: import("./acts.js").Acts, pane: import("./pane.js").Pane,
 *   cursor: import("./cursor.js").Cursor}} More
 * @typedef {import("./parts.js").Base} Base
 */

/** Open or close the column with the panels in a window too narrow to show it always. @param {HTMLElement} desk @param {boolean} open */
function turnSide(desk, open) {
  const button = /** @type {HTMLElement|null} */ (document.querySelector("[data-side-switch=right]"));
  if (button?.checkVisibility() && (desk.dataset.side === "right") !== open) button.click();
}

/** @param {Base} base @param {More} more */
export function makePanels(base, { modes, acts, pane, cursor }) {
  const { page, api, keep, active, store, desk, say } = base;
  const closed = () => Boolean(store.readOnly) || !WORKABLE.includes(store.episode?.status);
  const draft = new Draft({
    request: (method, path, body, options) => request(page.api, method, path, body, options),
    keep, me: page.me, episode: page.episode, from: page.draft, active, closed,
  });
  const show = () => turnSide(desk, true);
  const hide = () => turnSide(desk, false);
  pane.scroller.addEventListener("focus", hide);
  const questions = new Questions({
    root: find("[data-questions]"), questions: page.questions, draft, say, show, hide,
    readOnly: () => Boolean(store.readOnly), announce: (text) => modes.announce(text),
  });
  mergeView(find("[data-merging]"), draft, page.questions, show);
  const marks = new Marks(pane);
  const notes = new Outbox({
    keep, name: place("comment", page.me, page.episode), locks: navigator.locks, quiet: true,
    send: (path, body, key) => api("POST", path, body, key),
  });
  const comments = new Comments({ root: find("[data-comments]"), page, api, store, pane, cursor, acts, marks, keep, outbox: notes, show, say });
  const get = (/** @type {string} */ path) => api("GET", path);
  const returned = new Returned({ root: find("[data-returned]"), returned: page.returned, store, get });
  const guideline = new GuidelineView({ root: find("[data-guideline-root]"), shown: page.guideline, path: `/projects/${page.project}/guidelines`, get, say });
  return { draft, questions, marks, notes, comments, returned, guideline };
}

/** @param {import("./parts.js").Parts} parts */
export async function wirePanels({ page, draft, questions, comments, returned, guideline, active, stream, acts, store, say }) {
  drawProgress(page.progress);
  showTime(active, page.draft.active_ms);
  draft.addEventListener("refused", (event) => say(/** @type {CustomEvent} */ (event).detail, "warn"));
  draft.addEventListener("conflict", () => draft.conflict
    && say(_("Another tab answered the questions differently; nothing was overwritten: choose in the panel on the right."), "warn"));
  acts.addEventListener("refused", (event) => questions.lead(/** @type {CustomEvent} */ (event).detail.body?.errors ?? []));
  acts.addEventListener("finished", (event) => {
    if (/** @type {CustomEvent} */ (event).detail === "submit") returned.answered();
    draft.refresh().catch(() => undefined);
  });
  store.addEventListener("episode", () => {
    questions.draw();
    if (store.episode.status !== "returned" || page.returned) return;
    page.returned = true;
    setTimeout(() => say(_("It came back with a comment: load the page again to read it."), "warn"));
  });
  addEventListener("visibilitychange", () => document.hidden && draft.save({ times: true, leaving: true }));
  addEventListener("pagehide", () => draft.save({ times: true, leaving: true }));
  setInterval(() => draft.save({ times: true }), TELL_TIME_MS);
  addEventListener("pagehide", () => stream.close());
  addEventListener("pageshow", (event) => event.persisted && stream.reopen());
  // The first word after connecting is that changes are told from now on: what came before it has to be asked for.
  let missed = true;
  let connections = 0;
  stream.addEventListener("ready", () => {
    missed = true;
    connections += 1;
  });
  stream.addEventListener("changed", (event) => {
    const { what, version } = /** @type {CustomEvent} */ (event).detail;
    if (missed || what === "comments") comments.again();
    if (what === "guideline") guideline.look(version).catch(() => undefined);
    if (what === "draft" || (missed && connections > 1)) draft.told(what === "draft" && version ? version : draft.base.version + 1).catch(() => undefined);
    missed = false;
  });
  questions.draw();
  await comments.start().catch((error) => say(error.message, "warn"));
  if (!store.readOnly) await draft.restore();
}
