// A round's tables. On the draft: how many are picked, and which buttons that allows; on the sheets: to print. Without
// this script all the buttons of the draft work, and the browser prints.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("[data-print]").forEach((button) => { button.hidden = false; button.onclick = () => print(); });
  const form = document.querySelector(".seating-form"), said = document.querySelector("[data-picked]");
  if (!form || !said) return;
  const words = said.dataset.picked;
  const count = () => {
    const picked = form.querySelectorAll("input[name=seat]:checked").length;
    said.textContent = picked ? words.replace("{}", picked) : "";
    form.querySelectorAll("[data-needs]").forEach((button) => {
      button.disabled = button.dataset.needs === "2" ? picked !== 2 : picked < 1;
    });
  };
  said.setAttribute("role", "status");
  form.addEventListener("change", count);
  addEventListener("pageshow", count); // the browser may bring ticks back
  // S swaps what is picked, from wherever the focus is but a box of text; Escape lets go.
  form.addEventListener("keydown", (event) => {
    if (event.target.matches("[name=reason], select") || event.altKey || event.ctrlKey || event.metaKey) return;
    const swap = form.querySelector("[value=swap]");
    if (event.key.toLowerCase() === "s" && !swap.disabled) event.preventDefault(), swap.click();
    if (event.key === "Escape") form.querySelectorAll("input[name=seat]:checked").forEach((box) => { box.checked = false; }), count();
  });
});
