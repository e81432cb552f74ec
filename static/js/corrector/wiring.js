/** Joins the parts: what one of them tells, the others draw or do. */

import { debounce, find, throttle } from "../dom.js";
import { fill, ngettext } from "../text.js";
import { drawFigures, figures } from "./branches.js";
import { switchOff } from "./keytable.js";
import { nearest } from "./movement.js";
import { drawSurprise } from "./surprise.js";
import { drawTail } from "./tail.js";

/** @typedef {import("./parts.js").Parts} Parts */

/** The detail of an event of ours. @param {Event} event @returns {any} */
const detail = (event) => /** @type {CustomEvent} */ (event).detail;

/** @param {Parts} parts @param {any} episode */
export function wire(parts, episode) {
  wireDrawing(parts, episode.policy.name);
  if (episode.settings?.jump === false) switchOff(["uncertainNext", "uncertainPrevious"]);
  wireHeat(parts, Boolean(episode.settings?.heat));
  wireActs(parts);
  wirePage(parts);
}

/** @param {Parts} parts @param {string} policy */
function wireDrawing({ store, pane, modes, picking, branches, reasons, acts, outbox, desk }, policy) {
  const tail = () => drawTail(find("[data-tail]"), store, acts.later.next(store.path));
  const counters = find("[data-counters]");
  const chips = find("[data-figures]");
  const count = throttle(() => {
    const { tokens } = figures(store);
    counters.textContent = fill(ngettext("%(count)s token", "%(count)s tokens", tokens), { count: tokens.toLocaleString() });
    drawFigures(chips, store, policy);
  }, 100);
  const list = throttle(() => branches.draw(), 300);
  store.addEventListener("path", (event) => {
    picking.overtaken(detail(event).keep);
    pane.show(store.path, store.low, detail(event).keep);
    branches.draw();
    tail();
  });
  store.addEventListener("grew", () => {
    pane.grew();
    if (modes.mode === "continue") modes.set("read");
  });
  pane.addEventListener("drawn", () => {
    count();
    list();
    tail();
  });
  store.addEventListener("episode", () => {
    branches.draw();
    count();
    tail();
    reasons.draw(store.episode.corrections.find((/** @type {any} */ one) => one.id === acts.lastCorrection));
    if (!store.live && !outbox.busy && modes.mode === "continue") modes.set("read");
    desk.classList.toggle("held", store.held);
  });
  outbox.addEventListener("state", () => !outbox.busy && store.episode && store.dispatchEvent(new Event("episode")));
}

/** Underlines of surprise: shown while choosing, and before only where the project says so. @param {Parts} parts @param {boolean} always */
function wireHeat({ store, pane, modes, cursor, picking, acts, scroller }, always) {
  const surprise = /** @type {HTMLCanvasElement} */ (find("[data-surprise]"));
  const draw = debounce(() => drawSurprise(surprise, store.path, store.low, pane.cursor), 120);
  const show = () => {
    const choosing = modes.mode === "pick" || modes.mode === "type";
    scroller.classList.toggle("heat", always || choosing);
    surprise.hidden = !(always || choosing);
    pane.strike(choosing);
    draw();
  };
  surprise.addEventListener("click", (event) => {
    const share = event.offsetX / Math.max(1, surprise.clientWidth);
    picking.close();
    cursor.goTo(nearest(store.path, Math.min(store.path.length - 1, store.low + Math.floor(share * (store.path.length - store.low))), store.low));
  });
  store.heatSeen = always;
  acts.addEventListener("corrected", () => (store.heatSeen = always));
  modes.addEventListener("mode", show);
  pane.addEventListener("drawn", draw);
  cursor.addEventListener("moved", draw);
  show();
}

/** @param {Parts} parts */
function wireActs({ store, pane, modes, cursor, picking, branches, reasons, acts, commands, scroller }) {
  cursor.addEventListener("moved", () => {
    if (cursor.at !== null) picking.load(cursor.at).catch(() => undefined);
  });
  pane.addEventListener("locate", (event) => {
    if (modes.mode === "pick" || modes.mode === "type") picking.close();
    cursor.put(detail(event), false, false);
    scroller.focus({ preventScroll: true });
    picking.begin(store.path.clusterStart(detail(event)));
  });
  branches.addEventListener("restore", (event) => {
    picking.close();
    cursor.put(null);
    acts.head(detail(event), "move");
    scroller.focus({ preventScroll: true });
  });
  reasons.addEventListener("reason", (event) => acts.reason(detail(event)));
  document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("[data-run]"));
    if (button) commands.run(button.dataset.run ?? "", "");
  });
}

/** @param {Parts} parts */
function wirePage({ pane, active, desk, sync }) {
  for (const name of ["keydown", "pointerdown", "wheel"]) document.addEventListener(name, () => active.touch(), { passive: true });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      active.leave();
      return;
    }
    active.back();
    sync.look().catch(() => undefined);
  });
  const switches = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-side-switch]"));
  for (const button of switches) {
    button.addEventListener("click", () => {
      const side = button.dataset.sideSwitch ?? "";
      desk.dataset.side = desk.dataset.side === side ? "" : side;
      for (const other of switches) other.setAttribute("aria-expanded", String(other.dataset.sideSwitch === desk.dataset.side));
    });
  }
  const jump = find("[data-jump]");
  for (const name of ["scrolled", "drawn"]) pane.addEventListener(name, () => (jump.hidden = pane.atEnd));
  jump.addEventListener("click", () => pane.toEnd());
}
