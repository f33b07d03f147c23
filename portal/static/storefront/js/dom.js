// Templates, forms and messages. Text goes in as text, never as markup.
import { ApiError } from "./api.js";

/** That of the page, which the server has chosen. */
export const LANGUAGE = document.documentElement.lang;

export function clone(id) {
  return document.querySelector(`template#${id}`).content.cloneNode(true);
}

export function fill(root, values) {
  for (const [name, value] of Object.entries(values)) {
    for (const slot of root.querySelectorAll(`[data-slot="${name}"]`)) slot.textContent = value;
  }
  return root;
}

export function money({ amount, currency }) {
  return new Intl.NumberFormat(LANGUAGE, { style: "currency", currency }).format(amount);
}

export function announce(text) {
  document.querySelector("[data-announce]").textContent = text;
}

/** Runs `action` with the button held, so that a second click does nothing. */
export async function whileBusy(button, action) {
  button.disabled = true;
  try {
    return await action();
  } finally {
    button.disabled = false;
  }
}

export function onSubmit(form, action) {
  const button = form.querySelector("[type=submit]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearErrors(form);
    if (!checkFields(form)) return;
    try {
      await whileBusy(button, () => action(Object.fromEntries(new FormData(form))));
    } catch (error) {
      showErrors(form, error);
    }
  });
}

export function showError(element, error) {
  if (!(error instanceof ApiError)) throw error;
  showText(element, error.message);
}

export function showText(element, text) {
  element.textContent = text;
  element.hidden = false;
}

function checkFields(form) {
  const wrong = [...form.elements].filter((field) => field.name && !field.checkValidity());
  wrong.forEach((field) => mark(field, faultOf(field)));
  wrong[0]?.focus();
  return wrong.length === 0;
}

/** The browser says it in its own language, which need not be the page's. */
function faultOf({ validity, minLength, validationMessage }) {
  if (validity.valueMissing) return gettext("Please fill in this field.");
  if (validity.typeMismatch) return gettext("Please enter an e-mail address.");
  if (!validity.tooShort) return validationMessage;
  const said = ngettext("At least %s character.", "At least %s characters.", minLength);
  return interpolate(said, [minLength]);
}

function showErrors(form, error) {
  if (!(error instanceof ApiError)) throw error;
  const rest = [];
  for (const { attr, detail } of error.errors) {
    const field = attr && form.elements.namedItem(attr);
    if (field) mark(field, detail);
    else rest.push(detail);
  }
  const summary = form.querySelector(".form-error");
  summary.textContent = rest.join(" ");
  summary.hidden = rest.length === 0;
  form.querySelector("[aria-invalid=true]")?.focus();
}

function mark(field, message) {
  const error = document.getElementById(`${field.id}-error`);
  error.textContent = message;
  error.hidden = false;
  field.setAttribute("aria-invalid", "true");
  // Not aria-errormessage: few screen readers read it.
  const described = new Set((field.getAttribute("aria-describedby") ?? "").split(" "));
  field.setAttribute("aria-describedby", [...described.add(error.id)].join(" ").trim());
}

function clearErrors(form) {
  for (const error of form.querySelectorAll(".error, .form-error")) {
    error.hidden = true;
    error.textContent = "";
  }
  for (const field of form.elements) field.removeAttribute("aria-invalid");
}
