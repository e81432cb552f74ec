/** Other ways to take the answer: rendered beside the tokens, old against new, copied. */

import { find } from "../dom.js";
import { copyTrueText } from "./copying.js";
import { DiffView } from "./diffview.js";
import { Rendered } from "./rendered.js";

/** @param {import("./parts.js").Base} base @param {{pane: import("./pane.js").Pane, special: Map<number, string>}} means */
export function makeViews({ page, api, store, say }, { pane, special }) {
  copyTrueText(find("[data-text]"));
  const diffView = new DiffView({ store, get: (path) => api("GET", path), say });
  const rendered = new Rendered({
    root: find("[data-rendered]"), store, pane, special, shown: Boolean(page.preferences?.rendered),
    keep: (shown) => api("PATCH", "/me/preferences", { rendered: shown }).catch((error) => say(error.message, "warn")),
  });
  return { diffView, rendered };
}
