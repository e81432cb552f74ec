import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BINDINGS, match, names } from "../../static/js/corrector/keys.js";
import { FILE, keysJson } from "./keys-json.mjs";
import { LAYOUTS, eventOf } from "./layouts.mjs";

for (const [name, places] of Object.entries(LAYOUTS)) {
  test(`every key of the registry acts on ${name}`, () => {
    for (const binding of BINDINGS) {
      for (const mode of binding.modes) {
        for (const key of binding.keys) {
          const found = match(eventOf(places, key), mode);
          assert.equal(found?.binding.id, binding.id, `${mode} ${key}`);
          assert.equal(found?.key, key);
        }
      }
    }
  });
}

test("digits of AZERTY act with and without Shift", () => {
  const plain = { ...eventOf(LAYOUTS.AZERTY, "&") };
  assert.equal(match(plain, "pick")?.key, "1");
  assert.equal(match(eventOf(LAYOUTS.AZERTY, "1"), "pick")?.key, "1");
});

test("what is printed by Shift or AltGr on a digit is no digit", () => {
  assert.equal(match(eventOf(LAYOUTS.QWERTZ, "/"), "pick")?.binding.id, "filter");
  assert.equal(match(eventOf(LAYOUTS.QWERTZ, "["), "read")?.binding.id, "uncertainPrevious");
  assert.equal(match(eventOf(LAYOUTS.AZERTY, "]"), "read")?.binding.id, "uncertainNext");
});

test("the number block without its lock is for moving", () => {
  assert.equal(match({ ...eventOf(LAYOUTS.QWERTY, "End"), code: "Numpad1" }, "pick")?.binding.id, "listEnd");
  assert.equal(match({ ...eventOf(LAYOUTS.QWERTY, "1"), code: "Numpad1" }, "pick")?.key, "1");
});

test("Ctrl with a letter means the letter that is printed", () => {
  assert.equal(match(eventOf(LAYOUTS.QWERTZ, "Ctrl+z"), "read")?.binding.id, "undo");
  assert.equal(match({ ...eventOf(LAYOUTS.DVORAK, "Ctrl+f"), code: "KeyY" }, "read"), null);
});

test("Cyrillic letters act by their place, also with Ctrl", () => {
  const press = (/** @type {string} */ key, /** @type {string} */ code, more = {}) => ({ ...eventOf(LAYOUTS.QWERTY, "a"), key, code, ...more });
  assert.equal(match(press("о", "KeyJ"), "read")?.binding.id, "stepDown");
  assert.equal(match(press("я", "KeyZ", { ctrlKey: true }), "read")?.binding.id, "undo");
  assert.equal(match(press("Я", "KeyZ", { ctrlKey: true, shiftKey: true }), "read")?.binding.id, "redo");
  assert.equal(match(press("ъ", "BracketRight"), "read")?.binding.id, "uncertainNext");
  assert.equal(match(press("ю", "Period"), "read")?.binding.id, "tokenRight");
  assert.equal(match(press("ü", "BracketLeft"), "read"), null);
  assert.equal(match(press("١", "Digit1"), "pick")?.key, "1");
});

test("a modifier or a dead key alone is nothing", () => {
  assert.deepEqual(names({ ...eventOf(LAYOUTS.QWERTY, "a"), key: "Shift" }), []);
  assert.deepEqual(names({ ...eventOf(LAYOUTS.QWERTY, "a"), key: "Dead" }), []);
});

test("the server knows the registry as it is: node tests/js/keys-json.mjs writes it", () => {
  assert.equal(readFileSync(FILE, "utf8"), keysJson());
});
