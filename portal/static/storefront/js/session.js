// What the shop remembers in this tab: the client's token, never name or e-mail, and the basket's id.
const KEY = "demo-hosting";
const NOBODY = { token: "", client: null, orderId: "", itemCount: 0, offeredTo: "" };

let state = { ...NOBODY, ...load() };

export const session = {
  get token() {
    return state.token;
  },
  get client() {
    return state.client;
  },
  get orderId() {
    return state.orderId;
  },
  get itemCount() {
    return state.itemCount;
  },
  /** The basket that has got the offered code, also if it was taken off again. */
  get offeredTo() {
    return state.offeredTo;
  },
  get isSignedIn() {
    return Boolean(state.client && !state.client.is_guest);
  },
  signIn({ token, id, is_guest }) {
    save({ ...state, token, client: { id, is_guest } });
  },
  keepBasket(orderId, itemCount) {
    save({ ...state, orderId, itemCount });
  },
  keepOffer(offeredTo) {
    save({ ...state, offeredTo });
  },
  forgetBasket() {
    save({ ...state, orderId: "", itemCount: 0 });
  },
  signOut() {
    save(NOBODY);
  },
};

function save(next) {
  state = { ...next };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(state));
  } catch {
    // Storage is blocked: the session lives as long as the page.
  }
  dispatchEvent(new Event("session-change"));
}

function load() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}
