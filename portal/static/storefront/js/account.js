// The view that creates an account. Signing in and out are pages of the server.
import { clone, fill, onSubmit, showError, whileBusy } from "./dom.js";
import { session } from "./session.js";
import * as shop from "./shop.js";

export async function register({ go }) {
  const root = clone("register");
  const form = root.querySelector("form");
  const isGuest = Boolean(session.client?.is_guest);
  form.append(clone("client-fields"));
  root.querySelector("[data-guest-hint]").hidden = !(isGuest && session.itemCount);
  root.querySelector("[data-as-guest]").hidden = Boolean(session.client);
  onSubmit(form, async (fields) => {
    await (isGuest ? shop.completeRegistration(fields) : shop.register(fields));
    go(session.itemCount ? "/checkout" : "/account");
  });
  const asGuest = root.querySelector("[data-guest]");
  asGuest.addEventListener("click", async () => {
    try {
      await whileBusy(asGuest, shop.continueAsGuest);
      go("/plans");
    } catch (error) {
      showError(form.querySelector(".form-error"), error);
    }
  });
  return root;
}
