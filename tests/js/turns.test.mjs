import assert from "node:assert/strict";
import { test } from "node:test";
import { branchItems } from "../../static/js/corrector/branches.js";
import { callsAtEnd, readCalls } from "../../static/js/corrector/calls.js";
import { callName } from "../../static/js/corrector/heads.js";
import { Later, turnsAfter } from "../../static/js/corrector/later.js";
import { byCluster, byStep, byToken, byWord, correctable, nearest } from "../../static/js/corrector/movement.js";
import { Path } from "../../static/js/corrector/path.js";
import { resultKind } from "../../static/js/corrector/results.js";
import { EpisodeStore } from "../../static/js/corrector/store.js";
import { Sync } from "../../static/js/corrector/sync.js";
import { Tails } from "../../static/js/corrector/tails.js";
import { Speakers } from "../../static/js/corrector/speakers.js";

const said = (role, start, end, index = 0) => ({ level: "message", role, index, start, end });

/** A prompt with a system, a user, an assistant and a user, then a sampled answer, a tool's turn, and an answer. */
function dialogue() {
  const speakers = new Speakers();
  speakers.put("root", [said("developer", 1, 2, 0), said("user", 3, 5, 1), said("assistant", 6, 9, 2), said("user", 10, 12, 3)]);
  speakers.put("turn", [said("function", 17, 20, 5)]);
  const path = new Path(speakers);
  const rows = (texts) => texts.map((text, i) => [100 + i, text, null]);
  path.append(rows(["<s>", "Be kind.", "<u>", "Who", "?", "<a>", "I", " am", " it.", "<u>", "And", " you?", "<a>"]), "root", 0);
  path.append(rows(["He", " too.", "<end>"]), "a", 1);
  path.append(rows(["<t>", "one. ", "two. ", "three", "<a>"]), "turn", 4);
  path.append(rows(["So", " it", " is."]), "b", 1);
  return { path, speakers, low: 3 };
}

test("every token has a speaker, the template's have none", () => {
  const { path } = dialogue();
  const names = Array.from({ length: path.length }, (_, at) => path.speakerAt(at)[0] ?? "-").join("");
  assert.equal(names, "-s-uu-aaa-uu-aaa-ttt-aaa");
});

test("the text of a prompt in which an assistant speaks begins with its first question", () => {
  const { speakers } = dialogue();
  assert.equal(speakers.begin("root"), 3);
  assert.equal(speakers.begin("turn"), null);
});

test("runs end where another speaks, and what a fork cut is known again when it is whole", () => {
  const { path, speakers } = dialogue();
  assert.deepEqual([3, 6, 8, 9, 13, 16, 18, 21].map((at) => path.runEnd(at)), [5, 9, 9, 10, 16, 17, 20, 24]);
  assert.deepEqual([4, 8, 15, 19, 23].map((at) => path.runStart(at)), [3, 6, 13, 17, 21]);
  speakers.put("root", [said("assistant", 6, 7, 2)]);
  assert.equal(path.runEnd(6), 9);
});

test("a correction in a prompt's turn goes on as one run", () => {
  const { speakers } = dialogue();
  const path = new Path(speakers);
  path.append(Array.from({ length: 8 }, (_, i) => [i, "x", null]), "root", 0);
  path.append([[50, " was", null]], "typed", 3);
  path.append([[51, " him", null]], "c", 1);
  assert.equal(path.runEnd(6), 10);
  assert.equal(path.runStart(9), 6);
});

test("only an assistant's tokens can be corrected, in any turn", () => {
  const { path } = dialogue();
  assert.deepEqual([0, 1, 4, 6, 8, 9, 13, 18, 23].map((at) => correctable(path, at)), [false, false, false, true, true, false, true, false, true]);
  assert.equal(nearest(path, 12, 3), 8);
  assert.equal(nearest(path, 4, 3), 6);
});

test("arrows pass over what was given, in one step", () => {
  const { path, low } = dialogue();
  assert.equal(byCluster(path, 8, low, 1), 13);
  assert.equal(byCluster(path, 13, low, -1), 8);
  assert.equal(byCluster(path, 6, low, -1), 6);
  assert.equal(byToken(path, 15, low, 1), 21);
  assert.equal(byToken(path, 21, low, -1), 15);
  assert.equal(byWord(path, 15, low, 1, "en"), 21);
  assert.equal(byCluster(path, 23, low, 1), 23);
});

test("steps stop once at each turn that was given", () => {
  const { path, low } = dialogue();
  const down = [];
  for (let at = 6, next; (next = byStep(path, at, low, 1)) !== at && down.length < 12; at = next) down.push(next);
  assert.deepEqual(down, [10, 13, 17, 21, 23]);
  const up = [];
  for (let at = 21, next; (next = byStep(path, at, low, -1)) !== at && up.length < 12; at = next) up.push(next);
  assert.deepEqual(up, [17, 15, 13, 10, 8, 6, 3]);
});

test("turns behind a correction are kept for its branch, undo leaves them and redo finds them", () => {
  const { path } = dialogue();
  assert.deepEqual(turnsAfter(path, 7), [{ role: "user", text: "And you?" }, { role: "tool", text: "one. two. three" }]);
  /** @type {Record<string, string>} */
  const kept = {};
  const storage = /** @type {any} */ ({ getItem: (key) => kept[key] ?? null, setItem: (key, value) => (kept[key] = value) });
  const later = new Later(storage, "k");
  later.keep(path, "new", turnsAfter(path, 7));
  assert.equal(later.next(path), undefined);
  const branch = new Path();
  branch.append([[1, "x", null]], "root", 0);
  branch.append([[2, "y", null]], "new", 3);
  assert.equal(later.next(branch)?.text, "And you?");
  later.said(branch, "tool");
  assert.equal(later.next(branch)?.role, "user");
  later.said(branch, "user");
  assert.equal(new Later(storage, "k").next(branch)?.role, "tool");
  kept.k = "{broken";
  assert.equal(new Later(storage, "k").next(branch), undefined);
});

test("a call is read from any text between its marks", () => {
  const names = (text) => readCalls(text).map((call) => [call.name, call.arguments]);
  assert.deepEqual(names('<tool_call>\n{"name": "find", "arguments": {"q": 1}}\n</tool_call>'), [["find", '{\n "q": 1\n}']]);
  assert.deepEqual(names('{"name": "find", "parameters": "\\"SELECT 1\\""}'), [["find", '"SELECT 1"']]);
  assert.deepEqual(names('[TOOL_CALLS][{"name": "a"}, {"name": "b", "arguments": []}]'), [["a", ""], ["b", "[]"]]);
  assert.deepEqual(names("<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \"Paris\"}\n```<｜tool▁call▁end｜>"), [["get_weather", '{"city": "Paris"}']]);
  assert.deepEqual(names("<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>"), [["f", "{}"]]);
  assert.deepEqual(names('<tool_call>{"name": "broken", "arg'), [["", '{"name": "broken", "arg']]);
  assert.deepEqual(names("<tool_call>7</tool_call>"), [["", "7"]]);
  assert.deepEqual(names("<|python_tag|>search.call(query)"), [["search.call", ""]]);
  assert.equal(readCalls(`<tool_call>${"[".repeat(2000)}`).length, 1);
  assert.equal(callName('<tool_call>\n{"name": "find", "ar'), "find");
  assert.equal(callName("<tool_call>get_weather\n<arg_key>"), "get_weather");
});

test("the calls of the answer at the end are those between the model's marks", () => {
  const path = new Path();
  path.append([[1, "<s>", null]], "root", 0);
  path.append([[5, "I look.", -1], [7, "<tool_call>", -1], [8, '{"name": "find"}', -1], [9, "</tool_call>", -1], [2, "<end>", -1]], "a", 1);
  const policy = { channels: [{ kind: /** @type {const} */ ("call"), opens: 7, closes: [9] }], eos: [2] };
  assert.deepEqual(callsAtEnd(path, policy).map((call) => call.name), ["find"]);
  assert.deepEqual(callsAtEnd(path, { eos: [2] }), []);
});

test("a result is said to be JSON, text, or JSON that breaks off", () => {
  assert.deepEqual(["", '{"a": 1}', "fine", "[1, 2"].map(resultKind), ["empty result", "JSON", "text", "text; as JSON it is not complete"]);
});

test("branches stand behind the branch on which they were made", () => {
  const segment = (id, parent) => ({ id, parent, fork_at: 1, start: 0, length: 3, origin: 1, policy: 1, generation: null, finish_reason: null, created_at: "" });
  const segments = [segment("root", null), segment("first", "root"), segment("n1", "first"), segment("g1", "n1"), segment("n2", "g1"), segment("n3", "first"), segment("n4", "root")];
  const corrections = [["first", "n1"], ["g1", "n2"], ["first", "n3"], ["root", "n4"]].map(([segment, new_segment]) => ({ segment, new_segment }));
  const items = branchItems(segments, corrections, "first");
  assert.deepEqual(items.map(({ correction, level }) => [correction.new_segment, level]), [["n1", 2], ["n2", 3], ["n3", 2], ["n4", 1]]);
});

test("the tail of a branch is asked for once, and leaves out what the template wrote", async () => {
  const store = new EpisodeStore();
  store.episode = { segments: [{ id: "s", parent: "root", fork_at: 2, start: 2, length: 4, origin: 0 }], generation: null };
  const asked = [];
  const rows = [1, 2, 3, 4].map((id) => [id, `t${id} `, null]);
  const tails = new Tails(store, async (path) => {
    asked.push(path);
    return { rows, spans: [said("user", 3, 5)] };
  });
  assert.equal(tails.text("s", 0), "");
  assert.equal(tails.text("s", 0), "");
  await new Promise((resolve) => tails.addEventListener("loaded", resolve, { once: true }));
  assert.deepEqual(asked, ["/segments/s/rows?from=0&to=4"]);
  assert.equal(tails.text("s", 0), "t2 t3 ");
});

test("an own act that was answered while the page looked is no news", async () => {
  const store = new EpisodeStore();
  store.episode = { id: 1, version: 2, segments: [] };
  const told = [];
  const stream = Object.assign(new EventTarget(), { watch: () => undefined });
  const sync = new Sync({
    store, stream: /** @type {any} */ (stream), id: 1, say: (text) => told.push(text), busy: () => false,
    get: async () => {
      store.episode.version = 3;
      return { id: 1, version: 3, segments: [] };
    },
  });
  await sync.look();
  assert.deepEqual(told, []);
});
