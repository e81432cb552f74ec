import assert from "node:assert/strict";
import { test } from "node:test";
import { BINDINGS, MODES, composing, match, names, reservedKeys } from "../../static/js/corrector/keys.js";

/** A key as a browser reports it. @param {string} key @param {any} [more] @returns {any} */
function press(key, more = {}) {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : /^\d$/.test(key) ? `Digit${key}` : "";
  return { key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, keyCode: 0, getModifierState: () => false, ...more };
}

/** @param {string} written */
function written(written) {
  const parts = written.split(/\+(?=.)/);
  const key = parts.pop() ?? "";
  return press(key, { ctrlKey: parts.includes("Ctrl"), shiftKey: parts.includes("Shift"), altKey: parts.includes("Alt") });
}

test("no key means two things in one mode", () => {
  for (const mode of MODES) {
    const keys = BINDINGS.filter((binding) => binding.modes.includes(mode)).flatMap((binding) => binding.keys);
    assert.equal(new Set(keys).size, keys.length, `${mode}: ${keys.filter((key, i) => keys.indexOf(key) !== i)}`);
  }
});

test("every key of the table reaches its command", () => {
  for (const binding of BINDINGS) {
    for (const mode of binding.modes) {
      for (const key of binding.keys) assert.equal(match(written(key), mode)?.binding.id, binding.id, `${mode} ${key}`);
    }
  }
});

test("ids are unique and labels are there", () => {
  assert.equal(new Set(BINDINGS.map((binding) => binding.id)).size, BINDINGS.length);
  assert.ok(BINDINGS.every((binding) => binding.label));
});

test("digits are taken by place, so that AZERTY needs no shift", () => {
  const azerty = press("&", { code: "Digit1" });
  assert.equal(match(azerty, "pick")?.key, "1");
  assert.equal(match(press("à", { code: "Digit0" }), "pick")?.binding.id, "chooseEnd");
  assert.equal(match(press("1", { code: "Numpad1" }), "pick")?.key, "1");
});

test("letters are taken by place on layouts without Latin letters", () => {
  assert.equal(match(press("о", { code: "KeyJ" }), "read")?.binding.id, "stepDown");
  assert.equal(match(press("Ä", { code: "Quote" }), "read"), null);
});

test("brackets and question marks are taken as they are printed", () => {
  assert.equal(match(press("]", { code: "Minus", ctrlKey: true, altKey: true, getModifierState: (name) => name === "AltGraph" }), "read")?.binding.id, "uncertainNext");
  assert.equal(match(press("?", { code: "Slash", shiftKey: true }), "read")?.binding.id, "help");
  assert.equal(match(press("/", { code: "Digit7", shiftKey: true }), "locate")?.binding.id, "slash");
});

test("a letter with a modifier is another key", () => {
  assert.equal(match(press("j", { ctrlKey: true }), "read"), null);
  assert.equal(match(press("i", { altKey: true }), "read"), null);
  assert.equal(match(press("z", { ctrlKey: true, shiftKey: true }), "read")?.binding.id, "redo");
  assert.equal(match(press("Z", { metaKey: true, shiftKey: true, code: "KeyZ" }), "read")?.binding.id, "redo");
});

test("letters are text while typing", () => {
  for (const key of ["i", "j", "u", "?", "/", "1", " "]) assert.equal(match(press(key), "type"), null);
});

test("a composition is never a command", () => {
  assert.ok(composing(press("Enter", { keyCode: 229 })));
  assert.ok(composing(press("Process", { isComposing: true })));
  assert.ok(!composing(press("Enter", { keyCode: 13 })));
});

test("reserved keys can be asked for", () => {
  assert.ok(reservedKeys().has("?"));
  assert.ok(!reservedKeys().has("x"));
});

test("a shifted letter is written with its modifier", () => {
  assert.deepEqual(names(press("J", { shiftKey: true, code: "KeyJ" })), ["Shift+j"]);
});
