/** Holds the lease while the page is in sight. */

import { gettext as _ } from "../text.js";

const EVERY_MS = 60_000;
const GONE = 410;

/**
 * @param {number|string|null} lease @param {(method: string, path: string, body?: any) => Promise<any>} api
 * @param {(text: string, level?: string) => void} say
 */
export function keepLease(lease, api, say) {
  if (lease === null || lease === undefined) return;
  const beat = setInterval(async () => {
    if (document.hidden) return;
    try {
      await api("POST", `/leases/${lease}/heartbeat`, {});
    } catch (error) {
      if (/** @type {any} */ (error).status !== GONE) return;
      clearInterval(beat);
      say(_("Your hold on this task has ended. Your work is kept, and you can still submit it."), "warn");
    }
  }, EVERY_MS);
}
