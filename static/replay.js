// The replay of a game: positions come by htmx into #position; without this file links and forms do the same.
"use strict";
{
  const root = document.querySelector("[data-replay]");
  const last = Number(root.dataset.last);
  const at = () => root.querySelector("[data-at]");
  const slide = root.querySelector("#slide"), play = root.querySelector("[data-play]"), rounds = root.querySelector("#go-to");
  const speed = root.querySelector("[data-speed]"), said = root.querySelector("#replay-said"), fault = root.querySelector("#replay-fault");
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const words = { play: play.textContent, pause: play.dataset.pauseWords };
  const read = (query) => {
    const asked = new URLSearchParams(query);
    return { n: Number(asked.get("n")), show: asked.get("mostra") || "", tried: asked.getAll("treno") };
  };
  const written = ({ n, show, tried }) =>
    "?" + new URLSearchParams([["n", n], ...(show ? [["mostra", show]] : []), ...tried.map((one) => ["treno", one])]);
  const shown = () => read(at().dataset.query);
  const same = (one, other) => written(one) === written(other);
  // `wanted` is where the reader is going; one request at a time leads there, and `steps` are those still to take.
  let wanted = shown(), sent = wanted, flying = false, jump = false, from = null, steps = [];
  let playing = false, timer = 0, open = new Set(), left = 0;

  const go = (n, { show = wanted.show, tried = [], far = false } = {}) => {
    clearTimeout(timer);
    wanted = { n: Math.min(Math.max(n, 0), last), show, tried };
    jump ||= far && !same(wanted, shown());
    slide.value = wanted.n;
    if (!flying && !same(wanted, shown())) send();
  };
  const send = () => {
    flying = true, sent = wanted;
    open = new Set([...root.querySelectorAll("#position details[open]")].map(called));
    left = root.querySelector(".map-scroll").scrollLeft;
    htmx.ajax("GET", root.dataset.replay + written(wanted), { target: "#position", swap: "innerHTML" })
      .catch(() => {}); // what failed is said by its event
  };
  const singles = { "go-before": -1, "go-after": 1 };
  const called = (one) => one.id || one.className;
  // Single steps are added up while a request is under way; the others wait for what it brings.
  const take = () => {
    while (steps.length && (!flying || singles[steps[0]])) {
      const id = steps.shift(), link = root.querySelector(`#${id}[href]`);
      if (singles[id]) go(wanted.n + singles[id]);
      else if (link) go(read(link.getAttribute("href")).n, { far: /first|last/.test(id) });
    }
  };
  const fail = (why) => {
    leave(), flying = jump = false, wanted = shown(), slide.value = wanted.n;
    history.replaceState(null, "", at().dataset.query);
    fault.textContent = "", fault.textContent = fault.dataset[why];
  };
  const stop = () => {
    playing = false, clearTimeout(timer), play.textContent = words.play, play.setAttribute("aria-pressed", "false");
  };
  const leave = () => { stop(), steps = []; };
  const start = () => {
    playing = true, play.textContent = words.pause, play.setAttribute("aria-pressed", "true");
    go(wanted.n < last ? wanted.n + 1 : 0);
  };
  const arrived = () => {
    const { at: n, query: here, where, steps: ways } = at().dataset;
    flying = false, fault.textContent = "";
    if (jump) history.pushState(null, "", here);
    else history.replaceState(null, "", here);
    jump = false;
    slide.setAttribute("aria-valuetext", where);
    const tongues = document.querySelector(".tongues [name=next]");
    if (tongues) tongues.value = location.pathname + location.search;
    root.querySelectorAll(".replay-line [name=mostra], .replay-tools [name=mostra]").forEach((one) => one.remove());
    root.querySelectorAll("#position details").forEach((one) => { one.open = open.has(called(one)); });
    ways.trim().split(" ").forEach((way) => lead(...way.split(/=(.*)/)));
    root.querySelector(".replay-here b").textContent = n;
    root.querySelector(".replay-here span").textContent = root.querySelector("#caption").textContent;
    if (rounds !== document.activeElement)
      rounds.value = [...rounds.firstElementChild.children].findLast((one) => Number(one.value) <= n).value;
    dress();
    if (!same(wanted, sent)) return send();
    wanted = shown(), slide.value = n;
    take();
    if (flying) return;
    if (!playing) said.textContent = `${where}. ${root.querySelector("#caption").textContent}`;
    if (playing && Number(n) < last) timer = setTimeout(() => go(wanted.n + 1), Number(speed.value));
    else if (playing) stop();
  };
  // A step that leads nowhere stays in its place: no click falls beside it, and the focus is kept.
  const lead = (id, query) => {
    const link = root.querySelector(`#${id}`);
    link.classList.toggle("disabled", !query), link.toggleAttribute("tabindex", false);
    if (query) return link.href = query, link.removeAttribute("role"), link.removeAttribute("aria-disabled");
    link.tabIndex = -1, link.removeAttribute("href"), link.setAttribute("role", "link"), link.setAttribute("aria-disabled", "true");
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
  slide.addEventListener("input", () => {
    const n = Number(slide.value);
    from ??= wanted.n;
    const far = from >= 0 && Math.abs(n - from) > 1;
    leave(), go(n, { far });
    if (far) from = -1; // what is dragged further is the same jump
  });
  slide.addEventListener("change", () => { from = null; });
  root.querySelectorAll("[data-go]").forEach((form) => form.addEventListener("submit", (event) => {
    event.preventDefault(), leave(), go(Number(form.elements.n.value), { far: true });
  }));
  addEventListener("popstate", () => {
    const asked = read(location.search);
    if (same(asked, wanted)) return;
    leave(), jump = false, go(asked.n, asked);
  });
  root.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (link && plain && link.closest(".replay-steps")) event.preventDefault(), stop(), steps.push(link.id), take();
    else if (link && plain && link.matches("[href^='?']")) {
      const asked = read(link.getAttribute("href")), inside = link.closest("#position");
      event.preventDefault(), leave(), go(asked.n, { show: inside ? asked.show : wanted.show, far: true });
    }
    const copy = event.target.closest("[data-copy]");
    if (copy) navigator.clipboard.writeText(location.href).then(() => { copy.textContent = copy.dataset.done; });
  });
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
    if (target.closest("input, select, textarea, button, summary, [tabindex='0']")) return;
    const to = { ArrowLeft: wanted.n - 1, ArrowRight: wanted.n + 1, Home: 0, End: last }[key];
    if (to !== undefined) event.preventDefault(), leave(), go(to, { far: key === "Home" || key === "End" });
    else if (key === " ") event.preventDefault(), playing ? stop() : start();
  });
  document.addEventListener("htmx:afterSwap", (event) => event.detail.target.id === "position" && arrived());
  document.addEventListener("htmx:sendError", () => fail("offline"));
  document.addEventListener("htmx:timeout", () => fail("broken"));
  document.addEventListener("htmx:responseError", (event) => fail(event.detail.xhr.status === 404 ? "gone" : "broken"));
}
