/** Reasoning and tool calls inside an answer, told by the model's own marks as the tokens arrive. */

/**
 * @typedef {number|string} Sign a token by its id; a text only where the model has no token for it
 * @typedef {{kind: "reasoning"|"call", opens: Sign, closes: Sign[], first?: boolean}} Marker
 */

export class Regions {
  /** @param {Marker[]} [markers] @param {number[]} [ends] ids that end an answer */
  constructor(markers = [], ends = []) {
    this.markers = markers;
    this.ends = new Set(ends);
    this.longest = Math.max(0, ...markers.flatMap((one) => [one.opens, ...one.closes]).map((sign) => (typeof sign === "string" ? sign.length : 0)));
    /** @type {number[]} for each token fed the number of its region, 0 for none */
    this.of = [];
    /** @type {string[]} the kind of region 1, 2, … */
    this.found = [];
    this.#turn();
  }

  #turn() {
    /** @type {Marker|null} */
    this.open = null;
    this.text = "";
    /** @type {number[]} number of the token that each character of the text came from */
    this.owners = [];
    /** @type {string|null} what the answer begins with, while that can still be a sign */
    this.lead = "";
    this.begun = 0;
  }

  /** The kind of the region of a token, "" for none. @param {number} at */
  kind(at) {
    return this.of[at] ? this.found[this.of[at] - 1] : "";
  }

  /** Take the next token: of an assistant, of the template ("") or of somebody else.
   * @param {number} id @param {string} text @param {string} [who] @returns {number} the first token whose region is now other than before */
  feed(id, text, who = "assistant") {
    const at = this.of.push(0) - 1;
    const own = who === "assistant";
    if (this.ends.has(id) || !(own || who === "")) {
      this.#turn();
      return at;
    }
    const opens = this.markers.find((one) => one.opens === id);
    if (opens && opens !== this.open) {
      this.#begin(opens, own ? at : at + 1);
      this.text = "";
      this.owners = [];
      return at;
    }
    if (this.open && own) this.of[at] = this.found.length;
    if (this.open?.closes.includes(id)) {
      this.open = null;
      this.text = "";
      this.owners = [];
      return at;
    }
    return own ? this.#read(at, text) : at;
  }

  /** @param {Marker} marker @param {number} at */
  #begin(marker, at) {
    this.open = marker;
    this.found.push(marker.kind);
    for (let i = at; i < this.of.length; i += 1) this.of[i] = this.found.length;
    return at;
  }

  /** Look for signs that are texts. @param {number} at @param {string} text @returns {number} */
  #read(at, text) {
    let changed = Math.min(at, this.#first(at, text));
    if (!this.longest) return changed;
    this.text += text;
    for (let i = 0; i < text.length; i += 1) this.owners.push(at);
    let used = 0;
    for (let sign = this.#sign(used); sign; sign = this.#sign(used)) {
      used = sign.end;
      if (this.open) this.open = null;
      else changed = Math.min(changed, this.#begin(sign.marker, this.owners[sign.start]));
    }
    const drop = Math.max(used, this.text.length - this.longest);
    if (drop > 0) {
      this.text = this.text.slice(drop);
      this.owners = this.owners.slice(drop);
    }
    return changed;
  }

  /** @param {number} used @returns {{start: number, end: number, marker: Marker}|null} */
  #sign(used) {
    const { open } = this;
    /** @type {[Sign, Marker][]} */
    const pairs = open ? open.closes.map((sign) => [sign, open]) : this.markers.filter((one) => !one.first).map((one) => [one.opens, one]);
    /** @type {{start: number, end: number, marker: Marker}|null} */
    let best = null;
    for (const [sign, marker] of pairs) {
      const start = typeof sign === "string" ? this.text.indexOf(sign, used) : -1;
      if (start >= 0 && (!best || start < best.start)) best = { start, end: start + String(sign).length, marker };
    }
    return best;
  }

  /** A sign that counts only where the answer begins with it. @param {number} at @param {string} text @returns {number} */
  #first(at, text) {
    if (this.lead === null) return at;
    if (!this.lead) this.begun = at;
    const lead = (this.lead + text).trimStart();
    this.lead = lead;
    let changed = at;
    const markers = this.markers.filter((one) => one.first && typeof one.opens === "string");
    for (const marker of markers) {
      if (!this.open && lead.startsWith(String(marker.opens))) changed = this.#begin(marker, this.begun);
    }
    if (!markers.some((one) => lead.length < String(one.opens).length && String(one.opens).startsWith(lead))) this.lead = null;
    return changed;
  }
}
