/** The corrector: loads the episode and sets the desk to work. */

import { find, pageData } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { ActiveClock } from "./active.js";
import { call } from "./api.js";
import { Conversation } from "./conversation.js";
import { drawHelp } from "./dialogs.js";
import { finishing } from "./finishing.js";
import { listen } from "./keyboard.js";
import { Keep } from "./keep.js";
import { KeyEditor, followKeys } from "./keyeditor.js";
import { applyKeys } from "./keytable.js";
import { keepLease } from "./lease.js";
import { Leftovers, place } from "./leftovers.js";
import { messageLine } from "./messages.js";
import { Outbox } from "./outbox.js";
import { wirePanels } from "./panels.js";
import { makeParts } from "./parts.js";
import { Review } from "./review.js";
import { showSaves } from "./saves.js";
import { EpisodeStore, NO_POLICY } from "./store.js";
import { Stream } from "./stream.js";
import { Sync } from "./sync.js";
import { wire } from "./wiring.js";

const page = pageData("page-data");
const desk = find("[data-desk]");
const say = messageLine(find("[data-say]"));

/** @type {import("./parts.js").Api} */
const api = (method, path, body, key) => call(page.api, method, path, body, key);
/** @type {import("./outbox.js").Means["send"]} */
const send = (path, body, key) => api("POST", path, body, key);

/** What stands before the episode is known. @param {Keep} keep @returns {import("./parts.js").Base} */
function makeBase(keep) {
  const store = new EpisodeStore();
  const outbox = new Outbox({ keep, send, name: place("act", page.me, page.episode), locks: navigator.locks });
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  /** @type {{sync: Sync|null}} */
  const later = { sync: null };
  const stream = new Stream(`${scheme}://${location.host}${page.ws}`, {
    ticket: async () => (await api("POST", "/ws-tickets", {})).ticket,
    poll: async () => later.sync?.poll(),
  });
  const sync = new Sync({ store, stream, get: (path) => api("GET", path), id: page.episode, say, busy: () => outbox.busy });
  later.sync = sync;
  return { page, api, say, desk, keep, active: new ActiveClock(), store, outbox, sync, stream };
}

/** @param {any} episode */
function whyReadOnly(episode) {
  if (page.review) return fill(_("Handed in by %(name)s: accept it, or send it back with a comment."), { name: page.review.by });
  if (page.mine === false) return _("This is somebody else's answer: you can read it, not change it.");
  if (episode.policy === NO_POLICY) return _("This trace was not written by a model of this project: you can read it, not change it.");
  return "";
}

/** Show the episode, and begin its answer where nobody has. @param {import("./parts.js").Parts} parts @param {any} episode @param {any} view */
async function open({ store, acts, sync, active, scroller, pane }, episode, view) {
  store.learn(view);
  if (!store.adopt(episode)) await sync.loadPath();
  const shown = new Set(store.path.pieces.map((piece) => piece.segment));
  acts.lastCorrection = episode.corrections.findLast((/** @type {any} */ one) => shown.has(one.new_segment))?.id ?? null;
  if (store.low < store.root) find("[data-by]").textContent = fill(_("Dialogue; the assistant is now policy %(name)s"), { name: episode.policy.name });
  store.dispatchEvent(new Event("episode"));
  sync.follow();
  active.touch();
  desk.dataset.ready = "yes";
  scroller.focus({ preventScroll: true });
  const untouched = !episode.generations.length && store.path.length <= store.root && episode.status === "open";
  if (store.readOnly) {
    pane.unfollow();
    say(store.readOnly, "warn");
  } else if (untouched) acts.goOn();
}

async function start() {
  const keep = await Keep.open();
  const base = makeBase(keep);
  const outboxes = [base.outbox];
  const leftovers = new Leftovers({ keep, send, me: page.me, episodeUrl: desk.dataset.episodeUrl ?? "", say, locks: navigator.locks, outboxes });
  const conversation = new Conversation(find("[data-conversation]"), page.task, `${page.api}/episodes/${page.episode}/messages`);
  applyKeys(page.preferences.keys);
  followKeys();
  drawHelp();
  const taken = new Map((page.questions ?? []).filter((/** @type {any} */ one) => one.hotkey).map((/** @type {any} */ one) => [one.hotkey, one.label]));
  new KeyEditor(find("dialog [data-keys]"), { api, taken });
  await leftovers.send(page.episode, true);
  const path = `/episodes/${page.episode}`;
  const [episode, view] = await Promise.all([api("GET", `${path}?task=brief`), api("GET", `${path}?view=path`)]);
  episode.policy ??= NO_POLICY;
  base.store.readOnly = whyReadOnly(episode);
  for (const button of document.querySelectorAll(".head [data-run]:not([data-run=help])")) /** @type {HTMLButtonElement} */ (button).hidden = button.hidden || (Boolean(base.store.readOnly) && !page.review);
  find("[data-by]").textContent = episode.policy === NO_POLICY ? _("Assistant, from elsewhere") : fill(_("Assistant, policy %(name)s"), { name: episode.policy.name });
  const parts = makeParts(base, episode);
  const { modes, commands, reasons, questions, draft, notes, scroller, strip, typing, acts, store } = parts;
  showSaves(find("[data-save]"), [base.outbox, draft, notes], keep);
  outboxes.push(notes);
  wire(parts, episode);
  listen({ modes, commands, reasons, questions, places: [scroller, strip.list], area: typing.area });
  keepLease(page.lease, api, say);
  if (page.review) commands.review = new Review({ ...base, nextUrl: desk.dataset.reviewUrl ?? "" });
  finishing({ acts, store, api, project: page.project, episodeUrl: desk.dataset.episodeUrl ?? "", say });
  await open(parts, episode, view);
  conversation.offer((index) => store.positionOf(index) !== null);
  conversation.addEventListener("goto", (event) => parts.cursor.goTo(store.positionOf(/** @type {CustomEvent} */ (event).detail)));
  acts.unsent = leftovers.unsent;
  await wirePanels(parts);
  base.stream.follow(page.episode);
  if (!keep.durable) say(_("This browser keeps nothing (a private window?): do not close the tab before it says saved."), "warn");
  await leftovers.send(page.episode, false);
  leftovers.watch(page.episode);
}

start().catch((error) => say(fill(_("The page could not be set up: %(error)s. Nothing was lost; load it again."), { error: error.message }), "cut"));
