/** Calls to the REST interface, with its problems as errors. */

import { cookie } from "../dom.js";
import { gettext as _ } from "../text.js";

export class Problem extends Error {
  /** @param {number} status 0 where no answer came @param {Record<string, any>} body */
  constructor(status, body) {
    super(body.detail || body.title || `HTTP ${status}`);
    this.status = status;
    this.code = body.code ?? "";
    this.body = body;
  }

  /** Would it be taken after signing in again? */
  get signedOut() {
    return this.status === 401 || this.code === "not_authenticated";
  }

  /** May the same request with the same key succeed later? */
  get passing() {
    return this.status === 0 || this.status >= 500 || this.status === 429 || this.code === "idempotency_key_in_flight";
  }
}

/**
 * @typedef {{key?: string, ifMatch?: string, keepalive?: boolean}} Options `key` of an act that may be repeated
 * @param {string} base @param {string} method @param {string} path @param {any} [body] @param {Options} [options]
 * @returns {Promise<{body: any, etag: string}>} body null for 204, or when to ask again
 */
export async function request(base, method, path, body, { key, ifMatch, keepalive } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRFToken"] = cookie("csrftoken");
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  if (ifMatch) headers["If-Match"] = ifMatch;
  let response;
  let text;
  try {
    response = await fetch(base + path, {
      method, headers, keepalive, credentials: "same-origin", body: body === undefined ? undefined : JSON.stringify(body),
    });
    text = await response.text();
  } catch {
    throw new Problem(0, { detail: _("The server does not answer. Nothing was lost; try again in a moment.") });
  }
  const etag = response.headers.get("ETag") ?? "";
  if (response.status === 204) {
    const later = Number(response.headers.get("Retry-After"));
    return { body: later ? { retryAfter: later } : null, etag };
  }
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Problem(response.ok ? 0 : response.status, { detail: response.statusText });
  }
  if (!response.ok) throw new Problem(response.status, answer);
  return { body: answer, etag };
}

/**
 * @param {string} base @param {string} method @param {string} path @param {any} [body] @param {string} [key] idempotency key
 * @returns {Promise<any>} the answer; null for 204, or when to ask again
 */
export async function call(base, method, path, body, key) {
  return (await request(base, method, path, body, { key })).body;
}
