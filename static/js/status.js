/** The strip that tells which part of the installation is not ready, and how long that usually takes. */

const SOON_MS = 3000;
const LATER_MS = 30_000;

/**
 * What to tell about the parts. @param {any} status answer of `/status`, null where none came
 * @param {{_: (text: string) => string, fill: (text: string, values: Record<string, unknown>) => string}} words
 * @returns {{state: string, text: string}} text "" where all is well
 */
export function statusText(status, { _, fill }) {
  if (!status) return { state: "down", text: _("The server does not answer. What is on the page stays; acts are repeated until they are saved.") };
  if (status.database === "down") return { state: "down", text: _("The database does not answer. Acts are repeated until they are saved.") };
  const model = status.model ?? {};
  if (model.state === "loading") return { state: "loading", text: _("Model loading, usually 40–105 s. Reading and the queue work meanwhile.") };
  if (model.state === "down") {
    return { state: "down", text: fill(_("The model server does not answer%(detail)s. Answers that exist can be read and corrected; new text has to wait."), { detail: model.detail ? ` (${model.detail})` : "" }) };
  }
  if (status.redis === "down") return { state: "loading", text: _("The broker does not answer: imports and exports wait. Correcting works.") };
  return { state: "ready", text: "" };
}

/** @param {HTMLElement} place @param {string} url @param {any} words */
export function watchStatus(place, url, words) {
  let misses = 0;
  const look = async () => {
    let status = null;
    try {
      const answer = await fetch(url, { headers: { Accept: "application/json" } });
      if (answer.ok || answer.status === 503) status = await answer.json();
      misses = 0;
    } catch {
      misses += 1;
    }
    const { state, text } = !status && misses < 2 ? { state: "ready", text: "" } : statusText(status, words);
    place.dataset.state = state;
    place.textContent = text;
    place.hidden = !text;
    if (!document.hidden || text) setTimeout(look, text ? SOON_MS : LATER_MS);
    else document.addEventListener("visibilitychange", look, { once: true });
  };
  look();
}
