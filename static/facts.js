// A page of several small forms: what is typed stays in this tab until the server has it.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const forms = [...document.querySelectorAll("form[data-keeps]")];
  const boxes = (form) => [...form.querySelectorAll("input:not([type=hidden]), select")];
  const asShown = (box) => box.tagName === "SELECT" ? [...box.options].find((o) => o.defaultSelected)?.value ?? "" : box.defaultValue;
  // A form is known by what it would change: once that is otherwise, what was typed for it is not found.
  const key = (form) => `${location.pathname}?${[...form.querySelectorAll("[type=hidden]:not([name=csrfmiddlewaretoken])")].map((box) => `${box.name}=${box.value}`).join("&")}`;
  const last = `${location.pathname}#sent`;
  let store;
  try { store = sessionStorage; } catch { return; }
  const write = (name, value) => { try { store.setItem(name, value); } catch { /* this page only */ } };

  // The server took it: forget it. Otherwise the page comes back after a log-in, a search or a crash.
  if (document.querySelector(".messages .alert-success") && !document.querySelector(".refusal")) store.removeItem(store.getItem(last));
  store.removeItem(last);
  for (const form of forms) {
    const kept = JSON.parse(store.getItem(key(form)) || "{}");
    const changed = boxes(form).filter((box) => box.name in kept && kept[box.name] !== box.value);
    changed.forEach((box) => { box.value = kept[box.name]; });
    if (!changed.some((box) => box.value === kept[box.name])) continue;
    form.toggleAttribute("data-changed", true);
    form.closest("details")?.setAttribute("open", "");
    document.getElementById("facts-back").hidden = false;
  }

  document.addEventListener("input", ({ target: { form } }) => {
    if (!forms.includes(form)) return;
    if (boxes(form).every((box) => box.value === asShown(box))) store.removeItem(key(form));
    else write(key(form), JSON.stringify(Object.fromEntries(boxes(form).map((box) => [box.name, box.value]))));
  });
  document.addEventListener("submit", (event) => {
    if (!navigator.onLine && event.target.closest("main")) {
      const lost = document.getElementById("facts-lost");
      event.preventDefault();
      event.target.append(lost);
      lost.hidden = false;
      if (forms.includes(event.target)) event.target.toggleAttribute("data-changed", true);
      return;
    }
    forms.forEach((form) => form.removeAttribute("data-changed")); // all are kept: no reason to hold anybody back
    if (forms.includes(event.target)) write(last, key(event.target));
  });
});
