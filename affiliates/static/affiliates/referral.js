/*! Carries an affiliate referral through a client area. How to use it: docs/frontend.md */
(() => {
  "use strict";
  if (window.referral) return;

  const VISIT_TIMEOUT_MS = 3000;
  const LINK_PATH = /^\/aff\/[0-9a-f]{40}\/?$/i;
  // RFC 6265 cookie-octets: what a browser stores raw and gives back unchanged.
  const STORABLE = /^[!#-+\--:<-[\]-~]+$/;

  const script = document.currentScript || document.querySelector("script[data-api]");
  const options = script.dataset;
  const api = (options.api || new URL(script.src).origin).replace(/\/+$/, "");
  const names = (options.params || "ref,a_aid,aid").split(",").map((name) => name.trim());
  const cookieName = options.cookie || "referral_cookie";
  // Browsers drop a cookie for a domain that the page is not on, without a word.
  const isOnDomain = `.${location.hostname}`.endsWith(`.${options.domain}`);
  const domain = isOnDomain ? options.domain : "";

  // The value of this page when the browser refuses cookies.
  let unstored;

  const readCookie = () => {
    try {
      const start = `${cookieName}=`;
      const pair = document.cookie.split("; ").find((text) => text.startsWith(start));
      return pair && (pair.slice(start.length) || undefined);
    } catch {
      return undefined;
    }
  };

  const writeCookie = (value, maxAge, onDomain) => {
    const parts = [`${cookieName}=${value}`, "path=/", "samesite=lax"];
    if (Number.isInteger(maxAge)) parts.push(`max-age=${maxAge}`);
    if (onDomain) parts.push(`domain=${onDomain}`);
    if (location.protocol === "https:") parts.push("secure");
    try {
      document.cookie = parts.join("; ");
    } catch {
      // Sandboxed page: the value stays in `unstored`.
    }
  };

  const currentCookie = () => readCookie() || unstored;

  const storeCookie = (value, maxAge) => {
    if (value && !STORABLE.test(value)) return;
    // A host-only cookie from before `data-domain` was set would hide the new one.
    if (domain) writeCookie("", 0, "");
    if (value) writeCookie(value, maxAge, domain);
    else writeCookie("", 0, domain);
    unstored = value && readCookie() !== value ? value : undefined;
  };

  // "#/plans?aid=1" and "#aid=1" carry parameters, "#ref" is an anchor.
  const fragmentParams = (url) =>
    new URLSearchParams(url.hash.slice(url.hash.indexOf("?") + 1 || 1));

  const carriesAffiliate = (params) => names.some((name) => params.get(name));

  const pageOf = (url) => {
    const page = new URL(url);
    [...names, "redirect"].forEach((name) => page.searchParams.delete(name));
    return page.origin + page.pathname + page.search;
  };

  const askService = async (heldCookie) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), VISIT_TIMEOUT_MS);
    try {
      const response = await fetch(`${api}/api/affiliate_link/visit`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        credentials: "omit",
        keepalive: true,
        signal: abort.signal,
        body: JSON.stringify({
          visit_url: location.href,
          referrer_url: document.referrer,
          user_agent: navigator.userAgent,
          referral_cookie: heldCookie,
        }),
      });
      if (!response.ok) throw new Error(`The service answered ${response.status}`);
      const { data } = await response.json();
      if (typeof data.redirect_url !== "string") throw new Error("No redirect_url");
      return data;
    } finally {
      clearTimeout(timer);
    }
  };

  const follow = (redirectUrl) => {
    const target = new URL(redirectUrl);
    if (!/^https?:$/.test(target.protocol)) return "stayed";
    if (pageOf(target) !== pageOf(location)) {
      location.replace(target.href);
      return "redirecting";
    }
    const anchor = target.hash;
    target.hash = carriesAffiliate(fragmentParams(location)) ? "" : location.hash;
    history.replaceState(history.state, "", target.href);
    if (anchor) {
      // Unlike replaceState, this scrolls to the anchor and tells a hash router.
      target.hash = anchor;
      location.replace(target.href);
    }
    return "stayed";
  };

  const visit = async () => {
    if (document.prerendering) {
      await new Promise((resume) =>
        document.addEventListener("prerenderingchange", resume, { once: true })
      );
    }
    const isArrival =
      LINK_PATH.test(location.pathname) ||
      carriesAffiliate(new URLSearchParams(location.search)) ||
      carriesAffiliate(fragmentParams(location));
    const held = currentCookie();
    if (!isArrival && !held) return { outcome: "idle" };
    try {
      const data = await askService(held);
      // Another tab may have arrived through a newer link while this one refreshed.
      if (isArrival || currentCookie() === held) {
        storeCookie(data.referral_cookie, data.referral_cookie_max_age);
      }
      return { outcome: isArrival ? follow(data.redirect_url) : "stayed" };
    } catch (error) {
      return { outcome: "failed", error };
    }
  };

  window.referral = { cookie: currentCookie, ready: visit() };
})();
