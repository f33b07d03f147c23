// What the friend of a partner gets: shown above every view, carried into the basket.
import { ApiError } from "./api.js";
import { fill, LANGUAGE } from "./dom.js";
import { session } from "./session.js";
import { enterCoupon } from "./shop.js";

let asked;

const offered = () => (asked ??= window.referral?.offer() ?? Promise.resolve(null));

export async function showOffer() {
  const offer = await offered();
  const bar = document.querySelector("[data-offer]");
  bar.hidden = !offer;
  if (!offer) return;
  const day = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "long" });
  const until = offer.expires_at && day.format(new Date(offer.expires_at));
  fill(bar, { ...offer, until: until && interpolate(gettext("until %s"), [until]) });
}

/** The basket with the offered code, once, unless it has a code or the client took it off. */
export async function withOffer(order) {
  if (!order?.items.length || order.coupon || order.affiliate_code) return order;
  if (session.offeredTo === order.id) return order;
  const offer = await offered();
  if (!offer) return order;
  session.keepOffer(order.id);
  try {
    return await enterCoupon(offer.code);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...order, offer_refusal: { code: offer.code, detail: error.message } };
  }
}
