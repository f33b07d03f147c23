// The views of who somebody is: create an account, sign in, sign out.
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

export async function login({ go }) {
  const root = clone("login");
  onSubmit(root.querySelector("form"), async (fields) => {
    await shop.signIn(fields);
    go(session.itemCount ? "/checkout" : "/account");
  });
  return root;
}

export async function account({ go }) {
  if (!session.isSignedIn) return login({ go });
  const root = fill(clone("account"), { email: session.client.email });
  root.querySelector("[data-sign-out]").addEventListener("click", () => {
    session.signOut();
    go("/");
  });
  return root;
}
