/** Keyboard layouts: where each character of the key table is printed, and the events that browsers make of it. */

const ROWS = [
  ["Backquote", "Digit1", "Digit2", "Digit3", "Digit4", "Digit5", "Digit6", "Digit7", "Digit8", "Digit9", "Digit0", "Minus", "Equal"],
  ["KeyQ", "KeyW", "KeyE", "KeyR", "KeyT", "KeyY", "KeyU", "KeyI", "KeyO", "KeyP", "BracketLeft", "BracketRight", "Backslash"],
  ["KeyA", "KeyS", "KeyD", "KeyF", "KeyG", "KeyH", "KeyJ", "KeyK", "KeyL", "Semicolon", "Quote"],
  ["KeyZ", "KeyX", "KeyC", "KeyV", "KeyB", "KeyN", "KeyM", "Comma", "Period", "Slash"],
];

/** @param {string[]} plain @param {string[]} shifted @param {Record<string, string>} [altGr] code to character */
function layout(plain, shifted, altGr = {}) {
  /** @type {Map<string, {code: string, shift?: boolean, altGr?: boolean}>} */
  const places = new Map();
  ROWS.forEach((row, r) => row.forEach((code, i) => {
    places.set([...plain[r]][i], { code });
    if (!places.has([...shifted[r]][i])) places.set([...shifted[r]][i], { code, shift: true });
  }));
  for (const [code, character] of Object.entries(altGr)) if (!places.has(character)) places.set(character, { code, altGr: true });
  return places;
}

export const LAYOUTS = {
  QWERTY: layout(["`1234567890-=", "qwertyuiop[]\\", "asdfghjkl;'", "zxcvbnm,./"], ["~!@#$%^&*()_+", "QWERTYUIOP{}|", "ASDFGHJKL:\"", "ZXCVBNM<>?"]),
  AZERTY: layout(["²&é\"'(-è_çà)=", "azertyuiop^$*", "qsdfghjklmù", "wxcvbn,;:!"], ["~1234567890°+", "AZERTYUIOP¨£µ", "QSDFGHJKLM%", "WXCVBN?./§"],
    { Digit5: "[", Minus: "]", Digit4: "{", Equal: "}", Digit8: "\\", Digit0: "@" }),
  QWERTZ: layout(["^1234567890ß´", "qwertzuiopü+#", "asdfghjklöä", "yxcvbnm,.-"], ["°!\"§$%&/()=?`", "QWERTZUIOPÜ*'", "ASDFGHJKLÖÄ", "YXCVBNM;:_"],
    { Digit8: "[", Digit9: "]", Digit7: "{", Digit0: "}", KeyQ: "@" }),
  DVORAK: layout(["`1234567890[]", "',.pyfgcrl/=\\", "aoeuidhtns-", ";qjkxbmwvz"], ["~!@#$%^&*(){}", "\"<>PYFGCRL?+|", "AOEUIDHTNS_", ":QJKXBMWVZ"]),
};

/** The event of a key as the table writes it. @param {Map<string, any>} places @param {string} written @returns {any} */
export function eventOf(places, written) {
  const parts = written.split(/\+(?=.)/);
  const name = parts.pop() ?? "";
  const place = [...name].length === 1 && name !== " " ? places.get(name) : { code: name === " " ? "Space" : name };
  if (!place) throw new Error(`${name} is not on this layout`);
  const control = parts.includes("Ctrl");
  const shiftKey = parts.includes("Shift") || Boolean(place.shift);
  return {
    key: shiftKey && /^[a-z]$/.test(name) ? name.toUpperCase() : name, code: place.code, ctrlKey: control || Boolean(place.altGr), metaKey: false,
    altKey: parts.includes("Alt") || Boolean(place.altGr), shiftKey, isComposing: false, keyCode: 0,
    getModifierState: (/** @type {string} */ state) => state === "AltGraph" && Boolean(place.altGr),
  };
}
