/** The head line's figures: how far one is, and how long one has been at it. */

import { find } from "../dom.js";
import { fill, gettext as _ } from "../text.js";

const EVERY_MS = 5000;

/** @param {number} ms @returns {string} as 3:41, or 1:03:41 */
export function duration(ms) {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** @param {{mine_today: number, mine: number, done: number, needed: number}|undefined} progress */
export function drawProgress(progress) {
  const place = find("[data-progress]");
  place.hidden = !progress?.needed;
  if (!progress) return;
  place.textContent = fill(_("%(mine_today)s today · %(done)s of %(needed)s done"), progress);
  place.title = fill(_("You handed in %(mine_today)s today and %(mine)s in all. %(done)s of the %(needed)s answers that this project needs are in."), progress);
}

/** @param {import("./active.js").ActiveClock} active @param {number} before milliseconds of earlier visits */
export function showTime(active, before) {
  const place = find("[data-worktime]");
  const draw = () => {
    const { resting } = active;
    const text = fill(resting ? _("%(time)s active, resting") : _("%(time)s active"), { time: duration(before + active.total) });
    if (place.textContent !== text) place.textContent = text;
  };
  place.title = _("Time at work on this task. After two minutes without a key, a click or a scroll, and while the page is out of sight, it rests.");
  setInterval(draw, EVERY_MS);
  document.addEventListener("visibilitychange", draw);
  draw();
}
