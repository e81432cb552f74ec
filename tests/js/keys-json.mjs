/** Writes static/js/corrector/keys.json, what the server knows of the keys: `node tests/js/keys-json.mjs`. */

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { BINDINGS, STANDARD } from "../../static/js/corrector/keys.js";
import { BROWSER_KEYS } from "../../static/js/corrector/keytable.js";

export const FILE = new URL("../../static/js/corrector/keys.json", import.meta.url);

/** The registry as the server reads it. */
export function keysJson() {
  const bindings = BINDINGS.map(({ id, label, modes, fixed }) => JSON.stringify({ id, label, keys: STANDARD.get(id), modes, fixed: Boolean(fixed) }));
  return `{"bindings": [\n${bindings.join(",\n")}\n],\n"browser": ${JSON.stringify(BROWSER_KEYS)}}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(FILE, keysJson());
