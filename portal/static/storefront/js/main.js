// Shows the view of the current address and follows links inside the shop.
import { register } from "./account.js";
import { ApiError, csrfToken } from "./api.js";
import { clone, fill } from "./dom.js";
import { home, plansPage } from "./home.js";
import { showOffer } from "./offer.js";
import { basket, checkout, pay, thankYou } from "./order.js";
import { session } from "./session.js";
import { followSession } from "./shop.js";

const VIEWS = {
  "/": { show: home, title: gettext("Hosting that lets you sleep") },
  "/plans": { show: plansPage, title: gettext("Plans and extras") },
  "/register": { show: register, title: gettext("Create your account") },
  "/basket": { show: basket, title: gettext("Your basket") },
  "/checkout": { show: checkout, title: gettext("Check out") },
  "/pay": { show: pay, title: gettext("Pay") },
  "/thank-you": { show: thankYou, title: gettext("Thank you") },
};

const main = document.querySelector("main");
const loading = document.querySelector("[data-loading]");
let shownAddress;
let turn = 0;

function go(address) {
  if (!isView(address)) return location.assign(address);
  history.pushState(null, "", address);
  return render();
}

/** The other addresses are pages of the server's own. */
const isView = (address) => Boolean(VIEWS[new URL(address, location).pathname]);

async function render() {
  const mine = ++turn;
  const isFirst = shownAddress === undefined;
  const view = VIEWS[location.pathname];
  shownAddress = location.pathname + location.search;
  const slow = setTimeout(() => main.replaceChildren(loading), 150);
  const query = new URLSearchParams(location.search);
  const root = await followSession()
    .then(() => view.show({ go, query }))
    .catch(problem);
  clearTimeout(slow);
  if (mine !== turn || !root) return;
  main.replaceChildren(root);
  document.title = `${view.title} · Demo Hosting`;
  moveTo(location.hash, isFirst);
}

function moveTo(hash, isFirst) {
  const anchor = hash.length > 1 && document.getElementById(hash.slice(1));
  if (anchor) {
    anchor.scrollIntoView();
  } else if (!isFirst) {
    // A screen reader hears the new page as it would after a real navigation.
    const heading = main.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
    scrollTo({ top: 0, behavior: "instant" });
  }
}

function problem(error) {
  if (!(error instanceof ApiError)) throw error;
  const root = document.createElement("div");
  root.className = "wrap narrow";
  root.append(fill(clone("problem"), { title: gettext("That did not work"), detail: error.message }));
  // The page has no other heading.
  Object.assign(root.querySelector("h2"), { role: "heading", ariaLevel: "1" });
  root.querySelector("[data-retry]").addEventListener("click", render);
  return root;
}

function showHeader() {
  const link = document.querySelector("[data-account]");
  const count = document.querySelector("[data-count]");
  link.textContent = session.isSignedIn ? gettext("Account") : gettext("Sign in");
  link.href = session.isSignedIn ? "/account" : "/login";
  count.textContent = session.itemCount;
  count.hidden = session.itemCount === 0;
}

async function showReferral() {
  await window.referral?.ready;
  const state = document.querySelector("[data-referral]");
  const isHeld = Boolean(window.referral?.cookie());
  state.classList.toggle("held", isHeld);
  state.textContent = isHeld
    ? gettext("A partner sent you here")
    : gettext("No partner sent you here");
  state.hidden = false;
}

function followLinks(event) {
  const link = event.target.closest("a");
  const isPlain =
    event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.origin !== location.origin || !isView(link)) return;
  if (link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  go(link.href);
}

function showViews() {
  addEventListener("click", followLinks);
  addEventListener("popstate", () => {
    // A step between anchors of one page is the browser's own business.
    if (shownAddress !== location.pathname + location.search) render();
  });
  loading.hidden = false;
  loading.remove();
  render();
}

/** Another language shows the view of now, not the one that the server answered with. */
document.querySelector("[data-languages]")?.addEventListener("submit", ({ target }) => {
  target.elements.next.value = location.pathname + location.search;
  // Who has signed in meanwhile has another one.
  target.elements.csrfmiddlewaretoken.value = csrfToken();
});
// Also where the server cannot be reached.
document.querySelector("[data-log-out]")?.addEventListener("submit", () => session.signOut());
addEventListener("session-change", showHeader);

showHeader();
showReferral();
showOffer();
if (isView(location)) showViews();
// Its own part of the page stands without us.
else followSession().catch(problem);
