/** The tab's one socket: watches a generation, resumes by the number of ids received, polls where no socket opens. */

/**
 * @typedef {{generation: string, have: () => number}} Watched
 * @typedef {{ticket: () => Promise<string>, poll: () => Promise<void>, socket?: (url: string) => WebSocket}} Means
 */

const WAITS_MS = [250, 500, 1000, 2000, 4000];
const PING_MS = 20_000;
const POLL_MS = 1500;
const QUIET_POLL_MS = 10_000;
const POLL_AFTER_FAILURES = 3;

export class Stream extends EventTarget {
  /** @param {string} url ws address @param {Means} means */
  constructor(url, means) {
    super();
    this.url = url;
    this.means = means;
    /** @type {Watched|null} */
    this.watched = null;
    /** @type {number|null} the episode shown */
    this.followed = null;
    /** What is followed beside it, by generation. @type {Map<string, {have: () => number, take: (message: any) => void}>} */
    this.others = new Map();
    /** @type {WebSocket|null} */
    this.socket = null;
    this.open = false;
    this.connecting = false;
    this.failures = 0;
    this.closed = false;
    this.polling = false;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    /** @type {ReturnType<typeof setInterval>|undefined} */
    this.pings = undefined;
  }

  /** Hear of every change of an episode. @param {number|string} episode */
  follow(episode) {
    this.followed = Number(episode);
    if (this.open) this.#say({ type: "follow", episode: this.followed });
    else this.connect();
  }

  /** Follow a generation from what the page has; null follows none. @param {Watched|null} watched */
  watch(watched) {
    const before = this.watched;
    if (before && this.open && before.generation !== watched?.generation) {
      this.#say({ type: "unwatch", generation: before.generation });
    }
    this.watched = watched;
    if (this.open) this.#ask();
    else this.connect();
  }

  /** Follow a further generation; its messages go to `take` alone. @param {string} generation @param {() => number} have @param {(message: any) => void} take */
  beside(generation, have, take) {
    this.others.set(generation, { have, take });
    if (this.open) this.#say({ type: "watch", generation, after: have() });
    else this.connect();
  }

  /** @param {string} generation that was followed beside */
  leave(generation) {
    if (this.others.delete(generation) && this.open) this.#say({ type: "unwatch", generation });
  }

  #ask() {
    if (this.watched) this.#say({ type: "watch", generation: this.watched.generation, after: this.watched.have() });
  }

  /** @param {any} message */
  #say(message) {
    this.socket?.send(JSON.stringify(message));
  }

  async connect() {
    if (this.closed || this.connecting || this.socket) return;
    clearTimeout(this.timer);
    this.connecting = true;
    try {
      const ticket = await this.means.ticket();
      const make = this.means.socket ?? ((/** @type {string} */ url) => new WebSocket(url));
      const socket = make(this.url);
      this.socket = socket;
      socket.onopen = () => {
        this.open = true;
        this.#say({ type: "auth", ticket });
        if (this.followed !== null) this.#say({ type: "follow", episode: this.followed });
        this.#ask();
        for (const [generation, { have }] of this.others) this.#say({ type: "watch", generation, after: have() });
        this.pings = setInterval(() => this.#say({ type: "ping" }), PING_MS);
      };
      socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
      socket.onclose = () => this.#lost();
    } catch {
      this.#lost();
    } finally {
      this.connecting = false;
    }
  }

  /** @param {any} message */
  #receive(message) {
    this.failures = 0;
    const other = this.others.get(message.generation);
    if (other) {
      other.take(message);
      return;
    }
    const ofGeneration = ["tokens", "end", "reset", "error"].includes(message.type);
    if (ofGeneration && message.generation !== this.watched?.generation) return;
    this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
  }

  #lost() {
    clearInterval(this.pings);
    this.socket = null;
    this.open = false;
    if (this.closed) return;
    const wait = WAITS_MS[Math.min(this.failures, WAITS_MS.length - 1)];
    this.failures += 1;
    this.dispatchEvent(new Event("lost"));
    if (this.failures >= POLL_AFTER_FAILURES) this.#poll();
    this.timer = setTimeout(() => this.connect(), wait * (0.75 + Math.random() / 2));
  }

  async #poll() {
    if (this.polling) return;
    this.polling = true;
    while (!this.closed && (this.watched || this.followed !== null) && this.failures >= POLL_AFTER_FAILURES) {
      await this.means.poll().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, this.watched ? POLL_MS : QUIET_POLL_MS));
    }
    this.polling = false;
  }

  /** Closed by leaving the page, which the browser may bring back as it was. */
  reopen() {
    if (!this.closed) return;
    this.closed = false;
    this.connect();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.pings);
    this.socket?.close();
  }
}
