/** The save state, in words: the worst of what is on its way. */

import { clock, fill, gettext as _ } from "../text.js";

/** @typedef {EventTarget & {state: import("./outbox.js").SaveState, savedAt: Date|null, hurry: () => void}} Source */

const WORST_FIRST = /** @type {import("./outbox.js").SaveState[]} */ (["refused", "signed_out", "offline", "retrying", "waiting", "saving", "saved"]);
const LEVELS = /** @type {Record<string, string>} */ ({ refused: "cut", signed_out: "cut", offline: "warn", retrying: "warn", waiting: "warn", saving: "" });

/** @param {import("./outbox.js").SaveState} state @param {Date|null} at */
function words(state, at) {
  switch (state) {
    case "saving": return _("saving");
    case "waiting": return _("another tab is saving");
    case "retrying": return _("not saved, retrying");
    case "offline": return _("offline, not saved yet");
    case "signed_out": return _("signed out, not saved yet");
    case "refused": return _("not saved");
    default: return at ? fill(_("saved %(time)s"), { time: clock(at) }) : _("nothing to save");
  }
}

/** @param {HTMLElement} place @param {Source[]} sources @param {import("./keep.js").Keep} keep */
export function showSaves(place, sources, keep) {
  const draw = () => {
    const state = WORST_FIRST.find((one) => sources.some((source) => source.state === one)) ?? "saved";
    const times = sources.map((source) => source.savedAt?.getTime() ?? 0);
    const at = Math.max(...times) ? new Date(Math.max(...times)) : null;
    place.textContent = words(state, at);
    place.dataset.state = state;
    place.className = `chip ${LEVELS[state] ?? (at ? "ok" : "")}`;
    place.title = keep.durable ? _("What is not saved yet is kept in this browser, also over a reload.")
      : _("This browser keeps nothing (a private window?): what is not saved yet is lost with the tab.");
  };
  const hurry = () => sources.forEach((source) => source.hurry());
  for (const source of sources) source.addEventListener("state", draw);
  keep.addEventListener("lost", draw);
  addEventListener("online", hurry);
  addEventListener("offline", draw);
  addEventListener("beforeunload", (event) => {
    if (!keep.durable && sources.some((source) => source.state !== "saved")) event.preventDefault();
  });
  draw();
}
