import assert from "node:assert/strict";
import { test } from "node:test";
import { charName, heat, hexName, joinsBefore, parts, visible } from "../../static/js/corrector/display.js";

/** @param {any[]} list */
const marks = (list) => list.map((part) => [part.kind, part.text, part.mark]);

test("plain text is one text part", () => {
  assert.deepEqual(marks(parts(" the", undefined)), [["text", " the", ""]]);
});

test("odd characters are named and keep their text", () => {
  assert.deepEqual(marks(parts("a\u202eb\n\t   ", undefined)), [
    ["text", "a", ""], ["chip", "\u202e", "U+202E"], ["text", "b", ""], ["newline", "\n", "↵"], ["tab", "\t", "⇥"], ["spaces", "   ", "␣×3"],
  ]);
  assert.equal(charName("\u200d"), "ZWJ");
  assert.equal(charName("\u0000"), "U+0000");
});

test("every part's text joins to the token's text", () => {
  for (const text of ["甲𠮷乙 John", "👍🏿", "e\u0301 \u200b x", "<|im_end|>", "\r\n\n", "a\u00a0b\u{e0041}"]) {
    assert.equal(parts(text, undefined).map((part) => part.text).join(""), text);
  }
});

test("a joiner between pictures is no chip", () => {
  assert.deepEqual(marks(parts("\u200d", undefined, { before: "👨" })), [["text", "\u200d", ""]]);
  assert.deepEqual(marks(parts("\u200d", undefined, { before: "a" })), [["chip", "\u200d", "ZWJ"]]);
});

test("tokens of one character as a reader sees it are one box", () => {
  const joined = (...texts) => texts.map((text, i) => joinsBefore(texts.slice(0, i).join(""), text));
  assert.deepEqual(joined("👨", "\u200d", "👩", "\u200d", "👧", " 修", "正"), [false, true, true, true, true, false, false]);
  assert.deepEqual(joined("👍", "🏿", " 甲", "𠮷", "乙"), [false, true, false, false, false]);
  assert.deepEqual(joined("e", "\u0301", "x"), [false, true, false]);
  assert.deepEqual(joined("🇫", "🇷", "🇩", "🇪"), [false, true, false, true]);
});

test("a mark without a letter to stand on is a chip", () => {
  assert.deepEqual(marks(parts("\u0301x", undefined, { before: " " })), [["chip", "\u0301", "U+0301"], ["text", "x", ""]]);
  assert.deepEqual(marks(parts("\u0301", undefined, { before: "e" })), [["text", "\u0301", ""]]);
  assert.deepEqual(marks(parts("e\u0301", undefined, { before: "" })), [["text", "e\u0301", ""]]);
});

test("a special token is a pill by its id, not by its looks", () => {
  assert.equal(parts("<|im_end|>", undefined, { special: "<|im_end|>" })[0].kind, "pill");
  assert.equal(parts("<|im_end|>", undefined)[0].kind, "text");
});

test("bytes are chips where they stand alone, nothing where the character follows", () => {
  assert.deepEqual(marks(parts("", "f09f98", { lone: true })), [["hex", "", "F0 9F 98"]]);
  assert.deepEqual(parts("", "f09f98", { lone: false }), []);
  assert.deepEqual(marks(parts("\ufffd", "ff")), [["hex", "\ufffd", "FF"]]);
  assert.deepEqual(marks(parts("\ufffda", undefined, { afterLone: true })), [["ghost", "\ufffd", ""], ["text", "a", ""]]);
  assert.equal(hexName("f09f"), "F0 9F");
});

test("marker glyphs of vocabularies are never drawn", () => {
  assert.equal(visible(" the", undefined).map((piece) => piece.text).join(""), "␣the");
  assert.equal(visible("\n\n", undefined).map((piece) => piece.text).join(""), "↵↵");
});

test("heat has three classes and none for likely tokens", () => {
  assert.deepEqual([-0.1, -0.7, -1.5, -4, null].map(heat), [0, 3, 2, 1, 0]);
});

test("a candidate that is part of a character tells its bytes behind what is whole", () => {
  assert.deepEqual(visible(" \ufffd", "20e5bc"), [{ text: "␣", faint: true }, { text: "E5 BC", faint: true }]);
  assert.deepEqual(visible("\ufffd", "e5bc"), [{ text: "E5 BC", faint: true }]);
});
