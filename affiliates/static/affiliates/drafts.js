// A form that the login interrupts loses what was typed. It is kept in this tab until the
// same person is back at the same page, and sent to be shown again. Nothing is saved by it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const KEY = "affiliates-draft";
  const TOKEN = "csrfmiddlewaretoken";
  const address = location.pathname + location.search;
  // In the forms that can be shown again, with the person who fills them in.
  const marker = document.querySelector("input[name=_shown_again]");

  // Django's script switches completion off for hidden fields too.
  const isSecret = ({ type, autocomplete }) =>
    type === "password" || (type !== "hidden" && autocomplete === "off");
  const valuesOf = (form) => {
    const secrets = [...form.elements].filter(isSecret).map(({ name }) => name);
    const values = [...new FormData(form)];
    return values.filter(
      ([name, value]) => ![TOKEN, ...secrets].includes(name) && typeof value === "string",
    );
  };

  const send = (values) => {
    const form = document.createElement("form");
    form.method = "post";
    form.hidden = true;
    for (const [name, value] of values) {
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name, value });
      form.append(field);
    }
    document.body.append(form);
    form.submit();
  };

  const draft = JSON.parse(sessionStorage.getItem(KEY));
  sessionStorage.removeItem(KEY);
  if (!marker) return;
  // The page that answers a form comes from the form's own address. A page that is loaded
  // again may have been left by a download: its form was sent.
  const isAnswer =
    document.referrer && new URL(document.referrer).pathname === location.pathname;
  const visit = performance.getEntriesByType("navigation").at(0);
  const isBack = visit.type === "navigate" && !isAnswer;
  if (draft?.address === address && draft.person === marker.value && isBack) {
    const token = marker.form.elements[TOKEN].value;
    send([...draft.values, [TOKEN, token], [marker.name, marker.value]]);
    return;
  }
  marker.form.addEventListener("submit", (event) => {
    if (event.submitter?.formTarget === "_blank") return;
    const values = valuesOf(marker.form);
    sessionStorage.setItem(KEY, JSON.stringify({ address, person: marker.value, values }));
  });
});
