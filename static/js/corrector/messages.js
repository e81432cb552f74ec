/** The line between the text and the strip in which the page says what it did and what it did not. */

const SHORT_MS = 8000;
const LONG_MS = 20_000;

/** @typedef {(text: string, level?: string) => void} Say level "warn" stays longer, "cut" until the next message */

/** @param {HTMLElement} place @returns {Say} */
export function messageLine(place) {
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  /** @type {Say} */
  const say = (text, level = "") => {
    place.textContent = text;
    place.title = text;
    place.dataset.level = level;
    clearTimeout(timer);
    if (text && level !== "cut") timer = setTimeout(() => say(""), level ? LONG_MS : SHORT_MS);
  };
  return say;
}
