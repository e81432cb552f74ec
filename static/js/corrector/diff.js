/** What differs between two runs of tokens, by their ids: the shortest list of cuts and insertions (Myers 1986). */

/** @typedef {{kind: "same"|"del"|"ins", from: number, to: number}} Piece `from` and `to` count in the old run for same and del, in the new for ins */

const MOST_EDITS = 800;

/** @param {ArrayLike<number>} old @param {ArrayLike<number>} now @returns {Piece[]} */
export function diff(old, now) {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  /** @type {Piece[]} */
  const pieces = [];
  const add = (/** @type {Piece["kind"]} */ kind, /** @type {number} */ from, /** @type {number} */ to) => {
    const last = pieces.at(-1);
    if (to <= from) return;
    if (last && last.kind === kind && last.to === from) last.to = to;
    else pieces.push({ kind, from, to });
  };
  add("same", 0, head);
  for (const step of middle(old, now, head, old.length - tail, now.length - tail)) add(step.kind, step.from, step.to);
  add("same", old.length - tail, old.length);
  return pieces;
}

/** The same change told for a reader: what stayed by chance between two changes counts as changed.
 * @param {Piece[]} pieces @param {number} [shortest] run that counts as kept @returns {Piece[]} */
export function readable(pieces, shortest = 3) {
  const starts = pieces.reduce((sums, piece) => {
    const [o, n] = sums[sums.length - 1];
    const size = piece.to - piece.from;
    sums.push([o + (piece.kind === "ins" ? 0 : size), n + (piece.kind === "del" ? 0 : size)]);
    return sums;
  }, [[0, 0]]);
  /** @type {Piece[]} */
  const told = [];
  let from = -1;
  const close = (/** @type {number} */ upto) => {
    if (from < 0) return;
    const [[o, n], [oEnd, nEnd]] = [starts[from], starts[upto]];
    if (oEnd > o) told.push({ kind: "del", from: o, to: oEnd });
    if (nEnd > n) told.push({ kind: "ins", from: n, to: nEnd });
    from = -1;
  };
  pieces.forEach((piece, i) => {
    const outer = i === 0 || i === pieces.length - 1;
    const kept = piece.kind === "same" && (outer || piece.to - piece.from >= shortest);
    if (kept) {
      close(i);
      told.push(piece);
    } else if (from < 0) from = i;
  });
  close(pieces.length);
  return told;
}

/** @param {ArrayLike<number>} old @param {ArrayLike<number>} now @param {number} head @param {number} oldEnd @param {number} nowEnd @returns {Piece[]} */
function middle(old, now, head, oldEnd, nowEnd) {
  const n = oldEnd - head;
  const m = nowEnd - head;
  const whole = [{ kind: /** @type {const} */ ("del"), from: head, to: oldEnd }, { kind: /** @type {const} */ ("ins"), from: head, to: nowEnd }];
  const most = Math.min(n + m, MOST_EDITS);
  const at = new Map([[1, 0]]);
  /** @type {Map<number, number>[]} */
  const trace = [];
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(new Map(at));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && (at.get(k - 1) ?? -1) < (at.get(k + 1) ?? -1));
      let x = down ? at.get(k + 1) ?? 0 : (at.get(k - 1) ?? 0) + 1;
      while (x < n && x - k < m && old[head + x] === now[head + x - k]) x += 1;
      at.set(k, x);
      if (x >= n && x - k >= m) return back(trace, n, m, head);
    }
  }
  return whole;
}

/** @param {Map<number, number>[]} trace @param {number} n @param {number} m @param {number} head @returns {Piece[]} */
function back(trace, n, m, head) {
  /** @type {Piece[]} */
  const steps = [];
  let x = n;
  let y = m;
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const at = trace[edits];
    const k = x - y;
    const down = k === -edits || (k !== edits && (at.get(k - 1) ?? -1) < (at.get(k + 1) ?? -1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = at.get(fromK) ?? 0;
    const startX = down ? fromX : fromX + 1;
    if (x > startX) steps.push({ kind: "same", from: head + startX, to: head + x });
    steps.push(down ? { kind: "ins", from: head + fromX - fromK, to: head + fromX - fromK + 1 } : { kind: "del", from: head + fromX, to: head + fromX + 1 });
    x = fromX;
    y = fromX - fromK;
  }
  if (x > 0) steps.push({ kind: "same", from: head, to: head + x });
  return steps.reverse();
}
