import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../static/js/corrector/api.js";
import { EpisodeStore } from "../../static/js/corrector/store.js";
import { Stream } from "../../static/js/corrector/stream.js";
import { Sync } from "../../static/js/corrector/sync.js";

const root = { id: "root", parent: null, fork_at: 0, start: 0, length: 2, origin: 0, policy: 1, generation: null, finish_reason: null, created_at: "" };
const episode = (version) => ({
  id: 1, version, status: "open", policy: { eos: [2], special: {} }, corrections: [], undo: null, redo: null, generation: null, generations: [],
  segments: [root], head: { segment: "root", length: 2 },
});
const view = { pieces: [{ segment: "root", start: 0, end: 2, origin: 0 }], rows: [[10, "a", null], [11, "b", null]] };

/** A page whose line answers as told: a number is the version that is stored. @param {(number|Error)[]} answers */
function page(answers, busy = () => false) {
  const store = new EpisodeStore();
  const stream = new Stream("ws://here/ws/stream", { ticket: async () => "ticket", poll: async () => undefined });
  stream.close();
  let asked = 0;
  const get = async (path) => {
    if (path.includes("view=path")) return view;
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return episode(answer);
  };
  const sync = new Sync({ store, stream, get, id: 1, say: () => undefined, busy });
  return { store, sync, asked: () => asked };
}

const gone = new Problem(0, { detail: "no answer" });

test("an act that was saved is shown once the line is back", async () => {
  const { store, sync, asked } = page([1, gone, gone, 2]);
  await sync.reload();
  await sync.catchUp();
  assert.equal(store.version, 2);
  assert.equal(asked(), 4);
});

test("the end of a stream on a broken line is looked at again", async () => {
  const { store, sync } = page([1, gone, 2]);
  await sync.reload();
  sync.stream.dispatchEvent(new CustomEvent("end", { detail: { generation: "g", status: "done" } }));
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(store.version, 2);
});

test("news that comes while an act is on its way is looked at afterwards", async () => {
  const on = { busy: true };
  const { store, sync } = page([1, 3], () => on.busy);
  await sync.reload();
  sync.stream.dispatchEvent(new CustomEvent("changed", { detail: { what: "episode", id: 1, version: 3 } }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(store.version, 1);
  on.busy = false;
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(store.version, 3);
});

test("a refusal is not asked for again", async () => {
  const { sync, asked } = page([1, new Problem(404, { detail: "gone" })]);
  await sync.reload();
  await assert.rejects(sync.catchUp(), /gone/);
  assert.equal(asked(), 2);
});
