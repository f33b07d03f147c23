// Made by make.py: change what it is made of.
export interface ClientOptions {
  /** Where the service is: "https://api.example.com". */
  api: string;
  /** The client's bearer token, asked for at each call. */
  token?: () => string | null | undefined;
  /** Sent with each call; on a server, `Origin` names the client area. */
  headers?: Record<string, string>;
  fetch?: typeof fetch;
}

/** Every refusal: 4xx and 5xx. `retryAfter` is in seconds. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: ErrorDetail[];
  readonly retryAfter: number | undefined;
}

/**
 * A call that is refused rejects with an ApiError; one that does not arrive, as fetch does.
 * Before that, a registration, conversion, payout request or claim is sent up to twice more
 * under one Idempotency-Key, so that it happens once.
 */
export function createClient(options: ClientOptions): AffiliatesClient;

export interface AffiliatesClient {
  /** What applicants earn, are asked and accept: GET /api/affiliate/apply */
  getAffiliateProgram(): Promise<Program>;
  /** Become an affiliate, once approved; 409 where the caller is one: POST /api/affiliate/apply */
  applyAsAffiliate(body?: Application): Promise<Profile>;
  /** What the affiliate has in each currency: GET /api/affiliate/balances */
  listBalances(query?: { page?: number }): Promise<Balances>;
  /** The affiliate's own claims, newest first: GET /api/affiliate/claims */
  listClaims(query?: { first?: string; last?: string; ordering?: "-created_at" | "created_at"; page?: number; status?: "open" | "answered" | "granted" | "declined" }): Promise<Claims>;
  /** Claim a missing sale: POST /api/affiliate/claims */
  submitClaim(body?: ClaimRequest): Promise<Claim>;
  /** What the affiliate earned, sale by sale: GET /api/affiliate/commissions */
  listCommissions(query?: { currency?: string; first?: string; last?: string; number?: string; order?: string; ordering?: "-earned_at" | "earned_at" | "matures_at" | "-matures_at" | "amount" | "-amount"; page?: number; payout?: number; status?: "pending" | "matured" | "held" | "approved" | "rejected" | "paid" | "reversed" }): Promise<Commissions>;
  /** A commission with its receipt, refunds and steps: GET /api/affiliate/commissions/{commission_id} */
  getCommission(commissionId: string): Promise<Commission>;
  /** The affiliate's coupon codes: GET /api/affiliate/coupons */
  listCoupons(query?: { is_active?: boolean; ordering?: "code" | "-code" | "id" | "-id"; page?: number }): Promise<AffiliateCoupons>;
  /** Make a code within an offer: POST /api/affiliate/coupons */
  createCoupon(body: CodeRequest): Promise<AffiliateCoupon>;
  /** End a code for good: DELETE /api/affiliate/coupons/{coupon_id} */
  endCoupon(couponId: string): Promise<AffiliateCoupon>;
  /** What the brand gives its affiliates to show, newest first: GET /api/affiliate/creatives */
  listCreatives(query?: { link?: number; ordering?: "-id" | "id" | "name" | "-name" | "created_at" | "-created_at"; page?: number }): Promise<Creatives>;
  /** One creative, or its file: GET /api/affiliate/creatives/{creative_id} */
  getCreative(creativeId: string, query?: { link?: number }): Promise<Creative>;
  /** What becomes of each balance if the affiliate leaves: GET /api/affiliate/departure */
  getDeparture(): Promise<Departure>;
  /** Leave the program; a repeat changes nothing: POST /api/affiliate/departure */
  leaveProgram(body: DepartureRequest): Promise<Departure>;
  /** The affiliate's keys, newest first: GET /api/affiliate/keys */
  listKeys(query?: { page?: number }): Promise<Keys>;
  /** Make a key; no key can make one, or change where payouts go: POST /api/affiliate/keys */
  createKey(body: KeyRequest): Promise<NewKey>;
  /** End a key at once: DELETE /api/affiliate/keys/{key_id} */
  revokeKey(keyId: string): Promise<Key>;
  /** The affiliate's links, newest first: GET /api/affiliate/links */
  listLinks(query?: { first?: string; is_active?: boolean; last?: string; ordering?: "-id" | "id" | "name" | "-name" | "created_at" | "-created_at"; page?: number; sub?: string; sub1?: string; sub2?: string; sub3?: string; sub4?: string; sub5?: string }): Promise<Links>;
  /** Make a link: POST /api/affiliate/links */
  createLink(body: LinkRequest, query?: { sub?: string; sub1?: string; sub2?: string; sub3?: string; sub4?: string; sub5?: string }): Promise<Link>;
  /** One of the affiliate's links: GET /api/affiliate/links/{link_id} */
  getLink(linkId: string, query?: { sub?: string; sub1?: string; sub2?: string; sub3?: string; sub4?: string; sub5?: string }): Promise<Link>;
  /** Change a link, or switch it off: PATCH /api/affiliate/links/{link_id} */
  changeLink(linkId: string, body?: LinkChange, query?: { sub?: string; sub1?: string; sub2?: string; sub3?: string; sub4?: string; sub5?: string }): Promise<Link>;
  /** The e-mails that the affiliate was sent, newest first: GET /api/affiliate/notifications */
  listNotifications(query?: { first?: string; kind?: "applied" | "approved" | "declined" | "left" | "first_referral" | "sale" | "commission_approved" | "reversal" | "restoration" | "digest" | "payout_requested" | "paid" | "payout_rejected" | "payout_returned" | "invoice_needed" | "destination_set" | "destination_changed" | "credentials_changed" | "transferred" | "claim_answered" | "monthly_summary" | "announcement"; last?: string; ordering?: "-created_at" | "created_at" | "finished_at" | "-finished_at" | "kind" | "-kind"; page?: number }): Promise<Notifications>;
  /** Which e-mails the affiliate is sent: GET /api/affiliate/notifications/choices */
  getNotificationChoices(query?: { page?: number }): Promise<NotificationChoices>;
  /** Choose when e-mails are sent; kinds not named stay as they are: PATCH /api/affiliate/notifications/choices */
  changeNotificationChoices(body: ChoicesRequest): Promise<NotificationChoices>;
  /** What the affiliate can offer friends now: GET /api/affiliate/offers */
  listOffers(query?: { page?: number }): Promise<Offers>;
  /** Orders that the affiliate had a part in, each with the reason: GET /api/affiliate/orders */
  listAffiliateOrders(query?: { first?: string; last?: string; number?: string; order?: string; ordering?: "-converted_at" | "converted_at"; outcome?: "credited" | "lost" | "all"; page?: number }): Promise<AffiliateOrders>;
  /** One of these orders: GET /api/affiliate/orders/{order_id} */
  getAffiliateOrder(orderId: string): Promise<AffiliateOrder>;
  /** Where the affiliate's payouts go: GET /api/affiliate/payout_destination */
  getPayoutDestination(): Promise<Destination>;
  /** Say where payouts go from now on: PUT /api/affiliate/payout_destination */
  changePayoutDestination(body: DestinationRequest): Promise<Destination>;
  /** The affiliate's payouts, newest first: GET /api/affiliate/payouts */
  listPayouts(query?: { currency?: string; first?: string; last?: string; ordering?: "-id" | "id" | "requested_at" | "-requested_at" | "finished_at" | "-finished_at" | "amount" | "-amount"; page?: number; status?: "requested" | "approved" | "exported" | "paid" | "rejected" | "returned" }): Promise<Payouts>;
  /** Ask for the whole payable balance of a currency: POST /api/affiliate/payouts */
  requestPayout(body: PayoutRequest): Promise<Payout>;
  /** A payout with its statements: GET /api/affiliate/payouts/{payout_id} */
  getPayout(payoutId: string): Promise<PayoutWhole>;
  /** Every movement on the affiliate's accounts: their sums are the balances: GET /api/affiliate/postings */
  listPostings(query?: { account?: "pending" | "held" | "payable" | "clearing" | "paid_out"; commission?: number; currency?: string; first?: string; kind?: "earned" | "held" | "released" | "approved" | "rejected" | "reversed" | "restored" | "payout_requested" | "payout_paid" | "payout_rejected" | "bonus" | "bonus_held" | "bonus_released" | "bonus_withdrawn" | "deduction" | "payout_returned"; last?: string; ordering?: "-id" | "id" | "amount" | "-amount"; page?: number; payout?: number }): Promise<Postings>;
  /** The caller's own affiliate account; 404 where it has none: GET /api/affiliate/profile */
  getAffiliateProfile(): Promise<Profile>;
  /** Choose the time zone that times are read in: PATCH /api/affiliate/profile */
  changeAffiliateProfile(body: ProfileChange): Promise<Profile>;
  /** The clients that are the affiliate's since they registered: GET /api/affiliate/referrals */
  listReferrals(query?: { first?: string; last?: string; ordering?: "-bound_at" | "bound_at" | "touched_at" | "-touched_at"; page?: number }): Promise<Referrals>;
  /** What came of the affiliate's links in a span of days: GET /api/affiliate/statistics */
  getAffiliateStatistics(query?: { by?: "day" | "week" | "month" | "link" | "coupon" | "sub_id" | "referrer" | "country"; first?: string; last?: string }): Promise<AffiliateStatistics>;
  /** Who is paid for the affiliate today: GET /api/affiliate/tax_identity */
  getTaxIdentity(): Promise<TaxIdentity>;
  /** Say who is paid from a day on: PUT /api/affiliate/tax_identity */
  changeTaxIdentity(body: IdentityRequest): Promise<TaxIdentity>;
  /** By which rates and conditions the affiliate earns: GET /api/affiliate/terms */
  getAffiliateTerms(): Promise<AffiliateTerms>;
  /** The affiliate's webhook: GET /api/affiliate/webhook */
  getWebhook(): Promise<AffiliateWebhook>;
  /** Say where events are sent from now on: PUT /api/affiliate/webhook */
  setWebhook(body: WebhookRequest): Promise<NewAffiliateWebhook>;
  /** Forget address and secret, at once: DELETE /api/affiliate/webhook */
  removeWebhook(): Promise<AffiliateWebhook>;
  /** Make a new secret; for a day the earlier one signs too: POST /api/affiliate/webhook/rotate */
  rotateWebhookSecret(): Promise<WebhookSecret>;
  /** Have a ping sent as events are; 409 while one is on its way: POST /api/affiliate/webhook/test */
  testWebhook(): Promise<AffiliateWebhook>;
  /** What the affiliate who sent the visitor offers: POST /api/affiliate_link/offer */
  getAffiliateLinkOffer(body?: Referral): Promise<AffiliateLinkOffer>;
  /** Track an affiliate link visit: POST /api/affiliate_link/visit */
  trackAffiliateLinkVisit(body: VisitRequest): Promise<VisitResponse>;
  /** Complete a guest registration: POST /api/clients/{client_id}/complete_registration */
  completeRegistration(clientId: string, body: Completion): Promise<Registered>;
  /** Register a client: POST /api/clients/register */
  registerClient(body: Registration): Promise<Registered>;
  /** Create a guest for basket operations: POST /api/clients/register/guest */
  registerGuest(body?: Guest): Promise<Registered>;
  /** Convert a basket to an order invoice: PATCH /api/orders/{order_id}/convert */
  convertOrder(orderId: string, body?: Conversion): Promise<Converted>;
}

export interface AcceptedTerms {
  number: number;
  text: string;
  accepted_at: string;
}

export interface AffiliateCoupon {
  data: CouponData;
}

export interface AffiliateCouponPage {
  page: number;
  pages: number;
  coupons: Array<CouponData>;
}

export interface AffiliateCoupons {
  data: AffiliateCouponPage;
}

export interface AffiliateLinkOffer {
  data: ShownOffer | null;
}

export interface AffiliateOrder {
  data: OrderData;
}

export interface AffiliateOrderPage {
  page: number;
  pages: number;
  orders: Array<OrderData>;
}

export interface AffiliateOrders {
  data: AffiliateOrderPage;
}

export interface AffiliateStatistics {
  data: StatisticsData;
}

export interface AffiliateTerms {
  data: AffiliateTermsData;
}

/** Amounts are decimal numbers as text; null without a plan: nothing is earned. */
export interface AffiliateTermsData {
  /** Of the affiliate's plan, in words. */
  rates: Array<string>;
  conditions: Array<string>;
  examples: Array<Example>;
  tiers: Array<TierStanding>;
  caps: Array<CapUse>;
  hold_days: number | null;
  /** By billing cycle, where it is not hold_days. */
  hold_days_by_cycle: Record<string, number> | null;
  allows_paid_ads: boolean | null;
  /** What the affiliate's recruiter gets beside the commission. */
  recruiter_percent: string | null;
  /** An older click earns nothing. */
  window_days: number;
  /** Of a payout, by currency. */
  minimums: Array<Minimum>;
  /** Of a payout in any other currency, in its units. */
  other_minimum: number;
  recruiting: Recruiting | null;
  /** The version of the program's terms accepted last. */
  accepted: AcceptedTerms | null;
}

export interface AffiliateWebhook {
  /** Null: there is none. */
  data: WebhookData | null;
}

export interface Application {
  /** The wish for a short name in links; without one it is made up. */
  code?: string;
  /** The code of the affiliate whose address the caller came by: it is the recruiter while it is active; any other is ignored. */
  by?: string;
  /** Of each question, by its id. */
  answers?: Record<string, string>;
  /** The number of the terms, which are accepted by it. */
  terms?: number;
}

/** Decimal numbers as text. ``payable`` is below zero after late refunds. */
export interface Balance {
  currency: string;
  /** Earned, the hold is not over. */
  pending: string;
  /** Being looked at. */
  held: string;
  /** What a payout would take. */
  payable: string;
  /** In an open payout. */
  being_paid: string;
  paid_out: string;
  /** Of pending. The rest waits for staff. */
  in_hold: string;
  /** When the next hold is over. */
  next_maturity_at: string | null;
  /** Whose hold is over on that day. */
  next_maturity_amount: string;
  /** When the last hold is over. */
  last_maturity_at: string | null;
  payout: NextPayout;
}

/** Decimal numbers as text. */
export interface BalanceOnLeaving {
  currency: string;
  /** Its hold is not over. */
  pending: string;
  /** Being looked at. */
  held: string;
  /** Below zero: a debt. */
  payable: string;
  /** In an open payout. */
  being_paid: string;
  /** Besides what is in an open payout. */
  total: string;
  /** Usually paid at least. */
  minimum: string;
  /** paid, given_up, forfeited (below the minimum), owed (a debt) or nothing. */
  end: string;
  /** When the last hold ends. */
  matures_at: string | null;
}

export interface BalancePage {
  page: number;
  pages: number;
  balances: Array<Balance>;
}

export interface Balances {
  data: BalancePage;
}

export interface Before {
  first: string;
  last: string;
  figures: Figures;
}

export interface CapUse {
  currency: string;
  cap: string;
  /** Earned in the period so far, less refunds. */
  used: string;
  left: string;
  /** Of the period; null: never. */
  ends_at: string | null;
}

export interface ChoiceData {
  kind: string;
  /** When it is sent. */
  about: string;
  /** Why it cannot be switched off; empty where it can. */
  always: string;
  /** at_once, daily or weekly (in a digest), or never. */
  delivery: string;
  /** Those to choose from, the default first. */
  deliveries: Array<string>;
}

export interface ChoicesRequest {
  /** By kind: first_referral, sale, commission_approved, reversal, restoration, payout_requested, paid, payout_rejected, payout_returned, claim_answered, monthly_summary, announcement. */
  choices: Record<string, "at_once" | "daily" | "weekly" | "never">;
}

export interface Claim {
  data: ClaimData;
}

export interface ClaimData {
  id: string;
  status: StatusEnum;
  /** As typed; empty where it was left out. */
  order: string;
  /** As typed. */
  client_email: string;
  ordered_on: string | null;
  note: string;
  /** Sentence by sentence. */
  answer: Array<string>;
  created_at: string;
}

export interface ClaimPage {
  page: number;
  pages: number;
  claims: Array<ClaimData>;
}

export interface ClaimRequest {
  /** Order or invoice. Required unless client_email is given. */
  order?: string;
  /** Of the client, as far as known. */
  client_email?: string;
  /** About when, as YYYY-MM-DD. */
  ordered_on?: string | null;
  note?: string;
}

export interface Claims {
  data: ClaimPage;
}

/** The client as the host shows it; hosts may add fields. */
export interface Client {
  id: string;
  email?: string;
  firstname?: string;
  lastname?: string;
  is_guest?: boolean;
  token?: string;
}

export interface CodeRequest {
  offer_id: number;
  /** It begins with the offer's prefix. Left out: one is proposed. */
  code?: string;
}

export interface Commission {
  data: CommissionDetail;
}

export interface CommissionData {
  id: number;
  /** sale, or share: of the commission of an affiliate you recruited. */
  kind: string;
  /** Empty of a share. */
  order: string;
  /** That of its first invoice, or the order's reference. Empty of a share. */
  order_number: string;
  invoice: string;
  /** 0: the order's first invoice. Always 0 of a share. */
  renewal: number;
  /** What the plan counts it as: the renewal without the invoices of nothing before it. 0: the first invoice with an amount. Always 0 of a share. */
  position: number;
  /** pending, matured (waiting for approval), held, approved, paid, rejected or reversed. */
  status: string;
  /** Why it has this status. */
  reason: string;
  /** Null of a share. */
  sale_currency: string | null;
  /** Of the invoice, after discount and before tax. Null of a share. */
  sale_amount: string | null;
  currency: string;
  amount: string;
  /** By refunds: zero or below. */
  taken_back: string;
  /** When the invoice was paid. */
  earned_at: string;
  /** When its hold is over. */
  matures_at: string;
  payout: number | null;
}

export interface CommissionDetail {
  id: number;
  /** sale, or share: of the commission of an affiliate you recruited. */
  kind: string;
  /** Empty of a share. */
  order: string;
  /** That of its first invoice, or the order's reference. Empty of a share. */
  order_number: string;
  invoice: string;
  /** 0: the order's first invoice. Always 0 of a share. */
  renewal: number;
  /** What the plan counts it as: the renewal without the invoices of nothing before it. 0: the first invoice with an amount. Always 0 of a share. */
  position: number;
  /** pending, matured (waiting for approval), held, approved, paid, rejected or reversed. */
  status: string;
  /** Why it has this status. */
  reason: string;
  /** Null of a share. */
  sale_currency: string | null;
  /** Of the invoice, after discount and before tax. Null of a share. */
  sale_amount: string | null;
  currency: string;
  amount: string;
  /** By refunds: zero or below. */
  taken_back: string;
  /** When the invoice was paid. */
  earned_at: string;
  /** When its hold is over. */
  matures_at: string;
  payout: number | null;
  lines: Array<ReceiptLine>;
  refunds: Array<CommissionRefund>;
  steps: Array<CommissionStep>;
}

export interface CommissionPage {
  page: number;
  pages: number;
  commissions: Array<CommissionData>;
}

export interface CommissionRefund {
  /** refund or chargeback, or cancellation of either. */
  kind: string;
  /** Or when it was cancelled. */
  refunded_at: string;
  /** Zero or below; of a cancellation zero or above. */
  amount: string;
}

export interface CommissionStep {
  at: string;
  status: string;
  reason: string;
}

export interface Commissions {
  data: CommissionPage;
}

/** The fields every one of these requests may carry. */
export interface Completion {
  referral_cookie?: string | null;
  email: string;
  firstname: string;
  lastname: string;
  password: string;
  user_agent?: string | null;
}

/** * `granted` - granted * `denied` - denied * `unknown` - unknown */
export type ConsentEnum = "granted" | "denied" | "unknown";

/** The fields every one of these requests may carry. */
export interface Conversion {
  referral_cookie?: string | null;
  /** Without it, or with null, the client pays by bank transfer. */
  payment_details_id?: number | null;
}

export interface Converted {
  data: Invoice;
}

export interface CouponData {
  id: number;
  /** Upper and lower case are one. */
  code: string;
  /** False: it credits nobody. */
  is_active: boolean;
  /** What an order with it earns; null: what the plan says. */
  percent: string | null;
  /** Of the discount, taken from the commission. */
  affiliate_funds_percent: string;
  /** Of all time. Clicks and signups have no coupon. */
  figures: Figures;
}

export interface Creative {
  data: CreativeData;
}

export interface CreativeData {
  id: number;
  name: string;
  /** In the request's language. Of an image or a file: what it shows. */
  text: string;
  /** Its address; null for a text. */
  image: string | null;
  /** In pixels. */
  width: number | null;
  height: number | null;
  /** The address at which a signed-in affiliate downloads it; null without a file. */
  file: string | null;
  /** Empty without a file. */
  file_name: string;
  /** Its content type. */
  file_type: string | null;
  /** In bytes. */
  file_size: number | null;
  /** HTML to copy, with the affiliate's own link; null for a file. */
  snippet: string | null;
  created_at: string;
}

export interface CreativePage {
  page: number;
  pages: number;
  creatives: Array<CreativeData>;
}

export interface Creatives {
  data: CreativePage;
}

export interface CutOff {
  /** From this day on the numbers are counted live. */
  live_from: string;
  /** As of when earlier days were counted. */
  counted_at: string | null;
  /** Days to be counted anew. */
  days_due: number;
}

export interface Departure {
  data: DepartureData;
}

export interface DepartureData {
  /** Null: it has not left. */
  left_at: string | null;
  /** The code of why it cannot leave now, else empty. */
  refusal: string;
  balances: Array<BalanceOnLeaving>;
}

/** The body of an operation for which the host confirms the client's identity. */
export interface DepartureRequest {
  /** Of the client, where the portal asks for it. */
  current_password?: string;
  /** Of the client's second factor, where the portal asks for it. */
  current_code?: string;
  /** True: no balance is paid out. Commissions in their hold are deducted when they become payable. */
  gives_up_balance: boolean;
}

export interface Destination {
  /** Null: none was given yet. */
  data: DestinationData | null;
}

export interface DestinationData {
  kind: string;
  /** Such as DE… 3000; the rest is never shown. */
  hint: string;
  /** From when it is paid to. */
  usable_from: string;
  created_at: string;
}

/** ``kind`` decides which texts are required. */
export interface DestinationRequest {
  /** Of the client, where the portal asks for it. */
  current_password?: string;
  /** Of the client's second factor, where the portal asks for it. */
  current_code?: string;
  kind: string;
  /** PayPal: at most 254 characters. */
  email?: string;
  /** Bank transfer (SEPA), Wise: at most 70 characters. */
  account_holder?: string;
  /** Bank transfer (SEPA), Wise: at most 50 characters. */
  iban?: string;
  /** By agreement: at most 255 characters. */
  agreement?: string;
  /** Wise: at most 3 characters. */
  payout_currency?: string;
  /** Wise: at most 8 characters. */
  holder_type?: string;
  /** Wise: at most 8 characters. */
  sort_code?: string;
  /** Wise: at most 11 characters. */
  routing_number?: string;
  /** Wise: at most 20 characters. */
  account_number?: string;
  /** Wise: at most 8 characters. */
  account_type?: string;
  /** Wise: at most 100 characters. */
  street?: string;
  /** Wise: at most 100 characters. */
  city?: string;
  /** Wise: at most 20 characters. */
  post_code?: string;
  /** Wise: at most 2 characters. */
  state?: string;
  /** Wise: at most 2 characters. */
  country?: string;
}

export interface EarningStage {
  /** Of each of these payments. */
  commission: string;
  /** How many earn it; null: all that follow. */
  payments: number | null;
}

export interface ErrorDetail {
  /** Stable and machine-readable. */
  code: string;
  /** What is wrong and what to do. */
  detail: string;
  /** The field at fault, or null. */
  attr: string | null;
}

export interface Errors {
  type: TypeEnum;
  errors: Array<ErrorDetail>;
}

/** * `client.referred` - client.referred * `referral.recorded` - referral.recorded * `commission.changed` - commission.changed * `payout.changed` - payout.changed */
export type EventsEnum = "client.referred" | "referral.recorded" | "commission.changed" | "payout.changed";

export interface Example {
  product: string;
  billing_cycle: string;
  /** The billing cycle in words. */
  cycle: string;
  currency: string;
  /** Of one billing cycle, before tax. */
  price: string;
  /** Of the first payment. */
  commission: string;
  /** From the first payment on; after the last nothing is earned. */
  stages: Array<EarningStage>;
  /** Which payments earn, in words. */
  payments: string;
  /** All of it in one sentence. */
  text: string;
}

export interface FigureAmounts {
  /** The sales, after discount, before tax. */
  revenue: string;
  /** Revenue less what refunds took back of these sales. */
  net_revenue: string;
  /** What these sales have earned as of now: pending, held, approved or paid. */
  commission: string;
  /** In its hold. */
  commission_pending: string;
  /** Its hold is over, and staff approve it. */
  commission_matured: string;
  /** Held for review. */
  commission_held: string;
  /** Approved and not paid yet. */
  commission_due: string;
  /** Paid out. */
  commission_paid: string;
  /** Commissions that were rejected. */
  commission_rejected: string;
  /** What refunds took back of these sales' commissions. */
  commission_taken_back: string;
  /** Commission divided by unique clicks. */
  epc: string | null;
}

export interface FigureCounts {
  /** Visits by a link or code, robots and repeats too. */
  clicks: number;
  /** Clicks without robots and prefetches. */
  human_clicks: number;
  /** The first human click of a visitor for an affiliate on a day. */
  unique_clicks: number;
  /** Clients who were bound to an affiliate. */
  signups: number;
  /** Orders credited to an affiliate, or held for review. */
  orders: number;
  /** Paid invoices of such orders, renewals too. */
  sales: number;
  /** Refunds and chargebacks of these sales, less those cancelled. */
  reversals: number;
  /** Orders in per cent of unique clicks. */
  conversion_rate: string | null;
}

export interface Figures {
  counts: FigureCounts;
  /** By currency. */
  amounts: Record<string, FigureAmounts>;
}

/** The fields every one of these requests may carry. */
export interface Guest {
  referral_cookie?: string | null;
  email?: string;
  firstname?: string;
  lastname?: string;
  user_agent?: string | null;
}

/** The body of an operation for which the host confirms the client's identity. */
export interface IdentityRequest {
  /** Of the client, where the portal asks for it. */
  current_password?: string;
  /** Of the client's second factor, where the portal asks for it. */
  current_code?: string;
  name: string;
  /** Its lines, divided by line breaks. */
  address: string;
  /** Two letters of ISO 3166, such as DE. */
  country: string;
  /** person or business. */
  kind: string;
  tax_number?: string;
  vat_id?: string;
  /** US persons: individual, c_corporation, s_corporation, partnership, trust, llc, other. */
  us_classification?: string;
  /** Today if it is left out. */
  valid_from?: string;
}

/** The initial invoice as the host shows it; hosts may add fields. */
export interface Invoice {
  id: string;
  number?: string;
  /** As of the conversion. */
  unpaid_amount?: Record<string, unknown>;
  order_id: string;
  /** That of the order. */
  status?: string;
  total?: Record<string, unknown>;
}

export interface Key {
  data: KeyData;
}

export interface KeyData {
  id: number;
  name: string;
  /** How the key begins. */
  hint: string;
  scopes: Array<string>;
  created_at: string;
  expires_at: string;
  /** To the hour. */
  last_used_at: string | null;
  ended_at: string | null;
  /** revoked, suspended, left or credentials; empty while it lives. */
  end: string;
}

export interface KeyPage {
  page: number;
  pages: number;
  keys: Array<KeyData>;
}

/** The body of an operation for which the host confirms the client's identity. */
export interface KeyRequest {
  /** Of the client, where the portal asks for it. */
  current_password?: string;
  /** Of the client's second factor, where the portal asks for it. */
  current_code?: string;
  /** What it is for. */
  name: string;
  /** What it may do. */
  scopes: Array<ScopesEnum>;
  /** The key expires after this number of days. */
  days?: number;
}

export interface Keys {
  data: KeyPage;
}

export interface Link {
  data: LinkData;
}

export interface LinkChange {
  name?: string;
  /** A page on a permitted host; empty: the brand's default. */
  target_url?: string;
  /** False: the link credits nobody any more. */
  is_active?: boolean;
  /** A name in place of the hash in the address: 3 to 32 letters, digits and hyphens. It is given once and stays: another name needs another link. */
  slug?: string;
}

export interface LinkData {
  id: number;
  name: string;
  /** Empty: the brand's default. */
  target_url: string;
  is_active: boolean;
  /** Its name in the address; empty: the hash. */
  slug: string;
  /** The link as a path and as a parameter; empty without a client area. */
  addresses: Array<string>;
  created_at: string;
  /** Of all time. */
  figures: Figures;
}

export interface LinkPage {
  page: number;
  pages: number;
  links: Array<LinkData>;
}

export interface LinkRequest {
  name: string;
  /** A page on a permitted host; empty: the brand's default. */
  target_url?: string;
  /** A name in place of the hash in the address: 3 to 32 letters, digits and hyphens. It is given once and stays: another name needs another link. */
  slug?: string;
}

export interface Links {
  data: LinkPage;
}

export interface Minimum {
  currency: string;
  amount: string;
}

export interface NewAffiliateWebhook {
  data: NewWebhookData;
}

export interface NewKey {
  data: NewKeyData;
}

export interface NewKeyData {
  id: number;
  name: string;
  /** How the key begins. */
  hint: string;
  scopes: Array<string>;
  created_at: string;
  expires_at: string;
  /** To the hour. */
  last_used_at: string | null;
  ended_at: string | null;
  /** revoked, suspended, left or credentials; empty while it lives. */
  end: string;
  /** Send it as a bearer token. Shown this once. */
  key: string;
}

export interface NewWebhookData {
  address: string;
  /** None: all of them. */
  events: Array<string>;
  is_active: boolean;
  /** Why it is off: gone (the receiver answered 410), failing (it accepted nothing for three days), suspended, left or staff; else empty. */
  end: string;
  /** The last 20. */
  deliveries: Array<WebhookDelivery>;
  /** What a new one is signed with, shown this once; else empty. */
  secret: string;
}

/** Whether a payout of this balance can be requested now. */
export interface NextPayout {
  /** Empty: a request is accepted. Else the code that it is refused with. */
  refusal?: string;
  /** Paid out at least. */
  minimum: string;
  /** How much more must be payable for the minimum. */
  missing: string;
  /** The payout under way. */
  open_payout: number | null;
  /** From when the destination is paid to. Null: there is none. */
  usable_from?: string | null;
  /** The kinds of destination that take the currency. */
  kinds: Array<string>;
}

export interface Notification {
  id: number;
  /** As in the choices. */
  kind: string;
  /** sent, unclear (it may have arrived), failed or given_up. */
  status: string;
  /** Empty: it is no longer kept. */
  subject: string;
  created_at: string;
  /** When it was sent, or given up. */
  finished_at: string;
  /** The figure of the e-mail, in each currency. */
  amounts: Array<NotifiedAmount>;
  /** The invoice's number, of a sale and its commission. */
  invoice: string;
  /** Its number, of a payout. */
  payout: number | null;
  /** The page of what it is about; null: it is no longer known. */
  page: NotifiedPage | null;
}

export interface NotificationChoicePage {
  page: number;
  pages: number;
  choices: Array<ChoiceData>;
}

export interface NotificationChoices {
  data: NotificationChoicePage;
}

export interface NotificationPage {
  page: number;
  pages: number;
  notifications: Array<Notification>;
}

export interface Notifications {
  data: NotificationPage;
}

export interface NotifiedAmount {
  amount: string;
  currency: string;
}

export interface NotifiedPage {
  /** What one sees there. */
  label: string;
  /** On the client area's host. */
  path: string;
}

export interface OfferData {
  id: number;
  /** What the friend gets. */
  text: string;
  /** The same in detail; may be empty. */
  grants: string;
  /** Every code begins with it. */
  prefix: string;
  /** At a time. */
  max_codes: number;
  /** How many can be made now. */
  codes_left: number;
  /** Null: what the plan says. */
  percent: string | null;
  /** Of the discount, taken from the commission. */
  affiliate_funds_percent: string;
  /** True: others do not get it. */
  for_new_clients: boolean;
  /** Null: for ever. */
  valid_until: string | null;
}

export interface OfferPage {
  page: number;
  pages: number;
  offers: Array<OfferData>;
}

export interface Offers {
  data: OfferPage;
}

export interface OrderCommission {
  id: number;
  status: string;
  currency: string;
  amount: string;
  /** By refunds: zero or below. */
  taken_back: string;
  invoice: string;
  /** Of the invoice's lines, unless the brand masks its clients: then of the host's catalogue, or codes, since a line may name a client. */
  products: Array<string>;
  sale_currency: string;
  /** Of the invoice, after discount and before tax. */
  sale_amount: string;
}

export interface OrderData {
  client: ReferredClient;
  id: number;
  order: string;
  /** By which people know it: that of its first invoice, or its reference. */
  number: string;
  converted_at: string;
  /** To the caller. */
  is_credited: boolean;
  /** For review. */
  is_held: boolean;
  /** The affiliate's own part of it, and why. */
  decision: Reading;
  /** Of the invoices paid for it, after discount and before tax, summed by currency. Empty where nothing is paid, or the order is not credited to the caller. */
  sales: Array<OrderSales>;
  commissions: Array<OrderCommission>;
}

export interface OrderSales {
  currency: string;
  amount: string;
}

export interface OwnClick {
  touched_at: string;
  /** Stable and machine-readable. */
  verdict: string;
  sentence: string;
}

export interface Part {
  /** Null: what has none, and the rest. */
  key: string | null;
  name: string;
  figures: Figures;
}

export interface Payout {
  data: PayoutData;
}

export interface PayoutData {
  id: number;
  currency: string;
  amount: string;
  /** requested, approved, exported (being paid), paid, rejected or returned (paid, and sent back). */
  status: string;
  /** Why it was rejected or returned, else empty. */
  reason: string;
  /** Of the payment, once it is paid. */
  reference: string;
  /** What arrived in another currency, as the provider states it. Null: nothing was converted. */
  received_amount: string | null;
  /** Of that amount, else empty. */
  received_currency: string;
  destination: DestinationData;
  requested_at: string;
  finished_at: string | null;
}

export interface PayoutDetail {
  id: number;
  currency: string;
  amount: string;
  /** requested, approved, exported (being paid), paid, rejected or returned (paid, and sent back). */
  status: string;
  /** Why it was rejected or returned, else empty. */
  reason: string;
  /** Of the payment, once it is paid. */
  reference: string;
  /** What arrived in another currency, as the provider states it. Null: nothing was converted. */
  received_amount: string | null;
  /** Of that amount, else empty. */
  received_currency: string;
  destination: DestinationData;
  requested_at: string;
  finished_at: string | null;
  statements: Array<Statement>;
}

export interface PayoutPage {
  page: number;
  pages: number;
  payouts: Array<PayoutData>;
}

export interface PayoutRequest {
  /** Such as EUR. */
  currency: string;
}

export interface PayoutWhole {
  data: PayoutDetail;
}

export interface Payouts {
  data: PayoutPage;
}

export interface PostingData {
  id: number;
  at: string;
  /** Such as earned, approved, payout_paid. */
  kind: string;
  /** pending, held, payable, clearing (being paid) or paid_out. */
  account: string;
  currency: string;
  /** Below zero: it leaves the account. */
  amount: string;
  commission: number | null;
  payout: number | null;
}

export interface PostingPage {
  page: number;
  pages: number;
  postings: Array<PostingData>;
}

export interface Postings {
  data: PostingPage;
}

export interface Profile {
  data: ProfileData;
}

export interface ProfileChange {
  /** Such as Europe/Berlin; empty: the brand's. */
  own_time_zone: string;
}

export interface ProfileData {
  /** The short name in links. */
  code: string;
  /** pending (waiting for approval), active, suspended or left. */
  status: string;
  brand: string;
  /** The link with the code. */
  address: string | null;
  /** Of the days in statistics and filters. */
  time_zone: string;
  /** Of the times on pages and in e-mails; empty: the one of the days. */
  own_time_zone: string;
  /** An older click earns nothing. */
  window_days: number;
  cookie_days: number;
  created_at: string;
}

export interface Program {
  data: ProgramData;
}

export interface ProgramData {
  /** What newcomers earn, in words. */
  rates: Array<string>;
  questions: Array<Question>;
  terms: Terms | null;
}

export interface Question {
  id: number;
  text: string;
  is_required: boolean;
}

export interface Reading {
  summary: string;
  /** Why it is not credited to the affiliate: the verdict on the click that came nearest. Empty where it is, or where nothing of theirs is known. */
  reason: string;
  sentences: Array<string>;
  clicks: Array<OwnClick>;
}

/** The commission of a line of the invoice, and its calculation. */
export interface ReceiptLine {
  position: number;
  product: string;
  kind: string;
  /** If the brand masks its clients, whom a line may name: the product's name in the host's catalogue, or empty. */
  description: string;
  amount: string;
  sentences: Array<string>;
}

export interface Recruiting {
  /** Of what newcomers earn; empty: their plan has no share. */
  percent: string;
  /** Affiliates recruited so far. */
  count: number;
  /** Who joins by it is a recruit. */
  address: string | null;
}

/** The fields every one of these requests may carry. */
export interface Referral {
  referral_cookie?: string | null;
}

export interface ReferralData {
  client: ReferredClient;
  id: number;
  /** Since when the client is the affiliate's. */
  bound_at: string;
  /** Of the click that brought the client. */
  touched_at: string;
  /** register, guest or complete. */
  step: string;
  /** How many of the client's orders are credited to the affiliate. */
  orders: number;
}

export interface ReferralPage {
  page: number;
  pages: number;
  referrals: Array<ReferralData>;
}

export interface Referrals {
  data: ReferralPage;
}

export interface ReferredClient {
  /** Such as a…@e….org, unless the brand shows its clients. */
  email: string;
  /** Empty unless the brand shows its clients. */
  name: string;
}

export interface Registered {
  data: Client;
}

/** The fields every one of these requests may carry. */
export interface Registration {
  referral_cookie?: string | null;
  email: string;
  firstname: string;
  lastname: string;
  password: string;
  user_agent?: string | null;
}

/** * `statistics` - Read profile, links, coupons, creatives, referrals, orders and statistics * `money` - Read balances, commissions, payouts and notifications * `links` - Make and change links and codes * `claims` - Read and submit claims * `payouts` - Ask for payouts */
export type ScopesEnum = "statistics" | "money" | "links" | "claims" | "payouts";

export interface SecretData {
  /** Shown this once. */
  secret: string;
}

export interface ShownOffer {
  /** Enter it as the basket's coupon. */
  code: string;
  /** In the language of Accept-Language. */
  text: string;
  /** null: the offer has no end. */
  expires_at: string | null;
}

export interface Statement {
  number: string;
  /** paid, or returned: it takes one back. */
  kind: string;
  currency: string;
  amount: string;
  issued_at: string;
  issuer: string;
  tax_note: string;
  lines: Array<StatementLine>;
}

export interface StatementLine {
  /** The invoice, or what else it is. */
  name: string;
  /** As YYYY-MM-DD, or empty. */
  day: string;
  /** With its currency. */
  amount: string;
}

export interface StatisticsData {
  first: string;
  last: string;
  /** Whose days they are: the brand's. */
  time_zone: string;
  cut_off: CutOff | null;
  figures: Figures;
  /** As many days, directly before. */
  before: Before;
  /** By day, week or month, else empty. */
  steps: Array<Step>;
  /** By anything else, else empty. */
  parts: Array<Part>;
}

/** * `open` - To be reviewed * `answered` - Answered at once * `granted` - Granted * `declined` - Declined */
export type StatusEnum = "open" | "answered" | "granted" | "declined";

export interface Step {
  first: string;
  last: string;
  /** It is not over yet. */
  is_open: boolean;
  figures: Figures;
}

export interface TaxIdentity {
  /** Null: none was given yet. */
  data: TaxIdentityData | null;
}

export interface TaxIdentityData {
  name: string;
  address: string;
  country: string;
  kind: string;
  tax_number: string;
  vat_id: string;
  us_classification: string;
  valid_from: string;
  /** Numbers whose form is not known. */
  not_checked: Array<string>;
  /** The last answer, if asked. */
  vies: Vies | null;
}

export interface Terms {
  number: number;
  text: string;
}

export interface TierStanding {
  /** sales, or the currency of revenue. */
  unit: string;
  /** In the period so far. */
  counted: string;
  /** The rate of now. */
  percent: string;
  /** Null: the highest. */
  next_percent: string | null;
  /** To the next rate. */
  missing: string;
  sentences: Array<string>;
}

/** * `validation_error` - validation_error * `client_error` - client_error * `server_error` - server_error */
export type TypeEnum = "validation_error" | "client_error" | "server_error";

export interface Vies {
  /** valid, invalid, unavailable. */
  answer: string;
  reference: string;
  asked_at: string;
}

export interface VisitData {
  /** Where the visitor is to be redirected. */
  redirect_url: string;
  /** New or updated cookie value. */
  referral_cookie?: string;
  /** Lifetime to use for the browser cookie, in seconds. Left out with a cookie: it ends with the browser's session. */
  referral_cookie_max_age?: number;
}

/** The visit's body, for the API's description. */
export interface VisitRequest {
  /** Full current browser URL including query string and hash. */
  visit_url: string;
  /** Browser referrer URL; empty on a direct visit. */
  referrer_url: string;
  /** Browser user agent string. */
  user_agent: string;
  /** Existing value, if there is one. */
  referral_cookie?: string | null;
  /** The visitor's consent to be recognised again; unknown if left out. * `granted` - granted * `denied` - denied * `unknown` - unknown */
  consent?: ConsentEnum;
  /** Whether the page runs in a frame of another site. */
  framed?: boolean;
  /** The browser's navigator.webdriver: whether a program drives it. */
  automated?: boolean;
}

export interface VisitResponse {
  data: VisitData;
}

export interface WebhookData {
  address: string;
  /** None: all of them. */
  events: Array<string>;
  is_active: boolean;
  /** Why it is off: gone (the receiver answered 410), failing (it accepted nothing for three days), suspended, left or staff; else empty. */
  end: string;
  /** The last 20. */
  deliveries: Array<WebhookDelivery>;
}

export interface WebhookDelivery {
  /** The header webhook-id. */
  id: string;
  event: string;
  created_at: string;
  /** waiting, sending, retry (is sent again), unclear (it may have arrived), sent, failed (the receiver answered 410), given_up or not_sent. */
  state: string;
  attempts: number;
  /** Of the last answer; null where there was none. */
  status_code: number | null;
  next_at: string | null;
}

export interface WebhookRequest {
  /** https, a public name, no ? or #. */
  address: string;
  /** None: all of them. */
  events?: Array<EventsEnum>;
  is_active?: boolean;
}

export interface WebhookSecret {
  data: SecretData;
}
