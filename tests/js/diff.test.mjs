import assert from "node:assert/strict";
import { test } from "node:test";
import { diff, readable } from "../../static/js/corrector/diff.js";

/** @param {number[]} old @param {number[]} now */
function check(old, now) {
  const pieces = diff(old, now);
  const before = pieces.filter((piece) => piece.kind !== "ins").flatMap((piece) => old.slice(piece.from, piece.to));
  const after = pieces.flatMap((piece) => (piece.kind === "del" ? [] : (piece.kind === "ins" ? now : old).slice(piece.from, piece.to)));
  assert.deepEqual(before, old);
  assert.deepEqual(after, now);
  return pieces;
}

test("the pieces come to the old and to the new", () => {
  let seed = 7;
  const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 300; round += 1) {
    check(Array.from({ length: random(20) }, () => random(4)), Array.from({ length: random(20) }, () => random(4)));
  }
});

test("it is the shortest", () => {
  const pieces = check([1, 2, 3, 4, 5], [1, 9, 3, 4, 6, 5]);
  assert.deepEqual(pieces.map((piece) => piece.kind), ["same", "del", "ins", "same", "ins", "same"]);
});

test("what stayed by chance is told as changed, and the old and the new stay what they are", () => {
  const old = [1, 2, 9, 3, 4, 5, 6, 7, 8];
  const now = [1, 20, 9, 30, 4, 5, 6, 7, 80];
  const pieces = readable(diff(old, now));
  assert.deepEqual(pieces.map((piece) => piece.kind), ["same", "del", "ins", "same", "del", "ins"]);
  assert.deepEqual(pieces.filter((piece) => piece.kind !== "ins").flatMap((piece) => old.slice(piece.from, piece.to)), old);
  assert.deepEqual(pieces.flatMap((piece) => (piece.kind === "del" ? [] : (piece.kind === "ins" ? now : old).slice(piece.from, piece.to))), now);
});

test("two long runs with nothing in common are one cut and one insertion", () => {
  const pieces = check(Array.from({ length: 20000 }, (_, i) => i), Array.from({ length: 20000 }, (_, i) => -1 - i));
  assert.deepEqual(pieces.map((piece) => piece.kind), ["del", "ins"]);
});
