/* In the page that is measured: when the list opened, when a key chose, and in which frame the first new token stood. */
(() => {
  /** @type {{opened: number, last: any, seen: number|null}} `seen`: when the first look-ahead stood there, after the list was asked for */
  const bench = { opened: 0, last: null, seen: null };
  Object.assign(window, { bench });
  const tokens = () => document.querySelectorAll("[data-testid=text] .t").length;

  addEventListener("keydown", (event) => {
    const mode = document.querySelector("[data-desk]").dataset.mode;
    if (event.key === "Enter" && mode === "locate") {
      bench.opened = event.timeStamp;
      bench.seen = null;
    } else if (/^[1-9]$/.test(event.key) && mode === "pick") {
      const all = [...document.querySelectorAll("[data-testid=text] .t")];
      const at = all.findIndex((token) => token.classList.contains("at"));
      // Before the page's own handler: of each frame this comes first, and sees what the frame before it painted.
      requestAnimationFrame(() => watch({ at, pressed: event.timeStamp, dwell: event.timeStamp - bench.opened }, 0));
    }
  }, true);

  const watch = (pick, frames) => requestAnimationFrame(() => {
    if (tokens() > pick.at + 1) {
      const waited = performance.now() - pick.pressed;
      performance.measure("pick", { start: pick.pressed, end: pick.pressed + waited });
      bench.last = { dwell: pick.dwell, frames: frames + 1, waited, seen: bench.seen };
    } else {
      watch(pick, frames + 1);
    }
  });

  const look = () => {
    if (bench.opened && bench.seen === null && [...document.querySelectorAll(".after")].some((place) => place.textContent)) {
      bench.seen = performance.now() - bench.opened;
    }
    requestAnimationFrame(look);
  };
  look();

  /** The keys of the leading candidates, once the list has been open for `dwell` ms. */
  bench.leading = async (dwell) => {
    const keys = () => [...document.querySelectorAll(".cand:has(.after) kbd")].map((key) => key.textContent).filter((key) => key !== "·");
    for (let frames = 0; !keys().length; frames += 1) {
      if (frames > 1000) throw new Error(`no list with look-ahead in mode ${document.querySelector("[data-desk]").dataset.mode}`);
      await new Promise(requestAnimationFrame);
    }
    await new Promise((resolve) => setTimeout(resolve, bench.opened + dwell - performance.now()));
    return keys();
  };
})();
