// The replay of a game: positions come by htmx into #position; without this file links and forms do the same.
"use strict";
{
  const root = document.querySelector("[data-replay]");
  const last = Number(root.dataset.last);
  const at = () => root.querySelector("[data-at]");
  const slide = root.querySelector("#slide"), play = root.querySelector("[data-play]");
  const speed = root.querySelector("[data-speed]"), said = root.querySelector("#replay-said");
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const words = { play: play.textContent, pause: play.dataset.pauseWords };
  let wanted = Number(at().dataset.at), show = new URLSearchParams(at().dataset.query).get("mostra") || "";
  let playing = false, timer = 0, open = new Set(), left = 0;

  const query = (n) => "?" + new URLSearchParams(show ? { n, mostra: show } : { n });
  const go = (n) => {
    wanted = Math.min(Math.max(n, 0), last);
    slide.value = wanted;
    open = new Set([...root.querySelectorAll("details[id][open]")].map((one) => one.id));
    left = root.querySelector(".map-scroll").scrollLeft;
    htmx.ajax("GET", root.dataset.replay + query(wanted), { target: "#position", swap: "innerHTML" });
  };
  const stop = () => {
    playing = false, clearTimeout(timer), play.textContent = words.play, play.setAttribute("aria-pressed", "false");
  };
  const start = () => {
    playing = true, play.textContent = words.pause, play.setAttribute("aria-pressed", "true");
    go(wanted < last ? wanted + 1 : 0);
  };
  const arrived = () => {
    const { at: n, query: here, where } = at().dataset;
    history.replaceState(null, "", here);
    slide.value = n, slide.setAttribute("aria-valuetext", where);
    const tongues = document.querySelector(".tongues [name=next]");
    if (tongues) tongues.value = location.pathname + location.search;
    root.querySelectorAll(".replay-line [name=mostra], .replay-tools [name=mostra]").forEach((one) => one.remove());
    root.querySelectorAll("details[id]").forEach((one) => { one.open = open.has(one.id); });
    dress();
    if (!playing) said.textContent = `${where}. ${root.querySelector("#caption").textContent}`;
    if (playing && Number(n) < last) timer = setTimeout(() => go(wanted + 1), Number(speed.value));
    else if (playing) stop();
  };
  const dress = () => {
    const box = root.querySelector(".replay-entries"), here = box.querySelector(".here");
    if (here) box.scrollTop += here.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
    look();
    root.querySelector("[data-copy]").hidden = !navigator.clipboard;
  };

  // Where the map is wider than its box, what has changed comes into sight.
  const look = () => {
    const box = root.querySelector(".map-scroll"), frame = box.getBoundingClientRect();
    box.scrollLeft = left;
    const marks = [...box.querySelectorAll(".changed, .run")].map((one) => one.getBoundingClientRect());
    if (!marks.length || box.scrollWidth <= box.clientWidth) return;
    const from = Math.min(...marks.map((one) => one.left)), to = Math.max(...marks.map((one) => one.right));
    if (from < frame.left || to > frame.right) box.scrollLeft += (from + to) / 2 - (frame.left + frame.right) / 2;
  };

  play.hidden = speed.parentElement.hidden = root.querySelector(".replay-keys").hidden = false;
  root.querySelector("[data-plain]").hidden = true;
  play.setAttribute("aria-pressed", "false");
  speed.value = still ? "3000" : "1200";
  slide.setAttribute("aria-valuetext", at().dataset.where);
  left = (root.querySelector(".map-scroll").scrollWidth - root.querySelector(".map-scroll").clientWidth) / 2;
  dress();

  play.addEventListener("click", () => playing ? stop() : start());
  document.addEventListener("visibilitychange", () => document.hidden && stop());
  slide.addEventListener("input", () => { stop(); clearTimeout(timer); timer = setTimeout(() => go(Number(slide.value)), 60); });
  root.querySelector("[data-go]").addEventListener("submit", (event) => {
    event.preventDefault(), stop(), go(Number(event.target.elements.n.value));
  });
  root.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='?']");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      const asked = new URLSearchParams(link.getAttribute("href"));
      event.preventDefault(), stop(), show = asked.get("mostra") || "", go(Number(asked.get("n")));
    }
    const copy = event.target.closest("[data-copy]");
    if (copy) navigator.clipboard.writeText(location.href).then(() => { copy.textContent = copy.dataset.done; });
  });
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
    if (target.closest("input, select, textarea, button, summary, [tabindex='0']")) return;
    const to = { ArrowLeft: wanted - 1, ArrowRight: wanted + 1, Home: 0, End: last }[key];
    if (to !== undefined) event.preventDefault(), stop(), go(to);
    else if (key === " ") event.preventDefault(), playing ? stop() : start();
  });
  document.addEventListener("htmx:afterSwap", (event) => event.detail.target.id === "position" && arrived());
  document.addEventListener("htmx:sendError", stop);
  document.addEventListener("htmx:responseError", stop);
}
