/** How long a person was at work: the page in sight and a sign of life within two minutes; what is longer is idle. */

const IDLE_MS = 120_000;
const DAY_MS = 86_400_000;

export class ActiveClock {
  /** @param {() => number} [now] monotonic milliseconds @param {() => number} [wall] of the wall clock, which also counts sleep */
  constructor(now = () => performance.now(), wall = () => Date.now()) {
    this.now = now;
    this.wall = wall;
    this.active = 0;
    this.idle = 0;
    this.told = { active: 0, idle: 0 };
    this.inSight = true;
    /** @type {{now: number, wall: number}|null} */
    this.last = null;
  }

  /** Time since the last sign of life: the monotonic clock, which a change of the wall clock does not move; where the
   * wall clock went further (asleep, or set forward), that surplus is idle. @returns {{active: number, idle: number}} */
  #since() {
    if (!this.last) return { active: 0, idle: 0 };
    const passed = Math.max(0, this.now() - this.last.now);
    const asleep = Math.max(0, this.wall() - this.last.wall - passed);
    const active = this.inSight && asleep < IDLE_MS ? Math.min(passed, IDLE_MS) : 0;
    return { active, idle: Math.min(passed - active + (asleep < IDLE_MS ? 0 : asleep), DAY_MS) };
  }

  /** A key, a click, a scroll. */
  touch() {
    const { active, idle } = this.#since();
    this.active += active;
    this.idle += idle;
    this.last = { now: this.now(), wall: this.wall() };
  }

  /** The page went out of sight. */
  leave() {
    this.touch();
    this.inSight = false;
  }

  /** The page is in sight again. */
  back() {
    this.touch();
    this.inSight = true;
  }

  /** Is nobody at work now? */
  get resting() {
    return !this.inSight || this.#since().idle > 0;
  }

  /** Milliseconds of work so far, also those not told yet. */
  get total() {
    return this.active + this.#since().active;
  }

  /** What has come since the last call: each millisecond is told once. @returns {{active_ms: number, idle_ms: number}} */
  take() {
    this.touch();
    const active_ms = Math.round(this.active - this.told.active);
    const idle_ms = Math.round(this.idle - this.told.idle);
    this.told.active += active_ms;
    this.told.idle += idle_ms;
    return { active_ms, idle_ms };
  }

  /** Milliseconds of work alone; what was idle is told later. @returns {number} */
  takeActive() {
    const { active_ms, idle_ms } = this.take();
    this.giveBack({ idle_ms });
    return active_ms;
  }

  /** Tell again what did not arrive. @param {{active_ms?: number, idle_ms?: number}} times */
  giveBack({ active_ms = 0, idle_ms = 0 }) {
    this.told.active -= active_ms;
    this.told.idle -= idle_ms;
  }
}
