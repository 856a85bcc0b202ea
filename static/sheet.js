// The counting sheet of a table: what is typed stays in this browser until the server has it.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const sheet = document.querySelector("form[data-keep]");
  if (!sheet) return;
  const key = sheet.dataset.keep; // who, table, version, boxes: once confirmed, an old sheet is never found
  const boxes = [...sheet.querySelectorAll("input[inputmode], select, input[name=reason]")];
  const show = (id, on) => { document.getElementById(id).hidden = !on; };
  const keep = () => {
    const typed = Object.fromEntries(boxes.map((box) => [box.name, box.value]));
    try { localStorage.setItem(key, JSON.stringify({ at: Date.now(), typed })); } catch { /* this page only */ }
  };
  const read = (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } };
  const forget = (name) => { try { localStorage.removeItem(name); } catch { /* nothing is kept */ } };
  const lost = (on) => { show("sheet-lost", on); sheet.classList.toggle("unsure", on); };

  // Another day nobody looks for it.
  try {
    Object.keys(localStorage)
      .filter((name) => name.startsWith("sheet-") && !(Date.now() - read(name)?.at < 2 * 86400000))
      .forEach(forget);
  } catch { /* nothing is kept */ }

  // The page comes back after a log-in, a crash or in another tab: put back what was typed.
  const before = sheet.dataset.bound ? null : read(key)?.typed;
  const changed = before ? boxes.filter((box) => box.name in before && box.value !== before[box.name]) : [];
  if (changed.length) {
    changed.forEach((box) => { box.value = before[box.name]; });
    show("sheet-kept", true);
    changed[0].dispatchEvent(new Event("input", { bubbles: true }));
  }
  if (sheet.dataset.bound) keep();
  sheet.addEventListener("input", keep);
  document.querySelectorAll("a[data-forget]").forEach((link) => link.addEventListener("click", () => {
    forget(key);
    sheet.removeAttribute("data-changed");
  }));

  // The outcome beside the boxes is the server's: say so when the server does not answer.
  // (A request that a newer one replaces is no such silence.)
  for (const fault of ["htmx:sendError", "htmx:responseError", "htmx:timeout"])
    sheet.addEventListener(fault, () => lost(true));
  sheet.addEventListener("htmx:afterOnLoad", ({ detail: { xhr, requestConfig } }) => {
    lost(xhr.status >= 400 || new URL(xhr.responseURL).pathname !== requestConfig.path.split("?")[0]); // sent to log in
    const wrong = [...sheet.querySelectorAll("[data-wrong]")].flatMap((said) => said.dataset.wrong.split(" "));
    for (const box of boxes.filter((box) => box.name !== "reason")) {
      if (wrong.includes(box.name)) box.setAttribute("aria-invalid", "true");
      else box.removeAttribute("aria-invalid");
    }
  });
  // A tie is ticked while an answer is on its way, which does not know of it yet.
  // Who typed on and is at the button already is led back to it.
  sheet.addEventListener("htmx:oobBeforeSwap", ({ detail: { fragment } }) => {
    const [there, coming] = [sheet, fragment].map((part) => part.querySelector("[name=tie_checked]"));
    if (there && coming) coming.checked = there.checked;
    const passed = coming && !there && document.activeElement.matches("form[data-keep] [type=submit]");
    if (passed) sheet.addEventListener("htmx:afterOnLoad", () => sheet.querySelector("[name=tie_checked]")?.focus(), { once: true });
  });
  sheet.addEventListener("submit", (event) => {
    if (navigator.onLine) return;
    event.preventDefault();
    lost(true);
    sheet.setAttribute("data-changed", "");
  });
  addEventListener("online", () => sheet.dispatchEvent(new Event("input", { bubbles: true })));
});
