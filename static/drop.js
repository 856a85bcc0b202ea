// A file dropped anywhere on a page with <form data-drop> is sent by that form, as if it had been chosen.
"use strict";
{
  const form = () => document.querySelector("form[data-drop]");
  const box = () => form()?.querySelector("input[type=file]");
  const over = (on) => form()?.toggleAttribute("data-over", on);
  addEventListener("dragover", (event) => {
    if (!box() || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault(), over(true);
  });
  addEventListener("dragleave", (event) => event.relatedTarget || over(false));
  addEventListener("drop", (event) => {
    if (!box() || !event.dataTransfer.files.length) return;
    event.preventDefault(), over(false);
    box().files = event.dataTransfer.files;
    form().requestSubmit();
  });
}
