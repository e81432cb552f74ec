import assert from "node:assert/strict";
import { test } from "node:test";
import { byCluster, byStep, byToken, byUncertain, byWord, correctable, nearest } from "../../static/js/corrector/movement.js";
import { Path } from "../../static/js/corrector/path.js";

/** @param {string[]} texts @param {number[]} [logprobs] */
function path(texts, logprobs = []) {
  const made = new Path();
  made.append([[1, "system", null]], "root", 0);
  made.append(texts.map((text, i) => [i, text, logprobs[i] ?? -0.1]), "a", 1);
  return made;
}

const LOW = 1;

test("arrows move by character, commas by token", () => {
  const split = new Path();
  split.append([[0, "p", null]], "root", 0);
  split.append([[1, "a", -1], [2, "", -1, "f0"], [3, "😊", -1, "9f988a"], [4, "b", -1]], "a", 1);
  assert.equal(byCluster(split, 1, LOW, 1), 2);
  assert.equal(byCluster(split, 2, LOW, 1), 4);
  assert.equal(byCluster(split, 4, LOW, -1), 2);
  assert.equal(byCluster(split, 1, LOW, -1), 1);
  assert.equal(byToken(split, 2, LOW, 1), 3);
  assert.equal(byCluster(split, 4, LOW, 1), 4);
});

test("words in Latin script skip their pieces", () => {
  const words = path(["un", "believ", "able", " story", ",", " told"]);
  assert.equal(byWord(words, 1, LOW, 1, "en"), 4);
  assert.equal(byWord(words, 4, LOW, 1, "en"), 6);
  assert.equal(byWord(words, 6, LOW, -1, "en"), 4);
});

test("words in Chinese are found without spaces", () => {
  const chinese = path(["模", "型", "使用", "标记"]);
  assert.equal(byWord(chinese, 1, LOW, 1, "zh-Hans"), 3);
});

test("steps are sentences, lines and list items in both languages", () => {
  const steps = path(["One", ".", " Two", "!", " Three", "\n", "- four", "\n\n", "五", "。", "六"]);
  const starts = [];
  for (let at = 1, next; (next = byStep(steps, at, LOW, 1)) !== at && starts.length < 9; at = next) starts.push(next);
  assert.deepEqual(starts, [3, 5, 7, 9, 11]);
  assert.equal(byStep(steps, 7, LOW, -1), 5);
});

test("the end and the beginning are where a step stops", () => {
  const one = path(["a", " b", " c"]);
  assert.equal(byStep(one, 1, LOW, 1), 3);
  assert.equal(byStep(one, 3, LOW, -1), 1);
});

test("unsure tokens are those of low probability that the model wrote", () => {
  const unsure = path(["a", "b", "c", "d"], [-0.1, -3, -0.1, -1]);
  assert.equal(byUncertain(unsure, null, LOW, 1), 2);
  assert.equal(byUncertain(unsure, 2, LOW, 1), 4);
  assert.equal(byUncertain(unsure, 4, LOW, 1), 4);
  assert.equal(byUncertain(unsure, 4, LOW, -1), 2);
});

test("what was given to the model cannot be corrected", () => {
  const given = path(["a"]);
  given.append([[9, "user says", null]], "turn", 0);
  assert.ok(!correctable(given, 0));
  assert.ok(correctable(given, 1));
  assert.equal(nearest(given, 2, LOW), 1);
});

test("moving through 32,768 tokens looks at a window only", () => {
  const long = path(Array.from({ length: 32_768 }, () => " word"));
  let reads = 0;
  const rows = long.rows;
  long.rows = new Proxy(rows, { get: (target, name) => { if (typeof name === "string" && /^\d+$/.test(name)) reads += 1; return target[name]; } });
  byWord(long, 16_000, LOW, 1, "en");
  assert.ok(reads < 2000, `${reads} rows were read`);
});
