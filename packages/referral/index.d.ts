/** What became of the latest visit.
 *
 * "idle": nothing to ask. "stayed": answered, the visitor stays. "redirecting": the page is being
 * left. "failed": no answer within 3 seconds, tried again later. "waiting": for consent.
 */
export type Outcome = "idle" | "stayed" | "redirecting" | "failed" | "waiting";

export interface Result {
  outcome: Outcome;
}

/** The attributes of the script's tag, without `data-`. */
export interface Options {
  /** Where the service is: "https://api.example.com". Default: the page's own origin. */
  api?: string;
  /** Parameters that mark an arrival, the brand's own first. Default: "ref,a_aid,aid". */
  params?: string;
  /** Name of the first-party cookie. Default: "referral_cookie". */
  cookie?: string;
  /** Share the cookie with all hosts of this domain. */
  domain?: string;
  /**
   * Nothing is read or stored before consent, and no visitor is named. "required": the page reports
   * it by `consent(true)`. "tcf", "google": read from `__tcfapi`, or from Google's consent mode. A
   * function is called with what reports it. "session": no consent, and nothing outlasts the session.
   */
  consent?: "required" | "tcf" | "google" | "session" | ((report: Report) => void);
  /** What must be agreed to: TCF's purposes, default "1", or Google's types, default "ad_storage". */
  purposes?: string;
}

/** What the affiliate who sent the visitor offers: enter `code` as the basket's coupon. */
export interface Offer {
  code: string;
  /** In the language of the page's `lang`. */
  text: string;
  /** ISO 8601; null: it has no end. */
  expires_at: string | null;
}

/** `true` is "granted", `false` is "denied". */
export type Report = (consent: boolean | "granted" | "denied" | "unknown") => Promise<Result>;

/** Nothing here throws or rejects. */
export interface Referral {
  /** The latest visit. */
  readonly ready: Promise<Result>;
  /** The referral cookie to send at registration and conversion. */
  cookie(): string | undefined;
  /** The offer for this visitor, or null. Ask again after a visit or consent. */
  offer(): Promise<Offer | null>;
  /** Asks about an address that the browser does not show. Default: the one that it shows. */
  visit(url?: string): Promise<Result>;
  /** `false` deletes the cookie and what is remembered, tells the service, and stops. */
  consent: Report;
}

/** Starts once; later calls answer the same. On a server, undefined. */
export function start(options?: Options): Referral | undefined;

declare global {
  interface Window {
    referral?: Referral;
  }
}
