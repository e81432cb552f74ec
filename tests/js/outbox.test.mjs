import assert from "node:assert/strict";
import { test } from "node:test";
import { ActiveClock } from "../../static/js/corrector/active.js";
import { alone } from "../../static/js/corrector/alone.js";
import { Problem } from "../../static/js/corrector/api.js";
import { digest, newKey } from "../../static/js/corrector/digest.js";
import { Keep } from "../../static/js/corrector/keep.js";
import { Outbox } from "../../static/js/corrector/outbox.js";

const NAME = "act:1:7";

/** @param {Keep} keep */
const outboxOn = (keep, send) => new Outbox({ keep, send, name: NAME });

test("an act that fails in passing is repeated with the same key and body", async () => {
  const calls = [];
  const keep = new Keep(null);
  const states = [];
  const outbox = outboxOn(keep, async (path, body, key) => {
    calls.push([path, body, key]);
    if (calls.length === 1) throw new Problem(502, { detail: "bad gateway" });
    if (calls.length === 2) throw new Problem(0, { detail: "cut" });
    if (calls.length === 3) throw new Problem(401, { detail: "who are you" });
    return { ok: true };
  });
  outbox.addEventListener("state", () => {
    states.push(outbox.state);
    if (["retrying", "signed_out"].includes(outbox.state)) setTimeout(() => outbox.hurry(), 1);
  });
  const answer = await outbox.post("/x", { a: 1 });
  assert.deepEqual(answer, { ok: true });
  assert.equal(new Set(calls.map(([, , key]) => key)).size, 1);
  assert.deepEqual(states, ["saving", "retrying", "retrying", "signed_out", "saved"]);
  assert.equal(keep.memory.size, 0);
});

test("a refusal is final; what a person wrote stays, a mere choice does not", async () => {
  const keep = new Keep(null);
  const outbox = outboxOn(keep, async () => { throw new Problem(412, { code: "stale_head", detail: "moved on" }); });
  await assert.rejects(outbox.post("/x", { choice: { candidate: 5 } }), /moved on/);
  assert.equal(outbox.state, "refused");
  assert.equal(outbox.busy, false);
  assert.equal(keep.memory.size, 0);
  await assert.rejects(outbox.post("/x", { choice: { text: "mine" } }), /moved on/);
  const [[, act]] = await keep.all(NAME);
  assert.equal(act.body.choice.text, "mine");
  assert.deepEqual(act.refused, { code: "stale_head", detail: "moved on" });
  assert.deepEqual(await outbox.left(), []);
});

test("an act on its way survives a reload, and is sent again with its key", async () => {
  const keep = new Keep(null);
  let release = () => {};
  const keys = [];
  const outbox = outboxOn(keep, (path, body, key) => new Promise((resolve) => { keys.push(key); release = resolve; }));
  const posted = outbox.post("/x", { a: 1 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const reloaded = outboxOn(keep, async (path, body, key) => { keys.push(key); return { again: true }; });
  const [act] = await reloaded.left();
  assert.equal(act.path, "/x");
  await keep.drop(`lease:stet ${NAME}`);
  assert.deepEqual(await reloaded.again(act), { done: true, result: { again: true } });
  assert.equal(keys[0], keys[1]);
  release(null);
  await posted;
  assert.deepEqual(await reloaded.left(), []);
});

test("a second act is refused while the first is on its way", async () => {
  let release = () => {};
  const outbox = outboxOn(new Keep(null), () => new Promise((resolve) => { release = resolve; }));
  const first = outbox.post("/x", {});
  await assert.rejects(outbox.post("/y", {}), /still saving/);
  await new Promise((resolve) => setTimeout(resolve, 5));
  release(null);
  await first;
});

test("without locks of the browser a lease lets one tab write, and ends with a dead one", async () => {
  const keep = new Keep(null);
  let now = 0;
  const tab = (name) => ({ keep, tab: name, now: () => now });
  let release = () => {};
  const order = [];
  const first = alone("w", () => new Promise((resolve) => { order.push("a"); release = resolve; }), tab("a"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(await alone("w", async () => order.push("never"), tab("b"), false), { done: false });
  const second = alone("w", async () => order.push("b"), tab("b"));
  release(null);
  await first;
  await second;
  assert.deepEqual(order, ["a", "b"]);
  await keep.put("lease:w", { tab: "dead", until: 5000 });
  now = 5001;
  assert.equal((await alone("w", async () => 1, tab("c"), false)).done, true);
});

test("the digest is SHA-256 over little-endian int32", () => {
  assert.equal(digest(new Int32Array()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(digest(Int32Array.of(1, -2, 49151)), "3cc548667e9bca4ac19e5363344cf518589e0be33967c8aa8079063085d00dce");
});

test("keys are UUIDs", () => {
  assert.match(newKey(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
});

test("only time at work counts as active, up to two minutes without a sign of life; the rest is idle", () => {
  let now = 0;
  let wall = 0;
  const pass = (ms) => { now += ms; wall += ms; };
  const clock = new ActiveClock(() => now, () => wall);
  clock.touch();
  pass(60_000);
  clock.leave();
  pass(28_800_000);
  clock.back();
  pass(30_000);
  assert.deepEqual(clock.take(), { active_ms: 90_000, idle_ms: 28_800_000 });
  pass(3_600_000);
  assert.deepEqual(clock.take(), { active_ms: 120_000, idle_ms: 3_480_000 });
  assert.deepEqual(clock.take(), { active_ms: 0, idle_ms: 0 });
});

test("a laptop asleep was idle, and a clock that is set does not count", () => {
  let now = 0;
  let wall = 0;
  const clock = new ActiveClock(() => now, () => wall);
  clock.touch();
  now += 10_000;
  wall += 10_000 + 8 * 3_600_000;
  assert.deepEqual(clock.take(), { active_ms: 0, idle_ms: 10_000 + 8 * 3_600_000 });
  now += 20_000;
  wall -= 3_600_000;
  assert.deepEqual(clock.take(), { active_ms: 20_000, idle_ms: 0 });
  clock.giveBack({ active_ms: 20_000 });
  assert.equal(clock.takeActive(), 20_000);
});
