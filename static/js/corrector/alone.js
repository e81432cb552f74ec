/** One writer at a time among the tabs of a browser: a lock of the browser, or a lease among what is kept where it has none. */

const LEASE_MS = 8000;
const RENEW_MS = 2000;
const LOOK_MS = 300;
const TAB = Math.random().toString(36).slice(2);

/**
 * @typedef {{locks?: LockManager, keep: import("./keep.js").Keep, tab?: string, now?: () => number}} Means
 * `locks` are missing where the page came over plain http from another machine
 */

/**
 * Run `work` while no other tab runs under this name. @template T
 * @param {string} name @param {() => Promise<T>} work @param {Means} means
 * @param {boolean} [wait] for a tab that is at it; else nothing is done
 * @returns {Promise<{done: boolean, result?: T}>} `done` false where another tab was at it
 */
export async function alone(name, work, means, wait = true) {
  const { locks, keep } = means;
  if (locks) {
    return locks.request(name, wait ? {} : { ifAvailable: true }, async (lock) => (lock ? { done: true, result: await work() } : { done: false }));
  }
  const tab = means.tab ?? TAB;
  const now = means.now ?? Date.now;
  const key = `lease:${name}`;
  const take = () => keep.change(key, (held) => (held && held.tab !== tab && held.until > now() ? held : { tab, until: now() + LEASE_MS }));
  while ((await take()).tab !== tab) {
    if (!wait) return { done: false };
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  const renew = setInterval(take, RENEW_MS);
  try {
    return { done: true, result: await work() };
  } finally {
    clearInterval(renew);
    await keep.change(key, (held) => (held?.tab === tab ? undefined : held));
  }
}
