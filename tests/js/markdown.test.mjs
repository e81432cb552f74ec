import assert from "node:assert/strict";
import { test } from "node:test";
import { MarkdownStream, parser } from "../../static/js/corrector/markdown.js";

const TEXT = `# Title

A *first* paragraph with \`code\` and a [link](https://example.org).
Its second line.

- one
- two

  still two
1. three

| a | b |
|---|---|
| 1 | 2 |

\`\`\`python
def f():

    return "\`\`"
\`\`\`

Setext
===

> quoted
lazy

    indented

    more

~~~
# no heading
~~~
***
The [last][1] one.

[1]: https://example.org/1
`;

/** What a stream came to: its tokens, settled and tail, as types and contents. @param {any[]} tokens */
const flat = (tokens) => tokens.map((token) => `${token.type}:${token.tag}:${token.content}`);

/** @param {string} text @param {number} size of a chunk */
function streamed(text, size) {
  const stream = new MarkdownStream();
  /** @type {any[]} */
  let tail = [];
  const take = (/** @type {any} */ change) => (tail = change.tail ?? tail);
  for (let at = 0; at < text.length; at += size) take(stream.append(text.slice(at, at + size)));
  take(stream.append("\n", true));
  return { stream, tokens: [...stream.settled.flatMap((one) => one.tokens), ...tail] };
}

test("any cut into chunks comes to what the whole text comes to", () => {
  const whole = flat(parser().parse(`${TEXT.replace("[1]: https://example.org/1\n", "")}\n`, {}));
  for (const size of [1, 2, 3, 7, 50, 1000]) {
    assert.deepEqual(flat(streamed(TEXT.replace("[1]: https://example.org/1\n", ""), size).tokens), whole, `chunks of ${size}`);
  }
});

test("a reference that was defined before resolves later", () => {
  const { tokens } = streamed("[1]: https://example.org/1\n\nfirst\n\nsee [there][1]\n", 5);
  assert.ok(tokens.some((token) => token.children?.some((/** @type {any} */ child) => child.attrGet("href") === "https://example.org/1")));
});

test("half a definition defines nothing", () => {
  const { tokens } = streamed("see [there][1]\n\n[1]: https://example.org/one-and-two\n\nand [there][1]\n", 1);
  const hrefs = tokens.flatMap((token) => token.children ?? []).map((/** @type {any} */ child) => child.attrGet?.("href")).filter(Boolean);
  assert.deepEqual(hrefs, ["https://example.org/one-and-two"]);
});

/** 50 characters a chunk, eight fences opened and closed on the way. @param {number} chunks @param {string} filler */
function complaint(chunks, filler) {
  const text = [];
  for (let i = 0; i < chunks; i += 1) text.push(i % (chunks / 16) === 0 ? `\n\`\`\`${filler.repeat(50).slice(0, 45)}\n` : filler.repeat(50).slice(0, 50));
  return text;
}

for (const [name, filler] of [["words", "lorem ipsum "], ["lines", "a line of text\n"], ["paragraphs", "some words here\n\n"], ["one word", "x"], ["list", "- item\n"], ["stars", "*a **b "]]) {
  test(`twice the length is at most 2.3 times the work: ${name}`, () => {
    const work = [2000, 4000].map((chunks) => {
      const stream = new MarkdownStream();
      for (const chunk of complaint(chunks, filler)) stream.append(chunk);
      stream.append("", true);
      return stream.work.characters;
    });
    assert.ok(work[1] <= 2.3 * work[0], `${work}`);
    assert.ok(work[0] <= 30 * 100_000, `${work}`);
  });
}

test("a cut leaves what stands before it, and the rest is parsed anew", () => {
  const { stream } = streamed(TEXT, 50);
  const blocks = stream.settled.length;
  const stay = stream.cut(60);
  assert.ok(stay >= 1 && stay < blocks);
  assert.equal(stream.source, TEXT.slice(0, 60));
  stream.source = stream.source.slice(0, stream.start);
  const change = stream.append(TEXT.slice(stream.start, 60), true);
  assert.ok(change.tail);
});

test("no HTML is known, and no address becomes a link by itself", () => {
  const tokens = parser().parse("<b>x</b> https://example.org <script>alert(1)</script>\n\n<style>*{display:none}</style>", {});
  const types = tokens.flatMap((/** @type {any} */ token) => [token, ...(token.children ?? [])]).map((/** @type {any} */ token) => token.type);
  assert.ok(!types.includes("html_inline") && !types.includes("html_block") && !types.includes("link_open"));
});
