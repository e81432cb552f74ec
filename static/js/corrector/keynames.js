/** How a pressed key is written in the table, on whatever layout it was pressed, and how it is shown. */

const MAC = /mac/i.test(globalThis.navigator?.platform ?? "");
const DIGIT = /^(?:Digit|Numpad)(\d)$/;
/** What the places of punctuation print on QWERTY; asked only where the layout prints another script there. */
const PLACES = /** @type {Record<string, string>} */ ({
  BracketLeft: "[", BracketRight: "]", Comma: ",", Period: ".", Slash: "/", Semicolon: ";", Quote: "'", Backquote: "`",
  Minus: "-", Equal: "=", Backslash: "\\",
});
const MODIFIERS = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"]);

/** Is the key part of a composition (an input method at work)? @param {KeyboardEvent} event */
export function composing(event) {
  return event.isComposing || event.keyCode === 229;
}

/** Does the key print a sign by AltGr? Some systems report it as Ctrl and Alt alone. @param {KeyboardEvent} event */
function byAltGr(event) {
  if (event.getModifierState?.("AltGraph")) return true;
  return event.ctrlKey && event.altKey && [...event.key].length === 1 && !/[\p{L}\p{N}]/u.test(event.key);
}

/** The digit of a key by its place, "" where it prints something else on purpose. AZERTY prints its digits with Shift;
 * where "/" is Shift+7 and "[" is AltGr+8, these stay what they print. @param {KeyboardEvent} event */
export function digitOf(event) {
  if (/^\d$/.test(event.key)) return event.key;
  const place = event.code.startsWith("Digit") ? DIGIT.exec(event.code)?.[1] ?? "" : "";
  const foreign = /^\p{Nd}$/u.test(event.key);
  return foreign || !(event.shiftKey || byAltGr(event)) ? place : "";
}

/** How the pressed key is written in the table. @param {KeyboardEvent} event @returns {string[]} most exact first */
export function names(event) {
  if (MODIFIERS.has(event.key)) return [];
  const digit = digitOf(event);
  const single = [...event.key].length === 1;
  const typed = single ? event.key.toLowerCase() : event.key;
  const altGraph = byAltGr(event);
  const command = (event.ctrlKey || event.metaKey) && !altGraph;
  const printed = single && !/[\p{L}\p{N}]/u.test(event.key);
  const alt = event.altKey && !altGraph;
  const prefix = (command ? "Ctrl+" : "") + (alt ? "Alt+" : "") + (event.shiftKey && !printed && !digit ? "Shift+" : "");
  const found = [prefix + typed];
  if (digit && !command) found.unshift((alt ? "Alt+" : "") + digit);
  if (MAC && alt && printed && !command) found.push(typed);
  const place = single && !/^[\x20-\x7e]$|\p{Script=Latin}/u.test(event.key) ? /^Key([A-Z])$/.exec(event.code)?.[1].toLowerCase() ?? PLACES[event.code] : undefined;
  if (place) found.push((/[a-z]/.test(place) ? prefix : prefix.replace("Shift+", "")) + place);
  return [...new Set(found)];
}

const FACES = /** @type {Record<string, string>} */ ({
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Enter: "↵", Escape: "Esc", " ": "Space", PageUp: "PgUp", PageDown: "PgDn",
});

/** A key as it is printed on a key cap. @param {string} key */
export function face(key) {
  return key.split(/\+(?=.)/).map((part) => FACES[part] ?? part).join(" ");
}
