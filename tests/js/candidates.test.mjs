import assert from "node:assert/strict";
import { test } from "node:test";
import { Candidates, choices, sourceOf } from "../../static/js/corrector/candidates.js";
import { statusText } from "../../static/js/status.js";
import { tailState } from "../../static/js/corrector/tail.js";
import { Path } from "../../static/js/corrector/path.js";

const EOS = [2, 0];
const SPECIAL = new Map([[2, "<|im_end|>"], [0, "<|endoftext|>"]]);

/** @param {any} more */
function position(more = {}) {
  return {
    index: 3, sampled: { id: 11, text: " fifty", logprob: -1, rank: 2 }, other: 0.04,
    candidates: [[10, " one", -0.9], [11, " fifty", -1], [12, " two", -3], [2, "<|im_end|>", -6]], ...more,
  };
}

test("candidates keep their rank, the end has key 0, the rest is one row", () => {
  const rows = choices(position(), EOS, SPECIAL);
  assert.deepEqual(rows.map((row) => [row.kind, row.key, row.id, row.rank]), [
    ["candidate", "1", 10, 1], ["candidate", "2", 11, 2], ["candidate", "3", 12, 3], ["end", "0", 2, 4], ["other", "", null, null],
  ]);
  assert.deepEqual(rows.filter((row) => row.sampled).map((row) => row.id), [11]);
});

test("a sampled token outside the list has its own row and no false rank", () => {
  const rows = choices(position({ sampled: { id: 99, text: " rare", logprob: -9, rank: null } }), EOS, SPECIAL);
  const own = rows.find((row) => row.id === 99);
  assert.ok(own?.sampled);
  assert.equal(own?.rank, null);
});

test("a sampled end token is the end row, once", () => {
  const rows = choices(position({ sampled: { id: 2, text: "<|im_end|>", logprob: -6, rank: 4 } }), EOS, SPECIAL);
  assert.deepEqual(rows.filter((row) => row.id === 2).map((row) => [row.kind, row.sampled]), [["end", true]]);
});

test("rows that look alike show their ids", () => {
  const rows = choices(position({ candidates: [[5, "\ufffd", -1], [6, "\ufffd", -2], [7, "a", -3]] }), EOS, SPECIAL);
  assert.deepEqual(rows.filter((row) => row.twin).map((row) => row.id), [5, 6]);
});

test("a tenth candidate has no key", () => {
  const many = Array.from({ length: 20 }, (_, i) => [100 + i, ` w${i}`, -i]);
  const rows = choices(position({ candidates: many }), EOS, SPECIAL);
  assert.deepEqual(rows.slice(8, 10).map((row) => row.key), ["9", ""]);
});

test("padding of short lists is left out", () => {
  const rows = choices(position({ candidates: [[10, "a", -1], [-1, "", null]] }), EOS, SPECIAL);
  assert.ok(!rows.some((row) => row.id === -1));
});

test("typed text has no candidates but can end", () => {
  assert.deepEqual(choices(undefined, EOS, SPECIAL, 7).map((row) => row.kind), ["end"]);
});

test("one fetch answers the neighbourhood, and is not repeated", async () => {
  const asked = [];
  const known = new Candidates(async (path) => {
    asked.push(path);
    return { rows: Array.from({ length: 64 }, (_, i) => position({ index: 84 + i })) };
  });
  const [one, two] = await Promise.all([known.load("s", 100, 500), known.load("s", 100, 500)]);
  assert.equal(one?.index, 100);
  assert.equal(two?.index, 100);
  await known.load("s", 101, 500);
  assert.deepEqual(asked, ["/segments/s/candidates?from=84&to=148"]);
});

/** @param {any} more */
function store(more = {}) {
  const path = new Path();
  path.append([[1, "q", null]], "root", 0);
  path.append([[5, "a", -1]], "a", 1);
  return { path, low: 1, answered: true, held: false, ahead: false, live: false, generation: null, episode: { status: "open", policy: { eos: EOS }, generations: [] }, ...more };
}

test("the tail tells why the model stopped and what to do", () => {
  const generation = { segment: "a", status: "done", finish_reason: "length" };
  assert.match(tailState(store({ generation })).text, /limit/);
  assert.equal(tailState(store({ generation })).key, "c");
  const failed = { segment: "b", parent: "a", start: 2, status: "failed", error: { code: "model_lost", detail: "It went away." } };
  assert.match(tailState(store({ episode: { status: "open", policy: { eos: EOS }, generations: [failed] } })).text, /It went away/);
  assert.equal(tailState(store({ live: true })).level, "live");
  assert.equal(tailState(store({ episode: { status: "submitted", policy: { eos: EOS }, generations: [] } })).key, "reopen");
});

test("an ended answer can be replied to, a reply waits for the model", () => {
  const ended = store();
  ended.path.append([[EOS[0], "", -1]], "a", 1);
  assert.equal(tailState(ended).key, "r");
  assert.deepEqual([tailState(store({ answered: false })).text, tailState(store({ answered: false })).key], ["No answer yet.", "c"]);
});

test("where nothing can be changed, nothing is offered", () => {
  for (const status of ["open", "submitted"]) {
    const episode = { status, policy: { eos: EOS }, generations: [] };
    assert.equal(tailState(store({ episode, readOnly: "It is somebody else's." })).key, undefined);
  }
});

test("what a person picked or ended has the candidates of what it replaced, typed text has none", () => {
  const origins = /** @type {Record<string, number>} */ ({ m: 1, p: 2, e: 3, t: 3 });
  const corrections = [
    { new_segment: "p", segment: "m", index: 4, how: "pick" },
    { new_segment: "e", segment: "p", index: 0, how: "end_here" },
    { new_segment: "t", segment: "m", index: 1, how: "type" },
  ];
  const source = (/** @type {string} */ segment) => sourceOf({ segment, index: 0 }, (id) => origins[id], corrections);
  assert.deepEqual(source("m"), { segment: "m", index: 0 });
  assert.deepEqual(source("p"), { segment: "m", index: 4 });
  assert.deepEqual(source("e"), { segment: "m", index: 4 });
  assert.equal(source("t"), null);
  assert.equal(source("foreseen"), null);
});

test("the status strip speaks only when something is not ready", () => {
  const words = { _: (text) => text, fill: (text, values) => text.replace("%(detail)s", values.detail) };
  assert.equal(statusText({ database: "ok", redis: "ok", model: { state: "ready" } }, words).text, "");
  assert.match(statusText({ model: { state: "loading" } }, words).text, /40–105 s/);
  assert.match(statusText(null, words).text, /does not answer/);
});
