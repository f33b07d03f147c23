// Hides the empty fields that the chosen kind does not need.
"use strict";

for (const kind of document.querySelectorAll("#confirm select[name=kind]")) {
  const fields = [...kind.form.querySelectorAll("[data-shown-for]")];
  const showNeeded = () => {
    for (const field of fields) {
      const isNeeded = field.dataset.shownFor.split(" ").includes(kind.value);
      field.closest(".affiliates-field").hidden = !isNeeded && !field.value;
    }
  };
  kind.addEventListener("change", showNeeded);
  showNeeded();
}
