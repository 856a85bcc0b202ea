// The counting sheet of a table: what is typed stays in this browser until the server has it.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const sheet = document.querySelector("form[data-keep]");
  if (!sheet) return;
  const key = sheet.dataset.keep; // table and version: once confirmed, an old sheet is never found
  const boxes = [...sheet.querySelectorAll("input[inputmode], input[name=reason]")];
  const show = (id, on) => { document.getElementById(id).hidden = !on; };
  const keep = () => {
    const typed = Object.fromEntries(boxes.map((box) => [box.name, box.value]));
    try { sessionStorage.setItem(key, JSON.stringify(typed)); } catch { /* this page only */ }
  };
  const kept = () => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } };
  const lost = (on) => { show("sheet-lost", on); sheet.classList.toggle("unsure", on); };

  // The page comes back after a log-in, a crash or the back button: put back what was typed.
  const before = sheet.dataset.bound ? null : kept();
  const changed = before ? boxes.filter((box) => box.name in before && box.value !== before[box.name]) : [];
  if (changed.length) {
    changed.forEach((box) => { box.value = before[box.name]; });
    show("sheet-kept", true);
    changed[0].dispatchEvent(new Event("input", { bubbles: true }));
  }
  if (sheet.dataset.bound) keep();
  sheet.addEventListener("input", keep);

  // The outcome beside the boxes is the server's: say so when the server does not answer.
  // (A request that a newer one replaces is no such silence.)
  for (const fault of ["htmx:sendError", "htmx:responseError", "htmx:timeout"])
    sheet.addEventListener(fault, () => lost(true));
  sheet.addEventListener("htmx:afterOnLoad", ({ detail: { xhr, requestConfig } }) =>
    lost(new URL(xhr.responseURL).pathname !== requestConfig.path.split("?")[0])); // sent to log in
  sheet.addEventListener("submit", (event) => {
    if (navigator.onLine) return;
    event.preventDefault();
    lost(true);
    sheet.setAttribute("data-changed", "");
  });
  addEventListener("online", () => sheet.dispatchEvent(new Event("input", { bubbles: true })));
});
