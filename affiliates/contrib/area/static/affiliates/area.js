/* Comfort of the affiliate's area: buttons that copy, and words for what htmx shows. */
"use strict";

function prepareCopies(part) {
  for (const button of part.querySelectorAll("[data-copies][hidden]")) {
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
}

function say(id, words) {
  document.getElementById(id).textContent = words;
}

prepareCopies(document);

document.addEventListener("htmx:beforeRequest", () => {
  say("said", "");
  say("failed", "");
});

document.addEventListener("htmx:afterSettle", ({ target }) => {
  if (target.id !== "content") {
    return;
  }
  prepareCopies(target);
  // What had the focus is gone, as a link to a page is: its list comes next.
  if (document.activeElement === document.body) {
    const next = target.querySelector(".scroll:has(+ .pages)") ?? target;
    next.focus();
    next.scrollIntoView();
  }
  const page = target.querySelector(".pages span");
  say("said", page?.textContent ?? document.getElementById("said").dataset.done);
});

document.addEventListener("htmx:afterRequest", () => {
  for (const field of document.querySelectorAll("[aria-describedby$=_error]")) {
    field.ariaInvalid = document.getElementById(`${field.id}_error`) !== null;
  }
});

for (const event of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(event, ({ detail }) => {
    const { dataset } = document.getElementById("failed");
    say("failed", dataset[detail.xhr.status] ?? dataset.else);
  });
}
