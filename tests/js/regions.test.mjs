import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Regions } from "../../static/js/corrector/regions.js";

const CASES = JSON.parse(readFileSync(new URL("../policies/channel_cases.json", import.meta.url), "utf8"));

/** @param {Regions} regions */
function runs(regions) {
  const found = [];
  regions.of.forEach((number, at) => {
    if (number && number === regions.of[at - 1]) found[found.length - 1][2] = at + 1;
    else if (number) found.push([regions.found[number - 1], at, at + 1]);
  });
  return found;
}

for (const { name, markers, ends, tokens, regions } of CASES) {
  test(`channels: ${name}`, () => {
    const told = new Regions(markers, ends);
    const seen = [];
    tokens.forEach(([id, text, who], at) => {
      const changed = told.feed(id, text, who);
      for (let i = changed; i <= at; i += 1) seen[i] = told.of[i];
    });
    assert.deepEqual(runs(told), regions);
    assert.deepEqual(seen, told.of, "what changed was said");
  });
}

test("without marks nothing is a channel", () => {
  const told = new Regions();
  for (const text of ["<think>", "a", "</think>", "<tool_call>"]) told.feed(1, text);
  assert.deepEqual(told.of, [0, 0, 0, 0]);
});
