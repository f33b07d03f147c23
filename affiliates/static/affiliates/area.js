/* Comfort of the affiliate's area: a button beside an address that copies it. */
"use strict";

for (const button of document.querySelectorAll("[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  source.addEventListener("focus", () => source.select());
  button.hidden = false;
  button.addEventListener("click", async () => {
    source.focus();
    source.select();
    try {
      await navigator.clipboard.writeText(source.value);
    } catch {
      // A page that is not secure has no clipboard.
      document.execCommand("copy");
    }
    button.textContent = button.dataset.done;
  });
}
