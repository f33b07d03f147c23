// What the API refuses, in the page's language. Not all of its sentences are translated, so
// that here its codes are said anew; an English page shows the API's own.
const FIELDS = {
  email: gettext("This e-mail address cannot be used."),
  firstname: gettext("This name cannot be used."),
  lastname: gettext("This name cannot be used."),
  password: gettext(
    "Please choose another password: with 8 to 128 characters, not a common one and not like your name or e-mail address.",
  ),
  code: gettext("There is no such coupon."),
  product_id: gettext("This product is not for sale any more."),
  quantity: gettext("Please enter a whole number from 1 to 1000."),
};
export const CODES = {
  already_paid: gettext("This invoice is paid already."),
  already_registered: gettext("This registration is complete already."),
  authentication_failed: gettext("Please sign in again."),
  basket_empty: gettext("The basket is empty."),
  basket_full: gettext("A basket holds at most 100 different products."),
  coupon_ended: gettext("This coupon has ended."),
  coupon_expired: gettext("This coupon has expired."),
  coupon_for_new_clients: gettext("This coupon is for new clients."),
  currency_mismatch: gettext("This product is sold in another currency than the basket's."),
  email_taken: gettext("This e-mail address cannot be registered."),
  invalid_credentials: gettext("Wrong e-mail or password."),
  not_authenticated: gettext("Please sign in again."),
  not_found: gettext("This does not exist any more."),
  order_converted: gettext("This order is placed already."),
  quantity_too_large: gettext("A basket holds at most 1000 of a product."),
  request_in_progress: gettext("The service is busy for a moment. Please try again."),
  throttled: gettext("Too many tries. Please wait a moment, then try again."),
  unavailable: gettext("The service is busy for a moment. Please try again."),
};
const IS_ENGLISH = document.documentElement.lang === "en";

export function inWords(error) {
  if (IS_ENGLISH) return error;
  const { code, attr } = error;
  const unknown = interpolate(gettext("That is not possible (%s)."), [code]);
  return { ...error, detail: CODES[code] ?? FIELDS[attr] ?? unknown };
}
