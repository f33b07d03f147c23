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
  /** Nothing is sent, read or stored before `consent(true)`. */
  consent?: "required";
}

/** Nothing here throws or rejects. */
export interface Referral {
  /** The latest visit. */
  readonly ready: Promise<Result>;
  /** The referral cookie to send at registration and conversion. */
  cookie(): string | undefined;
  /** Asks about an address that the browser does not show. Default: the one that it shows. */
  visit(url?: string): Promise<Result>;
  /** `false` deletes the cookie and what is remembered, and stops. */
  consent(isGiven: boolean): Promise<Result>;
}

/** Starts once; later calls answer the same. On a server, undefined. */
export function start(options?: Options): Referral | undefined;

declare global {
  interface Window {
    referral?: Referral;
  }
}
