import assert from "node:assert/strict";
import { test } from "node:test";
import { tip } from "../../static/js/corrector/branches.js";
import { EpisodeStore, unchanged } from "../../static/js/corrector/store.js";
import { Sync } from "../../static/js/corrector/sync.js";
import { Rows, compose } from "../../static/js/corrector/tree.js";

const row = (id) => [id, `t${id} `, -0.5];
const rows = (...ids) => ids.map(row);
const segment = (id, parent, fork_at, start, length, origin = 1) => ({ id, parent, fork_at, start, length, origin, policy: 1, generation: null, finish_reason: null, created_at: "" });

function episode(more = {}) {
  return {
    id: 1, version: 3, status: "open", policy: { eos: [2], special: {} }, corrections: [], undo: null, redo: null, generation: null,
    segments: [segment("root", null, 0, 0, 2, 0), segment("a", "root", 2, 2, 4)], head: { segment: "a", length: 4 }, ...more,
  };
}

function view() {
  return { pieces: [{ segment: "root", start: 0, end: 2, origin: 0 }, { segment: "a", start: 2, end: 6, origin: 1 }], rows: rows(10, 11, 20, 21, 22, 23) };
}

function loaded(more = {}) {
  const store = new EpisodeStore();
  store.learn(view());
  store.adopt(episode(more));
  return store;
}

test("the path of a head is put together from known rows", () => {
  const store = loaded();
  assert.equal(store.low, 2);
  assert.deepEqual([...store.path.ids()], [10, 11, 20, 21, 22, 23]);
  assert.deepEqual(store.place(3), { segment: "a", index: 1 });
});

test("a path that leaves the prompt before its only assistant's turn is read from the dialogue on", () => {
  const said = (role, index, start, end) => ({ level: "message", role, index, start, end });
  const segments = [segment("root", null, 0, 0, 9, 0), segment("new", "root", 4, 4, 1, 3)];
  for (const [spans, low] of [[[said("system", 0, 1, 2), said("user", 1, 2, 4)], 2], [[said("system", 0, 1, 4)], 4]]) {
    const store = new EpisodeStore();
    const pieces = [{ segment: "root", start: 0, end: 4, origin: 0 }, { segment: "new", start: 4, end: 5, origin: 3 }];
    store.learn({ pieces, spans, rows: rows(1, 2, 3, 4, 5) });
    assert.equal(store.adopt(episode({ segments, head: { segment: "new", length: 1 } })), true);
    assert.equal(store.low, low);
    assert.ok(store.low < store.path.length);
  }
});

test("a head whose rows are not all known asks the server", () => {
  const store = loaded();
  const further = episode({ segments: [...episode().segments, segment("b", "a", 2, 4, 3)], head: { segment: "b", length: 3 } });
  assert.equal(store.adopt(further), false);
  store.rows.put("b", 0, rows(30, 31, 32));
  assert.equal(store.adopt(further), true);
  assert.deepEqual([...store.path.ids()], [10, 11, 20, 21, 30, 31, 32]);
});

test("undo to a shorter head shows the rows that were there", () => {
  const store = loaded();
  const path = compose(store.segments, { segment: "a", length: 1 }, store.rows);
  assert.deepEqual([...path.ids()], [10, 11, 20]);
});

test("a correction is shown before it is saved, and taken back when refused", () => {
  const store = loaded();
  const kept = [];
  store.addEventListener("path", (event) => kept.push(event.detail.keep));
  store.foresee(3, rows(99), 2);
  assert.deepEqual([...store.path.ids()], [10, 11, 20, 99]);
  assert.equal(store.path.originAt(3), 2);
  store.rollBack();
  assert.deepEqual([...store.path.ids()], [10, 11, 20, 21, 22, 23]);
  assert.deepEqual(kept, [3, 3]);
});

const LIVE = { id: "g", segment: "live", parent: "a", fork_at: 4, start: 6, status: "running" };

test("tokens of a running generation are appended once", () => {
  const store = loaded({ generation: LIVE, head: { segment: "live", length: null } });
  assert.ok(store.live);
  store.arrive("g", 0, rows(40, 41));
  store.arrive("g", 1, rows(41, 42));
  store.arrive("other", 3, rows(50));
  assert.deepEqual([...store.path.ids()].slice(6), [40, 41, 42]);
  assert.equal(store.received(), 3);
});

test("a gap is not bridged", () => {
  const store = loaded({ generation: LIVE, head: { segment: "live", length: null } });
  store.arrive("g", 5, rows(45));
  assert.equal(store.received(), 0);
});

test("a held page catches up in order", () => {
  const store = loaded({ generation: LIVE, head: { segment: "live", length: null } });
  store.hold(true);
  store.arrive("g", 0, rows(40, 41));
  assert.equal(store.path.length, 6);
  store.hold(false);
  assert.deepEqual([...store.path.ids()].slice(6), [40, 41]);
});

test("a reset replaces what had arrived", () => {
  const store = loaded({ generation: LIVE, head: { segment: "live", length: null } });
  store.arrive("g", 0, rows(40, 41, 42));
  store.reset("g", rows(40, 51));
  assert.deepEqual([...store.path.ids()].slice(6), [40, 51]);
});

test("an episode that ended keeps the rows that streamed", () => {
  const store = loaded({ generation: LIVE, head: { segment: "live", length: null } });
  store.arrive("g", 0, rows(40, 41));
  const done = episode({ segments: [...episode().segments, segment("live", "a", 4, 6, 2)], head: { segment: "live", length: 2 }, generation: { ...LIVE, status: "done" } });
  assert.equal(store.adopt(done), true);
  assert.equal(store.live, false);
  assert.equal(store.path.length, 8);
});

test("the tip of a branch follows what was continued from its end", () => {
  const segments = [segment("root", null, 0, 0, 2, 0), segment("a", "root", 2, 2, 4), segment("b", "a", 1, 3, 1, 2), segment("c", "b", 1, 4, 5)];
  assert.deepEqual(tip(segments, "b"), { segment: "c", length: 5 });
  assert.deepEqual(tip(segments, "a"), { segment: "a", length: 4 });
});

test("rows are remembered without gaps or doubles", () => {
  const known = new Rows();
  known.put("s", 0, rows(1, 2));
  known.put("s", 1, rows(2, 3));
  known.put("s", 9, rows(9));
  assert.deepEqual(known.of("s").map(([id]) => id), [1, 2, 3]);
});

test("the same tokens by another hand are drawn anew", () => {
  const before = loaded().path;
  const store = loaded();
  store.foresee(4, [before.rows[4]], 2);
  assert.equal(unchanged(before, store.path), 4);
});

test("a turn of the user is the model's turn to answer, and what was said is remembered", () => {
  const store = new EpisodeStore();
  const turn = { segment: "turn", start: 6, end: 9, origin: 0 };
  store.learn({ pieces: [...view().pieces, turn], rows: [...view().rows, ...rows(30, 31, 32)], spans: [{ level: "message", role: "user", index: 2, start: 7, end: 8 }] });
  store.adopt(episode());
  assert.ok(store.answered);
  store.adopt(episode({ segments: [...episode().segments, segment("turn", "a", 4, 6, 3, 0)], head: { segment: "turn", length: 3 } }));
  assert.equal(store.answered, false);
  assert.deepEqual([6, 7, 8].map((at) => store.path.speakerAt(at)), ["", "user", ""]);
});

test("a path that grew while the episode was asked for is asked for anew", async () => {
  const store = new EpisodeStore();
  const short = view();
  short.pieces[1].end = 4;
  short.rows.length = 4;
  const views = [short, view()];
  const stream = Object.assign(new EventTarget(), { watch: () => undefined });
  const sync = new Sync({
    store, stream: /** @type {any} */ (stream), id: 1, say: () => undefined, busy: () => false,
    get: async (path) => (path.includes("view=path") ? views.shift() : episode()),
  });
  await sync.reload();
  assert.equal(store.path.length, 6);
});
