// The move form: its preview follows what is typed; without this file the Preview button does it.
"use strict";
(() => {
  for (const plain of document.querySelectorAll(".move-form [data-plain]")) plain.hidden = true;
})();
