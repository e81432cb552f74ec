/** After submit, later, skip or flag: the next task, or back to this one. */

import { find } from "../dom.js";
import { fill, gettext as _, ngettext } from "../text.js";
import { dialog } from "./dialogs.js";

// The server says this much where nobody holds a task that may come free.
const NOBODY_S = 30;

/** @param {number} seconds until a task may come free */
function nothingNow(seconds) {
  if (seconds <= NOBODY_S) return _("There is no further task for you now. What you handed in is saved.");
  const minutes = Math.ceil(seconds / 60);
  const words = ngettext("Nothing is free now. The next task may come free in %(count)s minute.", "Nothing is free now. The next task may come free in %(count)s minutes.", minutes);
  return fill(words, { count: minutes });
}

/**
 * @param {{acts: import("./acts.js").Acts, store: import("./store.js").EpisodeStore,
 *   api: (method: string, path: string, body?: any) => Promise<any>, project: number|string,
 *   episodeUrl: string, say: (text: string, level?: string) => void}} means
 */
export function finishing(means) {
  const done = dialog("done");
  const text = find("[data-done]", done);
  const words = /** @type {Record<string, string>} */ ({
    submit: _("Submitted. It is saved with every correction."), later: _("Set aside. You find it under My work."),
    skip: _("Skipped. The reason is saved."), flag: _("Flagged. The reason is saved; somebody will look at the task."),
  });
  means.acts.addEventListener("finished", (event) => {
    const name = /** @type {CustomEvent} */ (event).detail;
    if (name === "reopen") {
      means.say(_("Open again: your next submit is a new revision."));
      return;
    }
    text.textContent = words[name];
    done.showModal();
    find("[data-next]", done).focus();
  });
  find("[data-next]", done).addEventListener("click", async () => {
    try {
      const next = await means.api("POST", `/projects/${means.project}/next`, {});
      if (next?.episode) location.assign(means.episodeUrl.replace("/0/", `/${next.episode.id}/`));
      else text.textContent = nothingNow(next?.retryAfter ?? 0);
    } catch (error) {
      text.textContent = error instanceof Error ? error.message : String(error);
    }
  });
  find("[data-reopen]", done).addEventListener("click", async () => {
    done.close();
    await means.acts.finish("reopen");
  });
}
