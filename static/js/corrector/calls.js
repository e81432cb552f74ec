/** The calls in an answer: what is called and with what, read from the text between a call's marks. Any text gives something. */

import { Regions } from "./regions.js";

/** @typedef {{name: string, id: string, arguments: string, text: string}} Call */

const MARKS = /<\/?tool_call>|\[TOOL_CALLS\]|<\|tool_call_(?:begin|end)\|>|<｜tool▁call▁(?:begin|end)｜>|<\|python_tag\|>/g;
const NAMED = /^(?:function<｜tool▁sep｜>)?(?:functions\.)?([\w.-]{1,120})/;

/** @param {any} value @returns {string} */
function shown(value) {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

/** The calls that a region's text stands for, at least one. @param {string} text @returns {Call[]} */
export function readCalls(text) {
  const inner = text.replace(MARKS, "").trim();
  let value;
  try {
    value = JSON.parse(inner);
  } catch {
    const brace = inner.indexOf("{");
    const rest = brace < 0 ? "" : inner.slice(brace, inner.lastIndexOf("}") + 1 || undefined);
    return [{ name: NAMED.exec(inner)?.[1] ?? "", id: "", arguments: rest, text }];
  }
  const calls = (Array.isArray(value) ? value : [value]).filter((one) => one !== null && typeof one === "object");
  if (!calls.length) return [{ name: "", id: "", arguments: shown(value), text }];
  return calls.map((one) => ({
    name: String(one.name ?? one.function?.name ?? ""), id: typeof one.id === "string" ? one.id : "",
    arguments: shown(one.arguments ?? one.parameters ?? one.function?.arguments), text,
  }));
}

/** @type {{path: object|null, length: number, calls: Call[]}} asked for at each key press, made once */
let known = { path: null, length: 0, calls: [] };

/** The calls of the answer that a path ends in; [] where it calls nothing. @param {import("./path.js").Path} path
 * @param {{channels?: import("./regions.js").Marker[], eos: number[]}} policy @returns {Call[]} */
export function callsAtEnd(path, policy) {
  if (!path.length || !policy.channels?.length || !path.ownAt(path.length - 1)) return [];
  if (known.path === path && known.length === path.length) return known.calls;
  const regions = new Regions(policy.channels, policy.eos);
  const start = path.runStart(path.length - 1);
  let from = start;
  while (from > 0 && path.speakerAt(from - 1) === "") from -= 1;
  for (let i = from; i < path.length; i += 1) regions.feed(path.rows[i][0], path.rows[i][1], path.speakerAt(i));
  /** @type {Call[]} */
  const calls = [];
  for (let i = 0; i < regions.of.length; i += 1) {
    const number = regions.of[i];
    if (!number || regions.found[number - 1] !== "call" || number === regions.of[i - 1]) continue;
    let end = i;
    while (regions.of[end] === number) end += 1;
    calls.push(...readCalls(path.text(from + i, from + end)));
  }
  known = { path, length: path.length, calls };
  return calls;
}
