/** Makes the parts of the corrector from the page's elements. */

import { find } from "../dom.js";
import { gettext as _ } from "../text.js";
import { Acts } from "./acts.js";
import { LookAhead } from "./ahead.js";
import { Branches } from "./branches.js";
import { Candidates } from "./candidates.js";
import { Commands } from "./commands.js";
import { Cursor } from "./cursor.js";
import { Modes } from "./modes.js";
import { Pane } from "./pane.js";
import { makePanels } from "./panels.js";
import { Picking } from "./picking.js";
import { Reasons } from "./reasons.js";
import { Strip } from "./strip.js";
import { Tails } from "./tails.js";
import { Typing } from "./typing.js";
import { makeViews } from "./views.js";

/**
 * @typedef {(method: string, path: string, body?: any, key?: string) => Promise<any>} Api
 * @typedef {{page: any, api: Api, say: import("./messages.js").Say, desk: HTMLElement, active: import("./active.js").ActiveClock,
 *   keep: import("./keep.js").Keep, stream: import("./stream.js").Stream,
 *   store: import("./store.js").EpisodeStore, outbox: import("./outbox.js").Outbox, sync: import("./sync.js").Sync}} Base
 * @typedef {ReturnType<typeof makeParts>} Parts
 */

/** @param {Base} base @param {any} episode */
export function makeParts(base, episode) {
  const { page, api, say, desk, store, active } = base;
  const names = Object.entries(episode.policy.special ?? {});
  const special = new Map(names.map(([id, name]) => [Number(id), String(name)]));
  const scroller = find("[data-pane]");
  const modes = new Modes({ badge: find("[data-badge]"), hints: find("[data-hints]"), live: find("[data-live]"), desk });
  const pane = new Pane(scroller, find("[data-text]"), { special, channels: episode.policy.channels ?? [], eos: episode.policy.eos });
  const strip = new Strip(find("[data-candidates]"), special);
  const candidates = new Candidates((path) => api("GET", path));
  const acts = new Acts(base);
  const ahead = new LookAhead({
    stream: base.sync.stream, post: (path, body) => api("POST", `/episodes/${page.episode}${path}`, body),
    on: () => strip.ahead && ["open", "returned", "later"].includes(store.episode.status),
  });
  strip.ahead = Boolean(episode.settings?.lookahead) && !store.readOnly;
  /** @type {{picking: Picking|null}} */
  const later = { picking: null };
  const typing = new Typing(find("[data-type]"), (text) =>
    api("POST", `/episodes/${page.episode}/preview`, { text, ...store.place(later.picking?.at ?? store.low) }));
  const picking = new Picking({ store, pane, modes, strip, typing, candidates, acts, ahead, special, head: find("[data-strip-head]"), say });
  later.picking = picking;
  const cursor = new Cursor({ store, pane, modes, language: page.language, say });
  const reasons = new Reasons(find("[data-reasons]"), page.reasons);
  const panels = makePanels(base, { modes, acts, pane, cursor });
  const list = find("[data-branches]");
  const branches = new Branches(list, store, new Tails(store, (path) => api("GET", path)));
  const views = makeViews(base, { pane, special });
  const commands = new Commands({ store, pane, modes, cursor, picking, strip, typing, acts, reasons, active, ...panels, ...views, branches, say });
  return { ...base, ...panels, scroller, modes, pane, strip, acts, typing, picking, cursor, reasons, branches, commands };
}
