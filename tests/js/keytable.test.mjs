import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { pressed, refusal } from "../../static/js/corrector/keyeditor.js";
import { BINDINGS, STANDARD, bindingOf, match } from "../../static/js/corrector/keys.js";
import { BROWSER_KEYS, applyKeys, capOf, clash, keyChanges, wellWritten } from "../../static/js/corrector/keytable.js";
import { LAYOUTS, eventOf } from "./layouts.mjs";

afterEach(() => applyKeys({}));
const qwerty = (/** @type {string} */ key) => eventOf(LAYOUTS.QWERTY, key);

test("an own key acts, and the standard one no longer does", () => {
  let told = 0;
  keyChanges.addEventListener("changed", () => (told += 1), { once: true });
  applyKeys({ undo: ["x"] });
  assert.equal(match(qwerty("x"), "read")?.binding.id, "undo");
  assert.equal(match(qwerty("u"), "read"), null);
  assert.equal(capOf("undo"), "x");
  assert.equal(told, 1);
  applyKeys({});
  assert.deepEqual(bindingOf("undo").keys, STANDARD.get("undo"));
});

test("two commands can change places", () => {
  applyKeys({ stepDown: ["k"], stepUp: ["j"] });
  assert.equal(match(qwerty("k"), "read")?.binding.id, "stepDown");
  assert.equal(match(qwerty("j"), "read")?.binding.id, "stepUp");
});

test("a stored set that clashes with a newer registry is not taken", () => {
  applyKeys({ undo: ["j"] });
  assert.equal(match(qwerty("j"), "read")?.binding.id, "stepDown");
  assert.equal(match(qwerty("u"), "read")?.binding.id, "undo");
});

test("what cannot be changed is not changed", () => {
  applyKeys({ back: ["x"], choose1to9: ["x"] });
  assert.equal(match(qwerty("x"), "pick"), null);
});

test("a clash is named, in modes that both act in alone", () => {
  assert.equal(clash("undo", ["j"])?.id, "stepDown");
  assert.equal(clash("stepDown", ["1"]), undefined);
  assert.match(refusal("undo", "j"), /Next sentence/);
  assert.match(refusal("undo", "x", new Map([["x", "Quality"]])), /Quality/);
  assert.equal(refusal("undo", "x"), "");
});

test("keys of the browser are refused", () => {
  for (const key of ["Ctrl+t", "Ctrl+w", "F5", "Tab", "Ctrl+f", "Ctrl+Shift+t"]) assert.match(refusal("undo", key), /belongs to the browser/);
});

test("no standard key belongs to the browser, apart from Escape", () => {
  const standard = [...STANDARD.values()].flat().filter((key) => key !== "Escape");
  assert.deepEqual(standard.filter((key) => BROWSER_KEYS.includes(key)), []);
  assert.deepEqual(standard.filter((key) => !wellWritten(key) && key !== "Escape"), []);
});

test("a pressed key is kept as it acts on every layout", () => {
  assert.equal(pressed({ ...qwerty("a"), key: "о", code: "KeyJ" }), "j");
  assert.equal(pressed(eventOf(LAYOUTS.AZERTY, "&")), "&");
  assert.equal(pressed({ ...qwerty("X"), shiftKey: true }), "Shift+x");
  assert.equal(pressed({ ...qwerty("a"), key: "Shift" }), undefined);
});

test("every binding says what it does", () => {
  assert.ok(BINDINGS.every((binding) => binding.label && binding.modes.length));
});
