import assert from "node:assert/strict";
import { test } from "node:test";
import { ActiveClock } from "../../static/js/corrector/active.js";
import { asked, digitFor, handedIn, merge, missing, same } from "../../static/js/corrector/answers.js";
import { Problem } from "../../static/js/corrector/api.js";
import { Draft } from "../../static/js/corrector/draft.js";
import { Keep } from "../../static/js/corrector/keep.js";

const question = (key, more = {}) => ({ id: 1, key, kind: "single", label: key, help: "", options: [{ value: "yes", label: "yes" }, { value: "no", label: "no" }],
  min: null, max: null, min_label: "", max_label: "", required: false, condition: null, hotkey: null, ...more });
const ready = question("ready", { required: true });
const why = question("why", { kind: "multiple", required: true, condition: { question: "ready", equals: ["no", "maybe"] } });
const deep = question("deep", { required: true, condition: { question: "why", equals: "yes" } });
const ALL = [ready, why, deep];

test("a question is asked while its condition, and that of what it hangs on, holds", () => {
  assert.deepEqual(asked(ALL, {}).map((one) => one.key), ["ready"]);
  assert.deepEqual(asked(ALL, { ready: "no", why: ["yes"] }).map((one) => one.key), ["ready", "why", "deep"]);
  assert.deepEqual(asked(ALL, { ready: "yes", why: ["yes"] }).map((one) => one.key), ["ready"]);
  assert.deepEqual(missing(ALL, { ready: "no", why: [] }).map((one) => one.key), ["why"]);
  assert.deepEqual(handedIn(ALL, { ready: "yes", why: ["yes"], old: "x" }), { ready: "yes" });
});

test("digits are a scale's own numbers where they can be, else places", () => {
  const scale = question("s", { kind: "scale", min: 0, max: 5 });
  assert.deepEqual([0, 5].map((at) => digitFor(scale, at)), ["0", "5"]);
  assert.deepEqual([0, 9, 10].map((at) => digitFor({ ...scale, min: 1, max: 20 }, at)), ["1", "0", ""]);
});

test("what only one tab changed is taken; what both changed differently is a conflict in which mine stands", () => {
  const base = { a: "1", b: "1", c: "1", d: ["x", "y"] };
  const { merged, conflicts } = merge(base, { a: "2", b: "1", c: "mine", d: ["y", "x"] }, { a: "1", b: "3", c: "theirs", d: ["x", "y"], e: 4 });
  assert.deepEqual(merged, { a: "2", b: "3", c: "mine", d: ["x", "y"], e: 4 });
  assert.deepEqual(conflicts, ["c"]);
  assert.deepEqual(merge(base, {}, base), { merged: {}, conflicts: [] });
  assert.ok(same({ a: "" }, { a: [] }) && !same({ a: 1 }, {}));
});

/** A server with one draft, as the contract has it. */
function server() {
  const now = { version: 0, answers: {}, active_ms: 0 };
  const calls = [];
  const faults = [];
  const request = async (method, path, body, { ifMatch } = {}) => {
    calls.push([method, ifMatch, body]);
    const fault = faults.shift();
    if (fault === "down") throw new Problem(502, {});
    if (method === "GET") return { body: { ...now }, etag: "" };
    if (ifMatch !== `"${now.version}"`) throw new Problem(412, { code: "stale_draft", current: { ...now } });
    Object.assign(now, { version: now.version + 1, answers: body.answers, active_ms: now.active_ms + body.active_ms });
    if (fault === "lost") throw new Problem(0, {});
    return { body: null, etag: `"${now.version}"` };
  };
  return { now, calls, faults, request };
}

function tab(on, keep = new Keep(null), time = { ms: 0 }) {
  const active = new ActiveClock(() => time.ms, () => time.ms);
  active.touch();
  return { draft: new Draft({ request: on.request, keep, me: 1, episode: 7, from: { ...on.now }, active, closed: () => false }), keep, time };
}

test("an answer that was changed back before it was sent needs no saving", async () => {
  const on = server();
  const { draft, keep } = tab(on);
  draft.set("x", "yes");
  assert.equal(draft.state, "saving");
  draft.set("x", undefined);
  assert.deepEqual([draft.state, draft.savedAt], ["saved", null]);
  await draft.settled();
  assert.deepEqual([on.calls, await keep.all("draft:")], [[], []]);
});

test("an answer that was changed back while it was on its way is saved again", async () => {
  const on = server();
  const { draft } = tab(on);
  on.faults.push("lost");
  draft.set("x", "yes");
  await draft.save();
  draft.set("x", undefined);
  assert.equal(draft.state, "saving");
  await draft.save();
  await draft.settled();
  assert.deepEqual([draft.state, draft.dirty, on.now.answers], ["saved", false, {}]);
});

for (const late of [true, false]) {
  test(`what an earlier visit sent as it went is undone here, arriving ${late ? "late" : "never"}`, async () => {
    const on = server();
    const keep = new Keep(null);
    const before = tab(on, keep).draft;
    before.set("x", "yes");
    const { draft } = tab(on, keep);
    await draft.restore();
    if (late) await on.request("PUT", "", { answers: { x: "yes" }, active_ms: 0 }, { ifMatch: '"0"' });
    draft.set("x", undefined);
    assert.equal(draft.state, "saving");
    await draft.save();
    await draft.settled();
    assert.deepEqual([draft.state, draft.answers, on.now.answers], ["saved", {}, {}]);
    assert.deepEqual(await keep.all("draft:"), []);
  });
}

test("a save whose answer was lost, changed back and left, is undone by the next visit", async () => {
  const on = server();
  const keep = new Keep(null);
  const before = tab(on, keep).draft;
  before.set("x", "yes");
  on.faults.push("lost");
  const state = { ...on.now };
  await before.save();
  before.set("x", undefined);
  const arrived = { ...on.now };
  Object.assign(on.now, state);
  const { draft } = tab(on, keep);
  await draft.restore();
  Object.assign(on.now, arrived);
  await draft.save();
  await draft.settled();
  assert.deepEqual([draft.state, draft.answers, on.now.answers], ["saved", {}, {}]);
});

test("a stale save overwrites nothing, and the person chooses", async () => {
  const on = server();
  const [a, b] = [tab(on), tab(on)];
  a.draft.set("x", "theirs");
  await a.draft.save();
  b.draft.set("x", "mine");
  b.draft.set("y", "kept");
  await b.draft.save();
  assert.deepEqual(on.now.answers, { x: "theirs" });
  assert.deepEqual(b.draft.conflict, { theirs: { x: "theirs" }, keys: ["x"] });
  await b.draft.save();
  assert.equal(on.now.version, 1);
  b.draft.choose("x", "theirs");
  await b.draft.save();
  assert.deepEqual(on.now.answers, { x: "theirs", y: "kept" });
  assert.equal(b.draft.state, "saved");
});

test("a save whose answer was lost is not counted twice, and what was typed meanwhile follows", async () => {
  const on = server();
  const { draft, time } = tab(on);
  time.ms = 60_000;
  draft.set("x", "1");
  on.faults.push("lost");
  await draft.save();
  assert.equal(draft.state, "retrying");
  draft.set("x", "12");
  time.ms = 90_000;
  await draft.save();
  await draft.save();
  assert.deepEqual(on.now.answers, { x: "12" });
  assert.equal(on.now.active_ms, 90_000);
  clearTimeout(draft.timer);
});

test("work is put aside once its answers are saved, over a line that breaks and a save on its way", async () => {
  const on = server();
  const { draft } = tab(on);
  on.faults.push("down", "lost");
  draft.set("x", "typed at the last moment");
  const early = draft.save();
  draft.set("x", "typed later still");
  await draft.settled();
  assert.deepEqual(on.now.answers, { x: "typed later still" });
  assert.equal(draft.state, "saved");
  await early;
});

test("a conflict holds nobody up who puts the work aside", async () => {
  const on = server();
  const { draft } = tab(on);
  Object.assign(on.now, { version: 1, answers: { x: "theirs" } });
  draft.set("x", "mine");
  await draft.settled();
  assert.deepEqual(draft.conflict?.keys, ["x"]);
});

test("what could not be saved survives a reload", async () => {
  const on = server();
  const first = tab(on);
  on.faults.push("down");
  first.draft.set("x", "typed");
  await first.draft.save();
  clearTimeout(first.draft.timer);
  const second = tab(on, first.keep);
  await second.draft.restore();
  assert.deepEqual(second.draft.answers, { x: "typed" });
  await second.draft.save();
  assert.deepEqual(on.now.answers, { x: "typed" });
  assert.equal(second.keep.memory.size, 0);
});

test("what the page sent as it was left is no other tab's", async () => {
  const on = server();
  const before = { version: 0, answers: {} };
  const first = tab(on);
  first.draft.set("x", "two");
  await first.draft.save({ leaving: true });
  const kept = { base: before, answers: { x: "two" } };
  for (const hears of ["a refusal", "a nudge"]) {
    const { draft, keep } = tab(on, new Keep(null));
    draft.base = structuredClone(before);
    draft.answers = {};
    await keep.put("draft:1:7", structuredClone(kept));
    await draft.restore();
    draft.set("x", "five");
    clearTimeout(draft.timer);
    if (hears === "a nudge") await draft.told(on.now.version);
    else await draft.save();
    assert.equal(draft.conflict, null, hears);
    assert.deepEqual(draft.answers, { x: "five" });
    assert.notEqual(draft.state, "refused");
    if (hears === "a refusal") Object.assign(on.now, { version: 1, answers: { x: "two" } });
  }
});
