import assert from "node:assert/strict";
import { test } from "node:test";
import { firstWords, laidOut, sizeOf } from "../../static/js/corrector/conversation.js";

const piece = (text, more = {}) => ({ text, size: text.length, kind: "text", ...more });

test("what is JSON is laid out, what is not stays as it is", () => {
  assert.equal(laidOut(piece('{"a":[1]}')), '{\n "a": [\n  1\n ]\n}');
  assert.equal(laidOut(piece('"\\"SELECT 1\\""')), '"\\"SELECT 1\\""');
  assert.equal(laidOut(piece('{"a": [1, 2')), '{"a": [1, 2');
  const deep = "[".repeat(2000) + "]".repeat(2000);
  assert.equal(laidOut(piece(deep)).replace(/\s/g, ""), deep);
});

test("a head is never taken for the whole", () => {
  assert.equal(laidOut(piece("[1]", { size: 90 })), "[1]");
  assert.equal(sizeOf(piece("x", { size: 20_000_000 })), "20.0 MB");
  assert.equal(sizeOf(piece("data:", { size: 5_200_000, kind: "image/png" })), "image/png, 5.2 MB");
  assert.equal(sizeOf(piece("abc")), "3 characters");
});

test("a summary is one short line", () => {
  assert.equal(firstWords("  a\n\n b\t c "), "a b c");
  assert.ok(firstWords("word ".repeat(90_000)).length < 170);
  assert.ok(firstWords("x".repeat(20_000_000)).length < 170);
});
