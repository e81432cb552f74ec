/** How a token is drawn: plain text, named chips for odd characters, a pill for a special token. */

/** @typedef {{kind: "text"|"newline"|"tab"|"spaces"|"chip"|"hex"|"pill"|"empty"|"ghost", text: string, mark: string}} Part */

const NAMES = new Map([
  [0x00ad, "SHY"], [0x200b, "ZWSP"], [0x200c, "ZWNJ"], [0x200d, "ZWJ"], [0x200e, "LRM"], [0x200f, "RLM"],
  [0x2028, "LSEP"], [0x2029, "PSEP"], [0x2060, "WJ"], [0xfeff, "BOM"], [0x00a0, "NBSP"], [0x202f, "NNBSP"],
  [0x3000, "U+3000"], [0xfffd, "U+FFFD"],
]);
const ODD = /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3000\ufeff\ufff0-\ufffd]|[\u{e0000}-\u{e007f}]/u;
const SPLIT = new RegExp(`(\\n|\\t| {2,}|${ODD.source})`, "u");
const WINDOW = 40;
const BASE = /[^\s\p{C}]$/u;
const LOST = /^\ufffd+$/;
const PICTURE = /\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f]*$/u;

const JOINS = /^[\p{M}\u200d\u{1f3fb}-\u{1f3ff}\u{1f1e6}-\u{1f1ff}\u{e0020}-\u{e007f}]/u;
const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Does a token go on with the character, as a reader sees it, that the text before began? A flag, a family, a letter and its accent.
 * @param {string} before @param {string} text */
export function joinsBefore(before, text) {
  if (!before || !text || !(JOINS.test(text) || before.endsWith("\u200d"))) return false;
  const tail = before.slice(-WINDOW);
  return graphemes.segment(tail + text).containing(tail.length)?.index !== tail.length;
}

/** @param {string} character @returns {string} the name on its chip */
export function charName(character) {
  const code = character.codePointAt(0) ?? 0;
  return NAMES.get(code) ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** "f09f" as "F0 9F". @param {string} hex */
export function hexName(hex) {
  return (hex.toUpperCase().match(/../g) ?? []).join(" ");
}

/**
 * @param {string} text the token's own text, "" inside an unfinished character
 * @param {string|undefined} hex its bytes, where they are not whole characters
 * @param {{special?: string, before?: string, lone?: boolean, afterLone?: boolean}} [about] special name; text before it;
 *   the bytes stand alone; the token before does, and its replacement character leads this text
 * @returns {Part[]}
 */
export function parts(text, hex, about = {}) {
  if (about.special !== undefined) return [{ kind: "pill", text, mark: about.special }];
  if (text === "" && !hex) return [{ kind: "empty", text: "", mark: "∅" }];
  if (hex && (about.lone || text === "" || LOST.test(text))) {
    return about.lone || text ? [{ kind: "hex", text, mark: hexName(hex) }] : [];
  }
  const lost = about.afterLone ? /^\ufffd*/.exec(text)?.[0] ?? "" : "";
  if (lost) return [{ kind: "ghost", text: lost, mark: "" }, ...(text.length > lost.length ? parts(text.slice(lost.length), hex, {}) : [])];
  const mark = about.before !== undefined && !BASE.test(about.before) ? /^\p{M}/u.exec(text)?.[0] : "";
  if (mark) return [{ kind: "chip", text: mark, mark: charName(mark) }, ...(text.length > mark.length ? parts(text.slice(mark.length), hex, { before: mark }) : [])];
  return text.split(SPLIT).filter((piece) => piece !== "").map((piece, i, all) => {
    if (piece === "\n") return { kind: "newline", text: piece, mark: "↵" };
    if (piece === "\t") return { kind: "tab", text: piece, mark: "⇥" };
    if (/^ {2,}$/.test(piece)) return { kind: "spaces", text: piece, mark: `␣×${piece.length}` };
    if (!ODD.test(piece)) return { kind: "text", text: piece, mark: "" };
    const joins = piece === "\u200d" && PICTURE.test((about.before ?? "") + all.slice(0, i).join(""));
    return joins ? { kind: "text", text: piece, mark: "" } : { kind: "chip", text: piece, mark: charName(piece) };
  });
}

/** A token in one line of visible characters, for the candidate list and for announcements.
 * @param {string} text @param {string|undefined} hex @returns {{text: string, faint: boolean}[]} */
export function visible(text, hex) {
  if (hex && !text) return [{ text: hexName(hex), faint: true }];
  if (text === "") return [{ text: "∅", faint: true }];
  const lost = hex ? text.indexOf("\ufffd") : -1;
  if (hex && lost >= 0) {
    // Of a character that is not whole its bytes are told, behind whatever is whole before it.
    const bytes = 2 * new TextEncoder().encode(text.slice(0, lost)).length;
    return [...(lost ? visible(text.slice(0, lost), undefined) : []), { text: hexName(hex.slice(bytes)), faint: true }];
  }
  if (LOST.test(text)) return [{ text: "\ufffd", faint: true }];
  return text.split(/(\n|\t| |[^\S\n\t ]|\p{Cc}|\p{Cf})/u).filter(Boolean).map((piece) => {
    if (piece === " ") return { text: "␣", faint: true };
    if (piece === "\n") return { text: "↵", faint: true };
    if (piece === "\t") return { text: "⇥", faint: true };
    return ODD.test(piece) ? { text: charName(piece), faint: true } : { text: piece, faint: false };
  });
}

/** Class 1..3 of surprise, 0 for none. @param {number|null} logprob */
export function heat(logprob) {
  if (logprob === null || logprob === undefined) return 0;
  if (logprob < -2.3) return 1;
  if (logprob < -1.2) return 2;
  return logprob < -0.51 ? 3 : 0;
}
