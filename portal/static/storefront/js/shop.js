// What a visitor can do, in the words of the API.
import { call, callOnce, callPage, page, postPage } from "./api.js";
import { session } from "./session.js";

const NOBODY = { token: "" };

let catalogue;

export function products() {
  catalogue ??= call("GET", "/api/products", undefined, NOBODY).catch((error) => {
    catalogue = undefined;
    throw error;
  });
  return catalogue;
}

export const register = async (fields) => {
  session.signIn(await callOnce("POST", "/api/clients/register", await asVisitor(fields), NOBODY));
  await beginSession(fields);
};

export const continueAsGuest = async () => {
  const path = "/api/clients/register/guest";
  session.signIn(await callOnce("POST", path, await asVisitor({}), NOBODY));
};

export const completeRegistration = async (fields) => {
  const path = `/api/clients/${session.client.id}/complete_registration`;
  session.signIn(await callOnce("POST", path, await asVisitor(fields)));
  await beginSession(fields);
};

/**
 * Makes this tab the server's session's: it says who is signed in. What a guest chose joins
 * the basket that the client has left, for a basket belongs to one client.
 */
export async function followSession() {
  if (page.client === (session.isSignedIn ? session.client.id : "")) return;
  const basket = session.isSignedIn ? null : await currentBasket();
  session.signOut();
  if (!page.client) return;
  session.signIn(await callPage("/account/token"));
  const held = await call("GET", "/api/orders?status=basket");
  const latest = held.find((order) => order.items.length);
  if (latest) remember(latest);
  for (const item of basket?.items ?? []) {
    await addToBasket(item.product_id, item.quantity).catch((error) => {
      // What is sold no more does not keep the rest from its basket.
      if (error.status !== 400) throw error;
    });
  }
}

export async function addToBasket(productId, quantity = 1) {
  if (!session.token) await continueAsGuest();
  try {
    return await putItem(productId, quantity);
  } catch (error) {
    if (!isStale(error)) throw error;
    session.forgetBasket();
    if (!session.token) await continueAsGuest();
    return putItem(productId, quantity);
  }
}

export async function currentBasket() {
  if (!session.orderId) return null;
  try {
    const order = await call("GET", `/api/orders/${session.orderId}`);
    if (order.status !== "basket") return null;
    return remember(order);
  } catch (error) {
    if (!isStale(error)) throw error;
    session.forgetBasket();
    return null;
  }
}

const itemPath = (productId) => `/api/orders/${session.orderId}/items/${productId}`;

export const changeQuantity = async (productId, quantity) =>
  remember(await call("PATCH", itemPath(productId), { quantity }));

export const removeItem = async (productId) =>
  remember(await call("DELETE", itemPath(productId)));

const couponPath = () => `/api/orders/${session.orderId}/coupon`;

export const enterCoupon = (code) => call("POST", couponPath(), { code });

export const removeCoupon = () => call("DELETE", couponPath());

/** Who names no payment details pays by bank transfer. */
export async function placeOrder({ isTransfer }) {
  const details = isTransfer ? null : await call("POST", "/api/payment_details", {});
  const cookie = await referralCookie();
  const invoice = await callOnce("PATCH", `/api/orders/${session.orderId}/convert`, {
    ...(details && { payment_details_id: details.id }),
    ...(cookie && { referral_cookie: cookie }),
  });
  session.forgetBasket();
  return invoice;
}

export const invoice = (id) => call("GET", `/api/invoices/${encodeURIComponent(id)}`);

export async function referralCookie() {
  await window.referral?.ready;
  return window.referral?.cookie();
}

/** What the form of /login does. Without it the tab stays signed in, no further. */
async function beginSession({ email, password }) {
  Object.assign(page, { client: session.client.id, email });
  const { token } = session;
  await postPage("/login", new URLSearchParams({ email, password })).catch(() => {});
  const ofSession = await callPage("/account/token").catch(() => null);
  if (!ofSession) return;
  // This one ends with the session, that of the registration would not.
  session.signIn(ofSession);
  await call("DELETE", "/api/clients/token", undefined, { token }).catch(() => {});
}

async function asVisitor(fields) {
  const cookie = await referralCookie();
  const visitor = { ...fields, user_agent: navigator.userAgent };
  return cookie ? { ...visitor, referral_cookie: cookie } : visitor;
}

async function putItem(productId, quantity) {
  if (!session.orderId) {
    const order = await call("POST", "/api/orders", {});
    session.keepBasket(order.id, 0);
  }
  const path = `/api/orders/${session.orderId}/items`;
  return remember(await call("POST", path, { product_id: productId, quantity }));
}

function remember(order) {
  const count = order.items.reduce((sum, item) => sum + item.quantity, 0);
  session.keepBasket(order.id, count);
  return order;
}

/** The token has run out, or the basket is gone or an order by now. */
const isStale = (error) => [401, 404, 409].includes(error.status);
