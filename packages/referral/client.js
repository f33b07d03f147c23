// Made by make.py: change what it is made of.
const RETRIES = 2;

export class ApiError extends Error {
  constructor(response, body) {
    const errors = (body && body.errors) || [];
    super(errors.map((error) => error.detail).join(" ") || `Status ${response.status}`);
    this.name = "ApiError";
    this.status = response.status;
    this.errors = errors;
    this.retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  }
}

/** Whether the service may have done it all the same. */
const isUnclear = (error) =>
  error instanceof ApiError
    ? error.status === 503 || error.errors[0]?.code === "request_in_progress"
    : error?.name !== "AbortError";

export function createClient(options) {
  const ask = options.fetch || ((...request) => fetch(...request));
  const call = async (method, path, body, query, key) => {
    const url = new URL(options.api.replace(/\/+$/, "") + path);
    for (const [name, value] of Object.entries(query || {})) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const token = options.token && options.token();
    const response = await ask(url.href, {
      method,
      credentials: "omit",
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(key ? { "Idempotency-Key": key } : {}),
        ...options.headers,
      },
      body: JSON.stringify(body),
    });
    const answer = await response.json().catch(() => undefined);
    if (!response.ok) throw new ApiError(response, answer);
    return answer;
  };
  const callOnce = async (method, path, body, query) => {
    const key = `"${crypto.getRandomValues(new Uint32Array(4)).join("-")}"`;
    for (let left = RETRIES; ; left -= 1) {
      try {
        return await call(method, path, body, query, key);
      } catch (error) {
        if (!left || !isUnclear(error)) throw error;
        await new Promise((resume) => setTimeout(resume, 1000 * (error.retryAfter || 1)));
      }
    }
  };
  return {
    getAffiliateProgram: () =>
      call("GET", `/api/affiliate/apply`),
    applyAsAffiliate: (body = {}) =>
      call("POST", `/api/affiliate/apply`, body),
    listBalances: (query) =>
      call("GET", `/api/affiliate/balances`, undefined, query),
    listClaims: (query) =>
      call("GET", `/api/affiliate/claims`, undefined, query),
    submitClaim: (body = {}) =>
      callOnce("POST", `/api/affiliate/claims`, body),
    listCommissions: (query) =>
      call("GET", `/api/affiliate/commissions`, undefined, query),
    getCommission: (commissionId) =>
      call("GET", `/api/affiliate/commissions/${encodeURIComponent(commissionId)}`),
    listCoupons: (query) =>
      call("GET", `/api/affiliate/coupons`, undefined, query),
    createCoupon: (body) =>
      callOnce("POST", `/api/affiliate/coupons`, body),
    endCoupon: (couponId) =>
      call("DELETE", `/api/affiliate/coupons/${encodeURIComponent(couponId)}`),
    listCreatives: (query) =>
      call("GET", `/api/affiliate/creatives`, undefined, query),
    getCreative: (creativeId, query) =>
      call("GET", `/api/affiliate/creatives/${encodeURIComponent(creativeId)}`, undefined, query),
    getDeparture: () =>
      call("GET", `/api/affiliate/departure`),
    leaveProgram: (body) =>
      call("POST", `/api/affiliate/departure`, body),
    listKeys: (query) =>
      call("GET", `/api/affiliate/keys`, undefined, query),
    createKey: (body) =>
      call("POST", `/api/affiliate/keys`, body),
    revokeKey: (keyId) =>
      call("DELETE", `/api/affiliate/keys/${encodeURIComponent(keyId)}`),
    listLinks: (query) =>
      call("GET", `/api/affiliate/links`, undefined, query),
    createLink: (body, query) =>
      call("POST", `/api/affiliate/links`, body, query),
    getLink: (linkId, query) =>
      call("GET", `/api/affiliate/links/${encodeURIComponent(linkId)}`, undefined, query),
    changeLink: (linkId, body = {}, query) =>
      call("PATCH", `/api/affiliate/links/${encodeURIComponent(linkId)}`, body, query),
    listNotifications: (query) =>
      call("GET", `/api/affiliate/notifications`, undefined, query),
    getNotificationChoices: (query) =>
      call("GET", `/api/affiliate/notifications/choices`, undefined, query),
    changeNotificationChoices: (body) =>
      call("PATCH", `/api/affiliate/notifications/choices`, body),
    listOffers: (query) =>
      call("GET", `/api/affiliate/offers`, undefined, query),
    listAffiliateOrders: (query) =>
      call("GET", `/api/affiliate/orders`, undefined, query),
    getAffiliateOrder: (orderId) =>
      call("GET", `/api/affiliate/orders/${encodeURIComponent(orderId)}`),
    getPayoutDestination: () =>
      call("GET", `/api/affiliate/payout_destination`),
    changePayoutDestination: (body) =>
      call("PUT", `/api/affiliate/payout_destination`, body),
    listPayouts: (query) =>
      call("GET", `/api/affiliate/payouts`, undefined, query),
    requestPayout: (body) =>
      callOnce("POST", `/api/affiliate/payouts`, body),
    getPayout: (payoutId) =>
      call("GET", `/api/affiliate/payouts/${encodeURIComponent(payoutId)}`),
    listPostings: (query) =>
      call("GET", `/api/affiliate/postings`, undefined, query),
    getAffiliateProfile: () =>
      call("GET", `/api/affiliate/profile`),
    changeAffiliateProfile: (body) =>
      call("PATCH", `/api/affiliate/profile`, body),
    listReferrals: (query) =>
      call("GET", `/api/affiliate/referrals`, undefined, query),
    getAffiliateStatistics: (query) =>
      call("GET", `/api/affiliate/statistics`, undefined, query),
    getTaxIdentity: () =>
      call("GET", `/api/affiliate/tax_identity`),
    changeTaxIdentity: (body) =>
      call("PUT", `/api/affiliate/tax_identity`, body),
    getAffiliateTerms: () =>
      call("GET", `/api/affiliate/terms`),
    getWebhook: () =>
      call("GET", `/api/affiliate/webhook`),
    setWebhook: (body) =>
      call("PUT", `/api/affiliate/webhook`, body),
    removeWebhook: () =>
      call("DELETE", `/api/affiliate/webhook`),
    rotateWebhookSecret: () =>
      call("POST", `/api/affiliate/webhook/rotate`),
    testWebhook: () =>
      call("POST", `/api/affiliate/webhook/test`),
    getAffiliateLinkOffer: (body = {}) =>
      call("POST", `/api/affiliate_link/offer`, body),
    trackAffiliateLinkVisit: (body) =>
      call("POST", `/api/affiliate_link/visit`, body),
    completeRegistration: (clientId, body) =>
      callOnce("POST", `/api/clients/${encodeURIComponent(clientId)}/complete_registration`, body),
    registerClient: (body) =>
      callOnce("POST", `/api/clients/register`, body),
    registerGuest: (body = {}) =>
      callOnce("POST", `/api/clients/register/guest`, body),
    convertOrder: (orderId, body = {}) =>
      callOnce("PATCH", `/api/orders/${encodeURIComponent(orderId)}/convert`, body),
  };
}
