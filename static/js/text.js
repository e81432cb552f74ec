/** The page's catalogue of translations, with English where it did not load. */

const django = /** @type {any} */ (globalThis).django ?? {};

/** @type {(text: string) => string} */
export const gettext = django.gettext ?? ((text) => text);

/** @type {(one: string, many: string, count: number) => string} */
export const ngettext = django.ngettext ?? ((one, many, count) => (count === 1 ? one : many));

/**
 * Fill the `%(name)s` places of a translated text.
 * @param {string} text @param {Record<string, unknown>} values @returns {string}
 */
export function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (_, name) => String(values[name]));
}

/**
 * A probability in words: two digits where they matter, never "100 %" for less than all.
 * @param {number|null} logprob natural logarithm, null for "not among what was stored"
 */
export function percent(logprob) {
  if (logprob === null || logprob === undefined) return "0 %";
  return share(Math.exp(logprob));
}

/** @param {number} part 0..1 @returns {string} */
export function share(part) {
  const value = part * 100;
  if (value >= 99.95 && value < 100) return "> 99.9 %";
  if (value > 0 && value < 0.05) return "< 0.1 %";
  return `${value.toFixed(1)} %`;
}

/** @param {Date} [now] @returns {string} hours and minutes of the reader's clock */
export function clock(now = new Date()) {
  return now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}
