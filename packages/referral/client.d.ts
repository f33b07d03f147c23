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

/** A call that is refused rejects with an ApiError; one that does not arrive, as fetch does. */
export function createClient(options: ClientOptions): AffiliatesClient;

export interface AffiliatesClient {
  /** Become an affiliate, once approved; 409 where the caller is one: POST /api/affiliate/apply */
  applyAsAffiliate(body?: Application): Promise<Profile>;
  /** What the affiliate has in each currency: GET /api/affiliate/balances */
  listBalances(): Promise<Balances>;
  /** The affiliate's own claims, newest first: GET /api/affiliate/claims */
  listClaims(query?: { page?: number }): Promise<Claims>;
  /** Claim a missing sale: POST /api/affiliate/claims */
  submitClaim(body?: ClaimRequest): Promise<Claim>;
  /** The affiliate's links, newest first: GET /api/affiliate/links */
  listLinks(query?: { first?: string; is_active?: boolean; last?: string; ordering?: "-id" | "id" | "name" | "-name" | "created_at" | "-created_at"; page?: number; sub?: string }): Promise<Links>;
  /** Make a link: POST /api/affiliate/links */
  createLink(body: LinkRequest): Promise<Link>;
  /** One of the affiliate's links: GET /api/affiliate/links/{link_id} */
  getLink(linkId: string, query?: { sub?: string }): Promise<Link>;
  /** Change a link, or switch it off: PATCH /api/affiliate/links/{link_id} */
  changeLink(linkId: string, body?: LinkChange): Promise<Link>;
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
  /** The caller's own affiliate account; 404 where it has none: GET /api/affiliate/profile */
  getAffiliateProfile(): Promise<Profile>;
  /** Track an affiliate link visit: POST /api/affiliate_link/visit */
  trackAffiliateLinkVisit(body: VisitRequest): Promise<VisitResponse>;
  /** Complete a guest registration: POST /api/clients/{client_id}/complete_registration */
  completeRegistration(clientId: string, body: Completion): Promise<Registered>;
  /** Register a client: POST /api/clients/register */
  registerClient(body: Registration): Promise<Registered>;
  /** Create a guest for basket operations: POST /api/clients/register/guest */
  registerGuest(body?: Guest): Promise<Registered>;
  /** Convert a basket to an order invoice: PATCH /api/orders/{order_id}/convert */
  convertOrder(orderId: string, body: Conversion): Promise<Converted>;
}

export interface Application {
  /** The wish for a short name in links; without one it is made up. */
  code?: string;
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
  /** When the next hold is over. */
  next_maturity_at: string | null;
}

export interface Balances {
  data: Array<Balance>;
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

/** The fields every one of these requests may carry. */
export interface Completion {
  referral_cookie?: string | null;
  email: string;
  firstname: string;
  lastname: string;
  password: string;
  user_agent?: string;
}

/** The fields every one of these requests may carry. */
export interface Conversion {
  referral_cookie?: string | null;
  payment_details_id: number;
}

export interface Converted {
  data: Invoice;
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

/** Which of the texts are needed depends on ``kind``. */
export interface DestinationRequest {
  kind: string;
  /** PayPal: the account's address. */
  email?: string;
  /** Bank: at most 70 characters. */
  account_holder?: string;
  /** Bank. */
  iban?: string;
  /** By agreement: what was agreed, at most 255 characters. */
  agreement?: string;
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

/** The fields every one of these requests may carry. */
export interface Guest {
  referral_cookie?: string | null;
  email?: string;
  firstname?: string;
  lastname?: string;
  user_agent?: string;
}

/** The initial invoice as the host shows it; hosts may add fields. */
export interface Invoice {
  order_id: string;
  invoice_id: string;
  invoice_number?: string;
  status?: string;
  total?: Record<string, unknown>;
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
}

export interface LinkData {
  id: number;
  name: string;
  /** Empty: the brand's default. */
  target_url: string;
  is_active: boolean;
  /** The link as a path and as a parameter; empty without a client area. */
  addresses: Array<string>;
  created_at: string;
  /** Of all time. */
  figures: LinkFigures;
}

export interface LinkFigures {
  counts: LinkFiguresCounts;
  /** By currency. */
  amounts: Record<string, LinkFiguresAmounts>;
}

export interface LinkFiguresAmounts {
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
  /** Rejected, for whomever it was rejected. */
  commission_rejected: string;
  /** What refunds took back of these sales' commissions. */
  commission_taken_back: string;
  /** Commission divided by unique clicks. */
  epc: string | null;
}

export interface LinkFiguresCounts {
  /** Visits by a link or code, robots and repeats too. */
  clicks: number;
  /** Clicks but those of robots and prefetches. */
  human_clicks: number;
  /** The first human click of a visitor for an affiliate on a day. */
  unique_clicks: number;
  /** Clients who were bound to an affiliate. */
  signups: number;
  /** Orders credited to an affiliate, or held for review. */
  orders: number;
  /** Paid invoices of such orders, renewals too. */
  sales: number;
  /** Refunds and chargebacks of these sales. */
  reversals: number;
  /** Orders in per cent of unique clicks. */
  conversion_rate: string | null;
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
}

export interface Links {
  data: LinkPage;
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

export interface Profile {
  data: ProfileData;
}

export interface ProfileData {
  /** The short name in links. */
  code: string;
  /** pending (waiting for approval), active or suspended. */
  status: string;
  brand: string;
  /** The link with the code. */
  address: string | null;
  /** Of the days in statistics and filters. */
  time_zone: string;
  /** An older click earns nothing. */
  window_days: number;
  cookie_days: number;
  created_at: string;
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
  user_agent?: string;
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

/** * `open` - To be reviewed * `answered` - Answered at once * `granted` - Granted * `declined` - Declined */
export type StatusEnum = "open" | "answered" | "granted" | "declined";

/** * `validation_error` - validation_error * `client_error` - client_error * `server_error` - server_error */
export type TypeEnum = "validation_error" | "client_error" | "server_error";

export interface VisitData {
  /** Where the visitor is to be redirected. */
  redirect_url: string;
  /** New or updated cookie value. */
  referral_cookie?: string;
  /** Lifetime to use for the browser cookie, in seconds. */
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
}

export interface VisitResponse {
  data: VisitData;
}
