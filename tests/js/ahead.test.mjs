import assert from "node:assert/strict";
import { test } from "node:test";
import { LookAhead, leading } from "../../static/js/corrector/ahead.js";

const ROWS = [
  { kind: "candidate", id: 5, sampled: false }, { kind: "candidate", id: 6, sampled: true }, { kind: "candidate", id: 7, sampled: false },
  { kind: "candidate", id: 8, sampled: false }, { kind: "candidate", id: 9, sampled: false }, { kind: "end", id: 2, sampled: false },
];
const PLACE = { segment: "s", index: 3 };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server that begins what it is asked for, and a socket. */
function desk(more = {}) {
  const sent = [];
  const takes = new Map();
  const left = [];
  const ahead = new LookAhead({
    post: async (path, body) => {
      sent.push([path, body]);
      return path === "/lookahead" ? { generations: body.candidates.map((id) => ({ id: `g${id}`, segment: `s${id}`, candidate: id })), skipped: null } : {};
    },
    stream: { beside: (id, have, take) => takes.set(id, { have, take }), leave: (id) => left.push(id) },
    on: () => true, wait: 5, again: 5, ...more,
  });
  const tokens = (id, start, rows) => takes.get(id).take({ type: "tokens", generation: id, start, rows });
  return { ahead, sent, takes, left, tokens };
}

test("the first three that do not stand there already are looked ahead of", () => {
  assert.deepEqual(leading(ROWS).map((row) => row.id), [5, 7, 8]);
});

test("a list that is only passed through asks for nothing", async () => {
  const { ahead, sent } = desk();
  ahead.open(PLACE, ROWS);
  ahead.close();
  ahead.open({ segment: "s", index: 4 }, ROWS);
  ahead.close();
  await pause(15);
  assert.deepEqual(sent, []);
});

test("what arrives is told, and is what a pick takes", async () => {
  const { ahead, sent, tokens, takes } = desk();
  const grew = [];
  ahead.addEventListener("grew", (event) => grew.push([event.detail.candidate, event.detail.rows.length]));
  ahead.open(PLACE, ROWS);
  await pause(15);
  assert.deepEqual(sent, [["/lookahead", { ...PLACE, candidates: [5, 7, 8] }]]);
  tokens("g7", 0, [[1, "a", -1]]);
  tokens("g7", 0, [[1, "a", -1], [2, "b", -1]]);
  tokens("g7", 5, [[9, "gap", -1]]);
  assert.deepEqual(grew, [[7, 1], [7, 2]]);
  assert.equal(takes.get("g7").have(), 2);
  assert.deepEqual(ahead.behind(7).rows.map((row) => row[0]), [1, 2]);
  assert.equal(ahead.behind(5), undefined);
  assert.equal(ahead.behind(9), undefined);
});

test("leaving the list cancels what still runs, once; a pick does not", async () => {
  const { ahead, sent, left, takes } = desk();
  ahead.open(PLACE, ROWS);
  await pause(15);
  takes.get("g5").take({ type: "end", generation: "g5" });
  ahead.close();
  ahead.close();
  assert.deepEqual(sent.slice(1), [["/lookahead/cancel", {}]]);
  assert.deepEqual(left, ["g5", "g7", "g8"]);
  ahead.open(PLACE, ROWS);
  await pause(15);
  ahead.close(true);
  assert.equal(sent.length, 3);
});

test("an answer that comes after the list was left is cancelled and not shown", async () => {
  let answer = (_value) => {};
  const sent = [];
  const { ahead, takes } = desk({ post: (path) => { sent.push(path); return new Promise((resolve) => { answer = resolve; }); } });
  ahead.open(PLACE, ROWS);
  await pause(15);
  ahead.close();
  answer({ generations: [{ id: "g5", segment: "s5", candidate: 5 }], skipped: null });
  await pause(5);
  assert.deepEqual(sent, ["/lookahead", "/lookahead/cancel"]);
  assert.equal(takes.size, 0);
});

test("a busy server is asked again while the list is open, a project that switched it off is not asked", async () => {
  let times = 0;
  const busy = desk({ post: async () => ({ generations: [], skipped: (times += 1) < 3 ? "busy" : null }) });
  busy.ahead.open(PLACE, ROWS);
  await pause(60);
  assert.equal(times, 3);
  const off = desk({ on: () => false });
  off.ahead.open(PLACE, ROWS);
  await pause(15);
  assert.deepEqual(off.sent, []);
});
