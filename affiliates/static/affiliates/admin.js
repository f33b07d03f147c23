// select2 draws a field of its own over each that completes what is typed, without a name.
"use strict";

{
  // Unfold warns no more of unsaved changes once a form was sent. Sent to another tab, it
  // is still unsaved.
  const keepWarning = (event) => {
    if (event.submitter?.formTarget === "_blank") event.stopPropagation();
  };
  document.addEventListener("submit", keepWarning, true);

  const nameDrawnFields = () => {
    for (const field of document.querySelectorAll("select.select2-hidden-accessible")) {
      const label = field.labels[0];
      const box = field.nextElementSibling?.querySelector("[role=combobox]");
      if (!label || !box) continue;
      label.id ||= `label-of-${field.id}`;
      const chosen = box.querySelector("[role=textbox]");
      chosen?.setAttribute("aria-labelledby", label.id);
      box.setAttribute("aria-labelledby", `${label.id} ${chosen?.id ?? ""}`.trim());
    }
  };
  const brandOfForm = () =>
    document.querySelector("select[name=brand]")?.value ??
    document.querySelector("[data-brand]")?.dataset.brand;
  // What is typed is completed by rows of the form's brand only.
  document.addEventListener("DOMContentLoaded", () => {
    window.django?.jQuery?.ajaxPrefilter((question) => {
      const brand = brandOfForm();
      if (brand && question.url.endsWith("/autocomplete/")) question.data += `&brand=${brand}`;
    });
  });

  // Some are drawn when the page is there, and others with each row that is added.
  const drawn = new MutationObserver(nameDrawnFields);
  drawn.observe(document.documentElement, { childList: true, subtree: true });
}
