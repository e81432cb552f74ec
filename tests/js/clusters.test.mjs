import assert from "node:assert/strict";
import { test } from "node:test";
import { Path } from "../../static/js/corrector/path.js";

/** @param {any[]} rows */
function path(rows) {
  const made = new Path();
  made.append(rows, "s", 1);
  return made;
}

const EMOJI = [[1, "a", -1], [2, "", -1, "f0"], [3, "", -1, "9f98"], [4, "😊", -1, "8a"], [5, "b", -1]];

test("tokens that share a character are one cluster", () => {
  const split = path(EMOJI);
  assert.deepEqual(split.first, [0, 1, 1, 1, 4]);
  assert.equal(split.clusterEnd(1), 4);
  assert.equal(split.clusterEnd(0), 1);
});

test("a token that ends one character and begins the next joins both", () => {
  assert.deepEqual(path([[1, "", -1, "6162f0"], [2, "ab😊", -1, "9f988a"]]).first, [0, 0]);
});

test("bytes that never become a character stay alone", () => {
  const lone = path([[1, "", -1, "f0"], [2, "\ufffda", -1], [3, "", -1, "9f"]]);
  assert.deepEqual(lone.first, [0, 1, 2]);
});

test("an empty token is its own cluster", () => {
  assert.deepEqual(path([[1, "a", -1], [2, "", -1], [3, "b", -1]]).first, [0, 1, 2]);
});

test("a stream that stops in a character goes on in the same cluster", () => {
  const stopped = path(EMOJI.slice(0, 3));
  assert.equal(stopped.pending, 1);
  stopped.append([EMOJI[3]], "s", 1);
  assert.deepEqual(stopped.first, [0, 1, 1, 1]);
  assert.equal(stopped.pending, -1);
});

test("a cut inside a character leaves it open", () => {
  const cut = path(EMOJI);
  cut.cut(2);
  assert.equal(cut.length, 2);
  assert.equal(cut.pending, 1);
  cut.append([[9, "😀", -2, "9f9880"]], "t", 2);
  assert.deepEqual(cut.first, [0, 1, 1]);
  assert.deepEqual(cut.pieces.map(({ segment, start, end }) => [segment, start, end]), [["s", 0, 2], ["t", 2, 3]]);
});

test("the text is that of the rows, and positions find their piece", () => {
  const two = path(EMOJI);
  two.append([[7, " c", null], [8, " d", null]], "t", 3);
  assert.equal(two.text(0), "a😊b c d");
  assert.equal(two.originAt(4), 1);
  assert.equal(two.originAt(6), 3);
  assert.deepEqual([...two.ids(3)], [1, 2, 3]);
});
