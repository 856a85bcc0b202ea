// The roll call: one tick is one small request; a row says so as long as the server does not have it.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const roll = document.getElementById("roll");
  if (!roll) return;
  const show = (id, on) => { const part = document.getElementById(id); if (part) part.hidden = !on; };
  const unsaved = new Set();
  const mark = (row, on) => {
    row.classList.toggle("unsaved", on);
    if (on) {
      const word = document.createElement("span");
      word.className = "signal caution";
      word.textContent = roll.dataset.unsavedWords;
      row.querySelector(".roll-state").replaceChildren(word);
      unsaved.add(row);
    } else unsaved.delete(row);
    show("roll-lost", unsaved.size > 0);
    show("roll-save", unsaved.size > 0); // else there is nothing to save by hand
    roll.toggleAttribute("data-unsaved", unsaved.size > 0); // figf.js asks before the page is left
  };
  show("roll-save", false);

  // Here or absent, not both; before htmx reads the boxes.
  roll.addEventListener("change", ({ target }) => {
    const other = target.checked && target.dataset.not && roll.elements[target.dataset.not];
    if (other) other.checked = false;
  }, true);

  const lost = ({ target }) => target.matches(".roll-row") && mark(target, true);
  for (const fault of ["htmx:sendError", "htmx:timeout"]) roll.addEventListener(fault, lost);
  roll.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, target, requestConfig } = event.detail;
    if (!target.matches(".roll-row")) return;
    const out = new URL(xhr.responseURL).pathname !== requestConfig.path.split("?")[0]; // sent to log in
    if (out) event.detail.shouldSwap = false;
    show("roll-out", out);
    mark(target, out || (xhr.status >= 400 && xhr.status !== 422));
    if (!target.classList.contains("unsaved")) again(); // the server is there: now the others
  });
  const again = () => unsaved.forEach((row) => htmx.trigger(row, "change"));
  // Who logs in again in another tab has a new token there, and the old one on this page.
  roll.addEventListener("htmx:configRequest", ({ detail }) => {
    const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
    if (token) detail.headers["X-CSRFToken"] = token[1];
  });
  setInterval(again, 10000);
  addEventListener("online", again);

  // The filter of the server, at once and without leaving the page.
  const box = document.getElementById("id_q");
  const letters = (text) => text.normalize("NFKD").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  box.addEventListener("input", () => {
    const wanted = letters(box.value);
    roll.querySelectorAll(".roll-row").forEach((row) => { row.hidden = !letters(row.dataset.key).includes(wanted); });
    show("roll-everybody", wanted === ""); // they would be more than those in sight
  });
});
