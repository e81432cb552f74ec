/** The surprise strip of the foot line: how unlikely each token was to the model, the whole answer in one glance. */

const CAP_BITS = 8;

/** Highest surprise in bits of each of `columns` equal parts. @param {import("./path.js").Path} path @param {number} low
 * @param {number} columns @returns {number[]} 0..CAP_BITS */
export function surprise(path, low, columns) {
  const count = path.length - low;
  const highest = new Array(Math.min(columns, Math.max(count, 0))).fill(0);
  for (let i = 0; i < count; i += 1) {
    const logprob = path.rows[low + i][2];
    if (logprob === null || logprob === undefined) continue;
    const column = Math.floor((i * highest.length) / count);
    highest[column] = Math.max(highest[column], Math.min(CAP_BITS, -logprob / Math.LN2));
  }
  return highest;
}

/** @param {HTMLCanvasElement} canvas @param {import("./path.js").Path} path @param {number} low @param {number|null} cursor */
export function drawSurprise(canvas, path, low, cursor) {
  const pen = canvas.getContext("2d");
  if (!pen || canvas.hidden) return;
  const style = getComputedStyle(canvas);
  const { width, height } = canvas;
  pen.clearRect(0, 0, width, height);
  const bits = surprise(path, low, width / 3);
  const step = width / Math.max(bits.length, 1);
  pen.strokeStyle = style.getPropertyValue("--heat-1");
  pen.lineWidth = 2;
  pen.beginPath();
  bits.forEach((value, i) => pen.lineTo((i + 0.5) * step, height - 3 - (value / CAP_BITS) * (height - 6)));
  pen.stroke();
  if (cursor === null || path.length <= low) return;
  pen.fillStyle = style.getPropertyValue("--pencil");
  pen.fillRect(((cursor - low + 0.5) / (path.length - low)) * width - 1, 0, 2, height);
}
