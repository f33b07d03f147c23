// A manager of the Transparency and Consent Framework: IAB Europe's own interface, and one
// vendor list. window.cmp decides in the visitor's place.
import { CmpApi } from "@iabtcf/cmpapi";
import { GVL, TCModel, TCString } from "@iabtcf/core";

const PURPOSES = [1, 2, 7];
const list = new GVL({
  gvlSpecificationVersion: 3,
  vendorListVersion: 1,
  tcfPolicyVersion: 4,
  lastUpdated: "2026-01-01T00:00:00Z",
  purposes: Object.fromEntries(PURPOSES.map((id) => [id, { id, name: `Purpose ${id}` }])),
  specialPurposes: {},
  features: {},
  specialFeatures: {},
  stacks: {},
  vendors: {},
  dataCategories: {},
});
const api = new CmpApi(300, 1, true);

const answerOf = (purposes) => {
  const model = new TCModel(list);
  Object.assign(model, { cmpId: 300, cmpVersion: 1, consentScreen: 1, publisherCountryCode: "DE" });
  purposes.forEach((purpose) => model.purposeConsents.set(purpose));
  return TCString.encode(model);
};

window.cmp = {
  ask: () => api.update("", true),
  decide: (...purposes) => api.update(answerOf(purposes), false),
  isNotNeeded: () => api.update(null),
};
