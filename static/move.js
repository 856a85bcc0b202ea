// The move form: its preview follows what is typed; without this file the Preview button does it.
"use strict";
(() => {
  for (const plain of document.querySelectorAll(".move-form [data-plain]")) plain.hidden = true;
})();

// The stock round and the auction: an amount follows from what is chosen, and may then be corrected by hand.
(() => {
  const form = document.getElementById("move-form");
  if (!form) return;
  const field = (name) => form.elements[name];
  const price = (name) => Number(field(name)?.selectedOptions[0]?.dataset.price || 0);
  const fill = (name, amount) => { if (field(name)) field(name).value = amount || ""; };
  const par = form.querySelector("[data-par]");
  const president = () => form.querySelector("[name=buy]:checked")?.value.endsWith(":par");
  const ask = () => {
    if (!par) return;
    par.hidden = !president();
    if (par.hidden) fill("buy_par");
  };
  ask();
  form.addEventListener("change", ({ target: { name = "" } }) => {
    const sale = /^(sale\d)_(corporation|number)$/.exec(name)?.[1];
    if (sale) fill(`${sale}_amount`, price(`${sale}_corporation`) * field(`${sale}_number`).value);
    if (!/^buy(_par|_number)?$/.test(name)) return;
    ask();
    const each = Number(form.querySelector("[name=buy]:checked")?.dataset.price || 0);
    fill("buy_amount", president() ? price("buy_par") : each * (field("buy_number")?.value || 1));
  });
  form.addEventListener("input", ({ target: { dataset: { picks } } }) => {
    if (picks) document.getElementById(picks).checked = true;
  });
})();

// The operating turn: what depends on the fields before it comes with each preview, and takes the place of what is there
// piece by piece, so that the focus and the map stay. Hexes of the map are chosen by touch.
(() => {
  const form = document.getElementById("move-form"), steps = document.getElementById("move-steps");
  if (!form || !steps) return;
  let typed = 0, asked = 0, touched = false;

  const same = (one, other) => one.nodeName === other.nodeName && one.id === other.id;
  const fields = { INPUT: ["checked"], OPTION: ["selected"] };
  const morph = (old, fresh) => {
    if (old.nodeType !== 1) { if (old.data !== fresh.data) old.data = fresh.data; return; }
    if (fresh.hasAttribute("data-keep") || old.isEqualNode(fresh)) return settle(old, fresh);
    for (const { name, value } of [...fresh.attributes])
      if (old.getAttribute(name) !== value && !(name === "open" && old.open)) old.setAttribute(name, value);
    for (const { name } of [...old.attributes])
      if (!fresh.hasAttribute(name) && !["open", "hidden"].includes(name)) old.removeAttribute(name);
    const theirs = [...fresh.childNodes];
    theirs.forEach((one, n) => {
      const mine = old.childNodes[n];
      if (!mine) old.append(one);
      else if (same(mine, one)) morph(mine, one);
      else mine.replaceWith(one);
    });
    while (old.childNodes.length > theirs.length) old.lastChild.remove();
    settle(old, fresh);
  };
  // What a field holds is not in its attributes once it has been touched.
  const settle = (old, fresh) => {
    for (const one of [old, ...old.querySelectorAll("input, option")]) {
      const given = one === old ? fresh : null;
      for (const name of fields[one.nodeName] || []) {
        const there = (given || one).hasAttribute(name);
        if (one[name] !== there) one[name] = there;
      }
      if (one.nodeName === "INPUT" && !/radio|checkbox/.test(one.type)) {
        const value = (given || one).getAttribute("value") || "";
        if (one.value !== value) one.value = value;
      }
    }
  };

  // Of rows alike, those filled in and the next; all of them without this file.
  const rows = () => {
    const free = {};
    for (const row of steps.querySelectorAll("[data-row]")) {
      const kind = row.dataset.row, field = row.querySelector("select");
      row.hidden = Boolean(free[kind]);
      if (!field.value) free[kind] = true;
    }
  };
  // Where the map is wider than its box, what it is about comes into sight.
  const look = () => {
    const box = steps.querySelector(".move-map-box");
    if (!box || box.scrollWidth <= box.clientWidth) return;
    const marks = box.querySelector(".proposed") ? ".proposed" : box.querySelector(".lay") ? ".lay" : ".run, .plate-rim";
    const all = [...box.querySelectorAll(marks)].map((one) => one.getBoundingClientRect()), frame = box.getBoundingClientRect();
    if (!all.length) return;
    const from = Math.min(...all.map((one) => one.left)), to = Math.max(...all.map((one) => one.right));
    if (from < frame.left || to > frame.right) box.scrollLeft += (from + to) / 2 - (frame.left + frame.right) / 2;
  };
  const dress = () => {
    look();
    for (const one of steps.querySelectorAll("[data-plain]")) one.hidden = true;
    for (const one of steps.querySelectorAll(".by-tap")) one.hidden = false;
    rows();
  };

  form.addEventListener("input", () => { typed += 1; });
  form.addEventListener("change", ({ target }) => {
    if (target.name === "lay") ["hex", "tile", "side"].forEach((one) => { form.elements[`free_${one}`].value = ""; });
    if (target.name === "hex") form.querySelectorAll("[name=lay]").forEach((one) => { one.checked = false; });
    rows();
  });
  form.addEventListener("htmx:beforeRequest", () => { asked = typed; });
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target, fragment } = event.detail;
    if (target !== steps) return;
    event.detail.shouldSwap = false;
    if (asked !== typed) return; // more was typed meanwhile: its own answer is on the way
    morph(steps, fragment.querySelector?.("#move-steps") || fragment.firstElementChild || fragment);
    dress();
    if (touched) document.getElementById("tiles")?.scrollIntoView({ block: "nearest", behavior: "smooth" });
    touched = false;
  });
  steps.addEventListener("click", ({ target }) => {
    const hex = target.closest(".move-map [data-hex]"), field = form.elements.hex;
    if (!hex || !field) return;
    if (![...field.options].some((one) => one.value === hex.dataset.hex)) return;
    field.value = hex.dataset.hex, touched = true, typed += 1;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
  dress();
})();
