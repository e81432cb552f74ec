/** What every page does: the theme, the language, times in words, the state of the parts behind it. */

import { gettext as _, fill } from "./text.js";
import { watchStatus } from "./status.js";

const YEAR_S = 31_536_000;

/** @returns {"light"|"dark"} */
function themeNow() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// Where "today" begins is counted on the server.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone) document.cookie = `timezone=${zone}; path=/; max-age=${YEAR_S}; samesite=lax`;

for (const button of document.querySelectorAll("[data-theme-switch]")) {
  button.addEventListener("click", () => {
    const theme = themeNow() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    document.cookie = `theme=${theme}; path=/; max-age=${YEAR_S}; samesite=lax`;
  });
}

for (const form of document.querySelectorAll("form[data-auto-submit]")) {
  form.addEventListener("change", () => /** @type {HTMLFormElement} */ (form).requestSubmit());
}

for (const form of document.querySelectorAll("form[data-upload]")) {
  form.addEventListener("submit", () => {
    const button = /** @type {HTMLButtonElement|null} */ (form.querySelector("button"));
    if (button) {
      button.disabled = true;
      button.textContent = _("Uploading");
    }
  });
}

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(/** @type {Node} */ (event.target))) menu.removeAttribute("open");
  }
});
document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === 229 || event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.removeAttribute("open");
  /** @type {HTMLElement|null} */ (menu.querySelector("summary"))?.focus();
});

const STEPS = /** @type {[number, Intl.RelativeTimeFormatUnit][]} */ ([[60, "second"], [60, "minute"], [24, "hour"], [30, "day"], [12, "month"], [Infinity, "year"]]);
const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });

/** @param {Date} at @returns {string} */
function ago(at) {
  let value = (at.getTime() - Date.now()) / 1000;
  for (const [size, unit] of STEPS) {
    if (Math.abs(value) < size) return relative.format(Math.round(value), unit);
    value /= size;
  }
  return "";
}

/** Times of the page in words, with the reader's own full time on hover. @param {ParentNode} root */
function times(root) {
  for (const time of root.querySelectorAll("time[data-ago]")) {
    const at = new Date(/** @type {HTMLTimeElement} */ (time).dateTime);
    time.textContent = ago(at);
    time.setAttribute("title", at.toLocaleString());
  }
}

times(document);
document.addEventListener("htmx:load", (event) => times(/** @type {HTMLElement} */ (event.target).parentElement ?? document));
setInterval(() => times(document), 60_000);

const place = /** @type {HTMLElement|null} */ (document.querySelector("[data-status]"));
const url = document.body.dataset.statusUrl;
if (place && url) watchStatus(place, url, { _, fill });
