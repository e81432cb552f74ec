/** Elements from Markdown tokens. Only what is listed here can come to be; text is set as text, nothing is loaded. */

import { make } from "../dom.js";
import { fill, gettext as _ } from "../text.js";
import { charName } from "./display.js";

/** @typedef {import("./markdown.js").Token} Token */

const TAGS = new Set(["p", "ul", "ol", "li", "blockquote", "em", "strong", "s", "table", "thead", "tbody", "tr", "th", "td"]);
const HEADINGS = /^h([1-6])$/;
const SAFE = /^(?:https?:\/\/|mailto:)/i;
const HIDDEN = /([\u0000-\u0008\u000b\u000e-\u001f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/;

/** How many nodes were made since the page was loaded: what the tests count. */
export const made = { nodes: 0 };

/** @param {string} tag @param {Record<string, unknown>} [attributes] @param {...(Node|string)} children */
function element(tag, attributes, ...children) {
  made.nodes += 1;
  return make(tag, attributes, ...children);
}

/** Text with its invisible controls as named chips. @param {string} text @returns {Node[]} */
export function plain(text) {
  return text.split(HIDDEN).filter(Boolean).map((piece) => {
    made.nodes += 1;
    return HIDDEN.test(piece) ? make("i", { class: "odd chip", "data-mark": charName(piece) }) : document.createTextNode(piece);
  });
}

/** @param {Token} token @returns {HTMLElement} */
function opened(token) {
  const heading = HEADINGS.exec(token.tag);
  if (heading) return element("div", { role: "heading", "aria-level": Math.min(6, Number(heading[1]) + 2), class: `md-h md-h${heading[1]}`, dir: "auto" });
  if (token.tag === "a") return link(token);
  if (!TAGS.has(token.tag)) return element("span", {});
  const start = token.tag === "ol" ? token.attrGet("start") : null;
  return element(token.tag, { start, dir: ["p", "li", "td", "th"].includes(token.tag) ? "auto" : null });
}

/** @param {Token} token */
function link(token) {
  const href = token.attrGet("href") ?? "";
  if (!SAFE.test(href)) return element("span", { class: "md-link", title: href });
  return element("a", { class: "md-link", href, title: href, rel: "noopener noreferrer nofollow", target: "_blank" });
}

/** @param {Token} token @returns {Node[]} */
function leaf(token) {
  switch (token.type) {
    case "text": case "text_special": return plain(token.content);
    case "softbreak": return [document.createTextNode("\n")];
    case "hardbreak": return [element("br", {})];
    case "code_inline": return [element("code", { class: "md-code", dir: "ltr" }, ...plain(token.content))];
    case "fence": case "code_block": return [element("pre", { class: "md-pre", dir: "ltr", "data-language": token.info.trim().split(/\s/)[0] || null },
      element("code", {}, ...plain(token.content)))];
    case "hr": return [element("hr", {})];
    case "image": return [element("span", { class: "md-image", title: token.attrGet("src") },
      fill(_("[image: %(name)s]"), { name: token.content || token.attrGet("src") || "" }))];
    case "inline": return [];
    default: return token.content ? plain(token.content) : [];
  }
}

/** @param {Token[]} tokens @returns {DocumentFragment} */
export function nodes(tokens) {
  const root = document.createDocumentFragment();
  /** @type {ParentNode[]} */
  const open = [root];
  for (const token of tokens) {
    const here = open[open.length - 1];
    if (token.hidden) continue;
    if (token.nesting === 1) {
      const inner = opened(token);
      here.append(inner);
      open.push(inner);
    } else if (token.nesting === -1) {
      if (open.length > 1) open.pop();
    } else if (token.type === "inline") {
      here.append(nodes(token.children ?? []));
    } else {
      here.append(...leaf(token));
    }
  }
  return root;
}
