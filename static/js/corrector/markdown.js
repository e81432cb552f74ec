/** Markdown that is still being written: settled blocks are parsed once, the tail anew as it grows by an eighth. */

import MarkdownIt from "../../vendor/markdown-it/markdown-it.js";

/**
 * @typedef {{type: string, tag: string, nesting: number, content: string, info: string, markup: string, hidden: boolean, level: number,
 *   map: [number, number]|null, children: Token[]|null, attrGet: (name: string) => string|null}} Token
 * @typedef {{end: number, tokens: Token[]}} Settled `end` is its offset in the source
 * @typedef {{settled: Settled[], tail: Token[]|null, code: string, rest: string}} Change new settled blocks; the tail's tokens where
 *   they are others; text that an open code block gained; text that is not parsed yet
 */

const SMALL = 1024;
const GROWN = 1 / 8;

/** A parser that knows no HTML, makes no links of plain text and loads nothing. */
export function parser() {
  return new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: false, maxNesting: 60 });
}

/** The fence that is open at the end of the block, null where it is closed or none. @param {Token} token @param {string} text of the block */
function openFence(token, text) {
  if (token.type !== "fence" || !text.endsWith("\n")) return null;
  const { markup } = token;
  const closing = new RegExp(`^ {0,3}${markup[0] === "`" ? "`" : "~"}{${markup.length},}[ \\t]*$`);
  const lines = text.split("\n");
  return lines.slice(1).some((line) => closing.test(line)) ? null : closing;
}

export class MarkdownStream {
  constructor(made = parser()) {
    this.parser = made;
    this.source = "";
    /** @type {Settled[]} */
    this.settled = [];
    /** How far the tail was parsed. */
    this.parsed = 0;
    /** @type {RegExp|null} how the code block that is open at the end would be closed */
    this.closing = null;
    this.references = Object.create(null);
    this.work = { parses: 0, characters: 0 };
  }

  get start() {
    return this.settled.at(-1)?.end ?? 0;
  }

  /** @param {string} text @param {any} references */
  #parse(text, references) {
    this.work.parses += 1;
    this.work.characters += text.length;
    return /** @type {Token[]} */ (this.parser.parse(text, { references }));
  }

  /** Take more text. @param {string} text @param {boolean} [whole] parse all of it, however much that is @returns {Change} */
  append(text, whole = false) {
    this.source += text;
    const waits = this.source.length - this.parsed;
    const tail = this.parsed - this.start;
    if (!waits) return { settled: [], tail: null, code: "", rest: "" };
    if (this.closing && !whole) {
      const code = this.#code(this.closing);
      if (code !== null) return { settled: [], tail: null, code, rest: this.source.slice(this.parsed) };
    } else if (!whole && tail > SMALL && waits < tail * GROWN) {
      return { settled: [], tail: null, code: "", rest: this.source.slice(this.parsed) };
    }
    return this.#settle();
  }

  /** What an open code block gained in whole lines, null where one of them closes it. @param {RegExp} closing */
  #code(closing) {
    const upto = this.source.lastIndexOf("\n") + 1;
    const code = upto > this.parsed ? this.source.slice(this.parsed, upto) : "";
    this.work.characters += code.length;
    if (code.split("\n").some((line) => closing.test(line))) return null;
    this.parsed += code.length;
    return code;
  }

  /** @returns {Change} */
  #settle() {
    const begin = this.start;
    const text = this.source.slice(begin);
    let tokens = this.#parse(text, Object.create(this.references));
    const tops = tokens.filter((token) => token.level === 0 && token.nesting >= 0 && token.map);
    const last = tops.at(-1);
    /** @type {Settled[]} */
    const settled = [];
    let at = 0;
    if (last?.map && tops.length > 1) {
      const lines = text.split("\n").slice(0, last.map[0]);
      at = lines.reduce((sum, line) => sum + line.length + 1, 0);
      settled.push({ end: begin + at, tokens: this.#parse(text.slice(0, at), this.references) });
      this.settled.push(...settled);
      tokens = tokens.slice(tokens.indexOf(last));
    }
    this.parsed = this.source.length;
    this.closing = last ? openFence(last, text.slice(at)) : null;
    return { settled, tail: tokens, code: "", rest: "" };
  }

  /** Forget the text after `length`. @param {number} length @returns {number} how many settled blocks stay; the tail is to be parsed */
  cut(length) {
    while (this.settled.length && this.start > length) this.settled.pop();
    this.source = this.source.slice(0, length);
    this.parsed = this.start;
    this.closing = null;
    return this.settled.length;
  }
}
