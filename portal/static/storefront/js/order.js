// The views from the basket to the paid invoice.
import { API_BASE, page } from "./api.js";
import { announce, clone, fill, LANGUAGE, money, onSubmit, showError, showText, whileBusy } from "./dom.js";
import { withOffer } from "./offer.js";
import { CODES } from "./refusals.js";
import { session } from "./session.js";
import * as shop from "./shop.js";

const PAYMENT_CHECKS = 5;
const CHECK_EVERY_MS = 1000;
const STATUSES = {
  unpaid: gettext("Not paid yet"),
  paid: gettext("Paid"),
  partly_refunded: gettext("Partly refunded"),
  refunded: gettext("Refunded"),
};
const CYCLES = {
  one_time: gettext("once"),
  monthly: gettext("monthly"),
  annually: gettext("yearly"),
  biennially: gettext("every two years"),
};

export async function basket() {
  const root = clone("basket");
  showBasket(root.firstElementChild, await withOffer(await shop.currentBasket()));
  const who = session.isSignedIn
    ? interpolate(gettext("You are signed in as %s."), [page.email])
    : gettext("You shop as a guest. You complete your registration at the check-out.");
  return fill(root, { who });
}

export async function checkout({ go }) {
  const order = await withOffer(await shop.currentBasket());
  if (!order?.items.length) return basket();
  const root = clone("checkout");
  root.querySelector("[data-guest]").hidden = session.isSignedIn;
  root.querySelector("[data-client]").hidden = !session.isSignedIn;
  showOrder(root, order);
  const transfer = root.querySelector("[data-transfer]");
  const placeOrder = async () => {
    const invoice = await shop.placeOrder({ isTransfer: transfer.checked });
    return go(`/pay?invoice=${invoice.id}`);
  };
  if (session.isSignedIn) offerOrder(root, placeOrder);
  else askForDetails(root, placeOrder, go);
  const button = session.isSignedIn ? "[data-place-order]" : "[data-submit]";
  root.querySelector(button).before(transfer.closest("p"));
  return root;
}

export async function pay({ go, query }) {
  if (!session.token) return clone("signed-out");
  const invoice = await shop.invoice(query.get("invoice"));
  if (invoice.status !== "unpaid") return thankYou({ go, query });
  const root = fill(clone("pay"), {
    number: invoice.number,
    total: money(invoice.unpaid_amount),
    reference: invoice.bank_transfer?.reference,
    account: invoice.bank_transfer?.account,
  });
  root.querySelector("[data-by-hand]").hidden = !invoice.bank_transfer;
  root.querySelector("[data-account]").hidden = !invoice.bank_transfer?.account;
  root.querySelector("[data-by-bank]").hidden = !invoice.payment_url;
  if (invoice.payment_url) root.querySelector("[data-bank]").href = bankAddress(invoice);
  root.querySelector("[data-summary]").append(summary(invoice, gettext("What you pay for")));
  return root;
}

export async function thankYou({ query }) {
  if (!session.token) return clone("signed-out");
  const invoice = await settled(query.get("invoice"));
  const isPaid = invoice.status !== "unpaid";
  const root = fill(clone("thank-you"), {
    status: STATUSES[invoice.status],
    headline: isPaid ? gettext("Thank you for your order") : gettext("Your invoice is waiting"),
    detail: interpolate(
      isPaid
        ? gettext("We have received your payment for invoice %s.")
        : gettext("We have not heard of a payment for invoice %s so far."),
      [invoice.number],
    ),
  });
  root.querySelector(".badge").classList.toggle("paid", isPaid);
  root.querySelector("[data-unpaid]").hidden = isPaid;
  root.querySelector("[data-pay]").href = `/pay?invoice=${invoice.id}`;
  const caption = interpolate(gettext("Invoice %s"), [invoice.number]);
  root.querySelector("[data-summary]").append(summary(invoice, caption));
  return root;
}

function showBasket(root, order) {
  const isFilled = Boolean(order?.items.length);
  root.querySelector("[data-empty]").hidden = isFilled;
  root.querySelector("[data-filled]").hidden = !isFilled;
  root.querySelector(".form-error").hidden = true;
  if (!isFilled) return;
  const table = summary(order, gettext("What you have chosen"));
  const rows = table.querySelectorAll("tbody tr");
  order.items.forEach((item, index) => {
    rows[index].cells[1].replaceChildren(lineTools(root, item));
  });
  root.querySelector("[data-summary]").replaceChildren(table);
}

/** How many of it, and away with it: either shows the basket anew. */
function lineTools(root, item) {
  const tools = clone("line-tools");
  const input = tools.querySelector("input");
  const button = tools.querySelector("button");
  const act = async (control, change) => {
    try {
      showBasket(root, await whileBusy(control, change));
      announce(interpolate(gettext("The basket is changed: %s."), [item.name]));
      const same = [...root.querySelectorAll("input")].find((one) => one.ariaLabel === input.ariaLabel);
      (same ?? root.querySelector("h1")).focus();
    } catch (error) {
      showError(root.querySelector(".form-error"), error);
    }
  };
  input.value = item.quantity;
  input.ariaLabel = interpolate(gettext("Quantity of %s"), [item.name]);
  input.addEventListener("change", () => {
    input.setCustomValidity("");
    if (!input.validity.valid) {
      input.setCustomValidity(gettext("Please enter a whole number from 1 to 1000."));
      input.reportValidity();
      return;
    }
    act(input, () => shop.changeQuantity(item.product_id, input.valueAsNumber));
  });
  button.ariaLabel = interpolate(gettext("Remove %s"), [item.name]);
  button.addEventListener("click", () => act(button, () => shop.removeItem(item.product_id)));
  return tools;
}

/** The order with its coupon: entering one, or taking it off, shows both anew. */
function showOrder(root, order) {
  root.querySelector("[data-summary]").replaceChildren(summary(order, gettext("Your order")));
  const place = root.querySelector("[data-coupon]");
  const coupon = clone("coupon");
  const form = coupon.querySelector("[data-enter]");
  const held = coupon.querySelector("[data-held]");
  const isHeld = Boolean(order.coupon || order.affiliate_code);
  form.hidden = isHeld;
  held.hidden = !isHeld;
  const showAgain = (changed) => {
    showOrder(place.parentElement, changed);
    place.querySelector("input:not([hidden]), [data-take-off]")?.focus();
    const noted = changed.affiliate_code ? gettext("The code is noted.") : gettext("The coupon is taken off.");
    announce(changed.coupon ? gettext("The coupon is applied.") : noted);
  };
  onSubmit(form, async ({ code }) => showAgain(await shop.enterCoupon(code)));
  if (order.offer_refusal) {
    const { code, detail } = order.offer_refusal;
    showText(form.querySelector(".form-error"), `${code}: ${detail}`);
  }
  if (isHeld) {
    held.querySelector("[data-discount]").hidden = !order.coupon;
    held.querySelector("[data-typed]").hidden = Boolean(order.coupon);
    fill(coupon, { typed: order.affiliate_code, refusal: CODES[order.coupon_refusal] });
    const button = held.querySelector("[data-take-off]");
    button.addEventListener("click", () => {
      whileBusy(button, async () => showAgain(await shop.removeCoupon())).catch((reason) =>
        showError(held.querySelector(".form-error"), reason),
      );
    });
  }
  if (order.coupon) {
    const percent = new Intl.NumberFormat(LANGUAGE, {
      style: "percent",
      maximumFractionDigits: 2,
    }).format(order.coupon.percent_off / 100);
    fill(coupon, { code: order.coupon.code, percent });
  }
  place.replaceChildren(coupon);
}

function offerOrder(root, placeOrder) {
  const button = root.querySelector("[data-place-order]");
  const error = root.querySelector("[data-client] .form-error");
  fill(root, { email: page.email });
  button.addEventListener("click", () => {
    whileBusy(button, placeOrder).catch((reason) => showError(error, reason));
  });
}

function askForDetails(root, placeOrder, go) {
  const form = root.querySelector("form");
  form.append(clone("client-fields"));
  form.querySelector("[data-submit]").textContent = gettext("Register and order");
  onSubmit(form, async (fields) => {
    await shop.completeRegistration(fields);
    try {
      await placeOrder();
    } catch (error) {
      // The account stands: the client repeats only the order.
      await go("/checkout");
      showError(document.querySelector("main [data-client] .form-error"), error);
    }
  });
}

/** The invoice; a gateway's word may arrive a moment after its client. */
async function settled(id) {
  for (let check = 1; ; check += 1) {
    const invoice = await shop.invoice(id);
    if (invoice.status !== "unpaid" || check === PAYMENT_CHECKS) return invoice;
    await new Promise((resume) => setTimeout(resume, CHECK_EVERY_MS));
  }
}

function bankAddress(invoice) {
  const address = new URL(invoice.payment_url, API_BASE);
  address.searchParams.set("return_url", `${location.origin}/thank-you?invoice=${invoice.id}`);
  return address.href;
}

/** The table of an order or of an invoice: both have lines and three amounts. */
function summary(bill, caption) {
  const table = fill(clone("summary"), { caption });
  const lines = bill.items ?? bill.lines;
  const { discount, net, tax, gross = bill.total } = bill.totals ?? bill;
  const body = table.querySelector("tbody");
  for (const line of lines) {
    const name = `${line.name ?? line.description}, ${CYCLES[line.billing_cycle]}`;
    body.append(row("td", [name, line.quantity, money(priceOf(line))]));
  }
  const foot = table.querySelector("tfoot");
  if (Number(discount.amount) > 0) {
    foot.append(row("th", [gettext("Discount"), "", money({ ...discount, amount: -discount.amount })]));
  }
  foot.append(row("th", [gettext("Net"), "", money(net)]));
  foot.append(row("th", [gettext("Tax"), "", money(tax)]));
  foot.append(row("th", [gettext("Total"), "", money(gross)]));
  return table;
}

/** Before the discount, which has a row of its own. */
function priceOf(line) {
  const { net, discount } = line.amounts ?? line;
  return { ...net, amount: Number(net.amount) + Number(discount.amount) };
}

function row(first, [label, ...numbers]) {
  const line = document.createElement("tr");
  const head = document.createElement(first);
  head.textContent = label;
  if (first === "th") head.scope = "row";
  const cells = numbers.map((text) => {
    const cell = document.createElement("td");
    cell.className = "number";
    cell.textContent = text;
    return cell;
  });
  line.append(head, ...cells);
  return line;
}
