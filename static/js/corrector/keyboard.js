/** From a pressed key to a command of the table, where the focus allows it. */

import { dialogOpen } from "./dialogs.js";
import { digitOf, names } from "./keynames.js";
import { composing, match } from "./keys.js";

const PLAIN = /^(?:.|Space|Enter|Home|End|Page(?:Up|Down)|Arrow\w+)$/;

/**
 * @param {{modes: import("./modes.js").Modes, commands: import("./commands.js").Commands, reasons: import("./reasons.js").Reasons,
 *   questions: import("./questions.js").Questions, places: HTMLElement[], area: HTMLElement}} means `places` hold the focus for single keys
 */
export function listen(means) {
  document.addEventListener("keydown", (event) => {
    if (composing(event) || event.defaultPrevented || dialogOpen()) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target === means.area;
    const mode = typing ? "type" : means.modes.mode;
    if (mode === "type" && !typing) {
      if (event.key !== "Escape") return;
    }
    const inPlace = target === document.body || means.places.includes(target);
    const waiter = inPlace && [means.reasons, means.questions].find((one) => one.waiting);
    if (waiter) {
      const digit = digitOf(event);
      if (digit && waiter.digit(digit)) {
        event.preventDefault();
        return;
      }
      if (event.key !== "Shift" && event.key !== "Escape" && event.key !== "q") waiter.wait(false);
    }
    const found = match(event, mode);
    if (!found) {
      if (inPlace && (mode === "read" || mode === "locate") && means.questions.hotkey(names(event))) event.preventDefault();
      return;
    }
    if (!typing && !inPlace && PLAIN.test(found.key)) return;
    if (event.repeat && ["locate", "take", "commit", "submit", "hold", "undo", "redo"].includes(found.binding.id)) {
      event.preventDefault();
      return;
    }
    if (means.commands.run(found.binding.id, found.key) === false) return;
    event.preventDefault();
  });
}
