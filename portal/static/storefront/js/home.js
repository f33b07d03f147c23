// The front page and the page of plans: what the shop sells.
import { ApiError } from "./api.js";
import { announce, clone, fill, money, whileBusy } from "./dom.js";
import { addToBasket, products } from "./shop.js";

const CYCLES = {
  one_time: gettext("once"),
  monthly: gettext("a month"),
  annually: gettext("a year"),
  biennially: gettext("for two years"),
};

export const home = ({ go }) => offers("hero", go);

export const plansPage = ({ go }) => offers("plans-head", go);

async function offers(head, go) {
  const root = clone("catalogue");
  root.prepend(clone(head));
  const plans = root.querySelector("[data-plans]");
  const extras = root.querySelector("[data-extras]");
  const extrasSection = root.querySelector("#extras");
  const cycles = root.querySelector("[data-cycles]");

  const load = async () => {
    extrasSection.hidden = false;
    plans.replaceChildren(...skeletons(3));
    extras.replaceChildren(...skeletons(2));
    try {
      const all = await products();
      if (all.length === 0) {
        extrasSection.hidden = true;
        plans.replaceChildren(gettext("There is nothing for sale at the moment."));
        return;
      }
      const hosting = all.filter((product) => product.kind === "hosting");
      const showPlans = () => {
        const cycle = cycles.querySelector("input:checked").value;
        const shown = hosting.filter((product) => product.billing_cycle === cycle);
        plans.replaceChildren(...shown.map((product, index) => plan(product, index, go)));
      };
      cycles.addEventListener("change", showPlans);
      showPlans();
      const others = all.filter((product) => product.kind !== "hosting");
      extras.replaceChildren(...others.map((product) => extra(product, go)));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      extrasSection.hidden = true;
      plans.replaceChildren(failure(gettext("The plans could not be loaded"), error, load));
    }
  };
  load();
  return root;
}

function plan(product, index, go) {
  const [, ...features] = linesOf(product);
  const card = describe("plan", product, go);
  card.classList.toggle("favourite", index === 1);
  card.querySelector("[data-features]").append(...features.map(listItem));
  return card;
}

const extra = (product, go) => describe("extra", product, go);

function describe(template, product, go) {
  const element = fill(clone(template), {
    name: product.name,
    tagline: linesOf(product)[0],
    price: money(product.price),
    cycle: CYCLES[product.billing_cycle] ?? product.billing_cycle,
  }).firstElementChild;
  const button = element.querySelector("[data-add]");
  button.addEventListener("click", async () => {
    try {
      await whileBusy(button, () => addToBasket(product.id));
      announce(interpolate(gettext("%s is in your basket."), [product.name]));
      go("/basket");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const title = interpolate(gettext("%s is not in your basket"), [product.name]);
      element.parentElement.prepend(failure(title, error, () => button.click()));
    }
  });
  return element;
}

/** The demonstration's are translated; real sellers write in their customers' language. */
const linesOf = ({ description }) =>
  description.split("\n").map((line) => pgettext("offer", line));

function failure(title, error, retry) {
  const notice = fill(clone("problem"), { title, detail: error.message }).firstElementChild;
  notice.querySelector("[data-retry]").addEventListener("click", () => {
    notice.remove();
    retry();
  });
  return notice;
}

function listItem(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

function skeletons(count) {
  return Array.from({ length: count }, () => {
    const element = document.createElement("div");
    element.className = "card skeleton";
    return element;
  });
}
