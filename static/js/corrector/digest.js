/** The digest of what was on the screen: SHA-256 over the ids as little-endian int32. */

import { sha256 } from "../../vendor/noble-hashes/sha2.js";

/** @param {Int32Array} ids @returns {string} hex */
export function digest(ids) {
  const bytes = new Uint8Array(ids.length * 4);
  const view = new DataView(bytes.buffer);
  ids.forEach((id, i) => view.setInt32(i * 4, id, true));
  return [...sha256(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A random key; `crypto.randomUUID` exists only on https and localhost. @returns {string} */
export function newKey() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
