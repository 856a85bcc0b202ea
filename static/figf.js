// Loaded in <head> without defer, so that the theme is there before the first paint. See base.html.
"use strict";
{
  const root = document.documentElement;
  const dress = (theme) => theme ? root.setAttribute("data-bs-theme", theme) : root.removeAttribute("data-bs-theme");
  const keep = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* this page only */ } };
  const stored = () => { try { return localStorage.getItem("theme") || ""; } catch { return ""; } };
  dress(stored());
  // <time data-countdown datetime="…"> gains a neighbour: "in 1 d 3 h", "20 min late". Words: data-… of <html>.
  const word = (minutes) => {
    const days = Math.floor(minutes / 1440), hours = Math.floor(minutes / 60) % 24, parts = [];
    if (days) parts.push(`${days} ${root.dataset.day}`);
    if (hours) parts.push(`${hours} ${root.dataset.hour}`);
    if (!days && (minutes % 60 || !hours)) parts.push(`${minutes % 60} ${root.dataset.minute}`);
    return parts.join(" ");
  };
  const tick = () => document.querySelectorAll("time[data-countdown]").forEach((time) => {
    const left = (new Date(time.dateTime) - Date.now()) / 60000;
    if (Number.isNaN(left)) return;
    if (!time.nextElementSibling?.matches(".countdown")) time.after(document.createElement("span"));
    const span = time.nextElementSibling;
    span.className = left < 0 ? "countdown late" : "countdown";
    const text = (left < 0 ? root.dataset.late : root.dataset.left).replace("{}", word(Math.abs(Math.ceil(left))));
    if (span.textContent !== text) span.textContent = text;
  });
  setInterval(tick, 30000);
  document.addEventListener("htmx:afterSwap", tick);
  document.addEventListener("DOMContentLoaded", () => {
    tick();
    document.querySelectorAll("select[data-theme]").forEach((select) => {
      select.closest("[hidden]").hidden = false;
      select.value = stored();
      select.onchange = () => { dress(select.value); keep(select.value); };
    });
  });

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key !== "Enter" || event.isComposing || !target.matches("[data-enter-next] :is(input:not([type=submit]), select)")) return;
    event.preventDefault();
    const stops = [...target.form.querySelectorAll("input:not([type=hidden], [type=submit], :disabled, [readonly]), select")];
    const next = stops[stops.indexOf(target) + 1] || target.form.querySelector("[type=submit], button:not([type])");
    next.focus(), next.select?.();
  });

  // A form that the server gives back with errors is still unsaved: it may render data-changed itself.
  document.addEventListener("input", (event) => event.target.form?.toggleAttribute("data-changed", true));
  document.addEventListener("submit", (event) => event.target.removeAttribute("data-changed"));
  addEventListener("beforeunload", (event) => document.querySelector("form[data-unsaved][data-changed]") && event.preventDefault());
}
