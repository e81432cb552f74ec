/** Measured inside the corrector's page; `tests/bench/long.py` asks for one of these by name. */
(() => {
  const folder = new URL(".", document.querySelector('script[src*="corrector/main"]').src);
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve(performance.now());
    channel.port2.postMessage(0);
  }));
  const middle = (values) => values.slice().sort((a, b) => a - b)[values.length >> 1];

  /** The page's own pane, taken when it draws next. */
  async function pane() {
    if (window.benchPane) return window.benchPane;
    const { Pane } = await import(`${folder}pane.js`);
    const { flush } = Pane.prototype;
    Pane.prototype.flush = function taken() {
      window.benchPane = this;
      return flush.call(this);
    };
    document.querySelector("[data-pane]").dispatchEvent(new KeyboardEvent("keydown", { key: "End", code: "End", bubbles: true }));
    await painted();
    Pane.prototype.flush = flush;
    return window.benchPane;
  }

  /** Milliseconds from each key to the frame that shows it, as they come. */
  function watchKeys() {
    window.keyTimes = [];
    addEventListener("keydown", (event) => {
      const pressed = event.timeStamp;
      painted().then((now) => window.keyTimes.push(now - pressed));
    }, true);
  }

  /** Milliseconds of one frame that appends 16 tokens: script, style, layout. */
  async function append(rounds) {
    const one = await pane();
    const { path, scroller } = one;
    one.toEnd();
    await painted();
    const rows = path.rows.slice(-64, -48);
    const last = path.pieces.at(-1).segment;
    const times = [];
    for (let i = 0; i < rounds; i += 1) {
      const begun = performance.now();
      path.append(rows, last, 1);
      one.grew();
      one.flush();
      scroller.getBoundingClientRect();
      void scroller.scrollHeight;
      times.push(performance.now() - begun);
      await painted();
    }
    return times;
  }

  /** Show an answer of `length` tokens, each 25th a newline if that is wanted. */
  async function fill(length, newlines) {
    const { Path } = await import(`${folder}path.js`);
    const one = await pane();
    const words = one.path.rows.filter((row) => /^ ?[a-z]+$/.test(row[1])).slice(0, 500);
    const path = new Path();
    path.append([[0, "", null]], "given", 0);
    path.append(Array.from({ length }, (_, i) => (newlines && i % 25 === 24 ? [10, "\n", -0.1] : words[i % words.length])), "line", 1);
    one.mark(null);
    one.show(path, 1, 0);
    one.flush();
  }

  /** The same at the end of one line of `length` tokens without a newline. */
  async function line(length, rounds) {
    await fill(length, false);
    await painted();
    return append(rounds);
  }

  /** Milliseconds to the first frame of the whole answer, and of its text as one text node. */
  async function first(rounds) {
    const one = await pane();
    const { path, blocks, scroller } = one;
    const low = blocks.low;
    const text = path.text(low);
    const ours = [];
    const plain = [];
    for (let i = 0; i < rounds; i += 1) {
      one.mark(null);
      blocks.cut(path, low, low);
      blocks.root.replaceChildren();
      await painted();
      let begun = performance.now();
      one.follow = true;
      one.grew();
      one.flush();
      ours.push((await painted()) - begun);
      await painted();
      blocks.cut(path, low, low);
      blocks.root.replaceChildren();
      await painted();
      begun = performance.now();
      const node = document.createElement("div");
      node.textContent = text;
      blocks.root.append(node);
      scroller.scrollTop = scroller.scrollHeight;
      plain.push((await painted()) - begun);
      node.remove();
    }
    one.grew();
    one.flush();
    return { ours: middle(ours), plain: middle(plain) };
  }

  window.bench = { pane, watchKeys, append, fill, line, first };
})();
