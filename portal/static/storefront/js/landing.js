// The page of an affiliate link: when the service does not answer, the visitor goes on
// to the shop, and the link's hash goes with them so that the visit is tried again.
const result = await window.referral?.ready;
if (result?.outcome !== "redirecting") {
  const message = document.querySelector("#message");
  message.textContent = message.dataset.opening;
  location.replace(document.querySelector("[data-onward]").href);
}
