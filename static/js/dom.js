/** Small helpers around elements. */

/**
 * @param {string} selector @param {ParentNode} [root] @returns {HTMLElement}
 */
export function find(selector, root = document) {
  const element = root.querySelector(selector);
  if (!element) throw new Error(`The page has no ${selector}`);
  return /** @type {HTMLElement} */ (element);
}

/**
 * @param {string} tag @param {Record<string, unknown>} [attributes] `class`, `text`, `on<event>`, anything else an attribute
 * @param {...(Node|string|null)} children @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = String(value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {any} */ (value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** @param {string} id @returns {any} the data that the template left in a json_script element */
export function pageData(id) {
  return JSON.parse(find(`#${id}`).textContent ?? "null");
}

/** @param {string} name @returns {string} */
export function cookie(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

/** Run `work` once, `wait` ms after the last call. @param {(...args: any[]) => void} work @param {number} wait */
export function debounce(work, wait) {
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  return (/** @type {any[]} */ ...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), wait);
  };
}

/** Run `work` at most once in `wait` ms, with the last call never lost. @param {() => void} work @param {number} wait */
export function throttle(work, wait) {
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      work();
    }, wait);
  };
}
