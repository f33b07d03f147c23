/*! Carries an affiliate referral through a client area. How to use it: docs/frontend.md */
// Made by make.py: change what it is made of.
export function start(options = {}) {
  if (typeof window === "undefined") return undefined;
  if (window.referral) return window.referral;
  const script = {};

  const FAILED = { outcome: "failed" };
  const READY_MS = 3000;
  const LEAVE_MS = 300;
  const TRIES = 4;
  const DAY_MS = 86400000;
  const LINK_PATH = /^\/aff\/([0-9a-z-]{3,40})\/?$/i;
  // RFC 6265's cookie-octets
  const STORABLE = /^[!#-+\--:<-[\]-~]+$/;

  const quietly = (act) => {
    try {
      return act();
    } catch {}
  };

  const home = script.src || location.href;
  const api = (options.api || new URL(home).origin).replace(/\/+$/, "");
  const names = (options.params || "ref,a_aid,aid").split(",").map((name) => name.trim());
  const cookieName = options.cookie || "referral_cookie";
  const arrivalName = `${cookieName}_arrival`;
  const domain = quietly(() => {
    const { hostname } = new URL(`http://${options.domain.replace(/^\.+/, "")}`);
    return `.${location.hostname}`.endsWith(`.${hostname}`) && hostname;
  });

  let isAllowed = options.consent !== "required";
  let awaiting; // consent to this arrival
  let unstored; // a cookie that the browser refuses
  let asked; // about these affiliates
  let turn = 0; // only the latest is answered

  const readCookie = () =>
    quietly(() => {
      const start = `${cookieName}=`;
      const pairs = document.cookie.split("; ");
      return pairs.find((pair) => pair.startsWith(start)).slice(start.length);
    });

  const writeCookie = (value, maxAge, onDomain) =>
    quietly(() => {
      let cookie = `${cookieName}=${value || ""}; path=/; samesite=lax`;
      const age = value ? maxAge : 0;
      if (Number.isInteger(age)) cookie += `; max-age=${age}`;
      if (onDomain) cookie += `; domain=${onDomain}`;
      if (location.protocol === "https:") cookie += "; secure";
      document.cookie = cookie;
    });

  const currentCookie = () => (isAllowed && (readCookie() || unstored)) || undefined;

  const storeCookie = (value, maxAge, held) => {
    if (value && !STORABLE.test(value)) return;
    // Set by the answer's own header: browsers keep that longer.
    if (value && value !== held && value === readCookie()) return;
    if (domain) {
      writeCookie(value, maxAge, domain);
      // A host-only one hides it.
      writeCookie();
    }
    // None is kept for a public suffix.
    if (!domain || (value && value !== readCookie())) writeCookie(value, maxAge);
    unstored = value === readCookie() ? undefined : value;
  };

  const remember = (arrival) =>
    quietly(() => {
      localStorage.removeItem(arrivalName);
      if (arrival) localStorage.setItem(arrivalName, JSON.stringify([Date.now(), arrival]));
    });

  const unfinished = () =>
    quietly(() => {
      const [since, arrival] = JSON.parse(localStorage.getItem(arrivalName));
      return Date.now() - since < DAY_MS && arrival;
    });

  // "#/plans?aid=1" and "#aid=1" carry parameters, "#ref" is an anchor.
  const fragmentParams = (url) =>
    new URLSearchParams(url.hash.slice(url.hash.indexOf("?") + 1 || 1));

  const naming = (params) =>
    [...params].filter(([name, value]) => value && names.includes(name));

  const affiliatesOf = (href) => {
    const url = new URL(href, location);
    const link = LINK_PATH.exec(url.pathname) || [];
    return naming([[names[0], link[1]], ...url.searchParams, ...fragmentParams(url)]);
  };

  const pageAt = (visit_url) => ({ visit_url, referrer_url: document.referrer });

  const pageOf = (url) => {
    const page = new URL(url);
    [...names, "redirect"].forEach((name) => page.searchParams.delete(name));
    page.hash = "";
    return page.href;
  };

  const askService = async ({ visitId, ...page }, held) => {
    const response = await fetch(`${api}/api/affiliate_link/visit`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(visitId && { "Visit-Id": visitId }) },
      credentials: "same-origin",
      keepalive: true,
      body: JSON.stringify({
        ...page,
        user_agent: navigator.userAgent,
        referral_cookie: held,
      }),
    });
    if (!response.ok) throw response;
    const { data } = await response.json();
    const target = new URL(data.redirect_url);
    return { ...data, target, visitId: response.headers.get("Visit-Id") };
  };

  const follow = (target, { visit_url }) => {
    if (!/^https?:$/.test(target.protocol)) return;
    // Where cookies are refused, the address tells the next page.
    if (unstored && target.host === location.host && !target.searchParams.has("redirect")) {
      affiliatesOf(visit_url).forEach((pair) => target.searchParams.set(...pair));
    }
    if (pageOf(target) !== pageOf(location)) {
      location.replace(target);
      return "redirecting";
    }
    const anchor = target.hash;
    target.hash = naming(fragmentParams(location)).length ? "" : location.hash;
    asked = String(affiliatesOf(target)) || asked;
    history.replaceState(history.state, "", target);
    if (anchor) {
      // This scrolls, and tells a hash router.
      target.hash = anchor;
      location.replace(target);
    }
  };

  const call = (arrival, isLate) => {
    const mine = (turn += 1);

    const use = async (data, held) => {
      if (mine !== turn) return;
      if (arrival && data.visitId) {
        // Not stored: it is sent again under this id.
        arrival.visitId = data.visitId;
        remember(arrival);
      } else {
        turn += 1;
        if (arrival) remember();
      }
      // Another tab may have arrived meanwhile.
      if (arrival || currentCookie() === held) {
        storeCookie(data.referral_cookie, data.referral_cookie_max_age, held);
      }
      // By now somebody may be typing.
      if (arrival && (!isLate || LINK_PATH.test(location.pathname))) {
        if (data.visitId && data.target.origin !== location.origin) {
          data.target = (await lastTry(data.referral_cookie)) || data.target;
          if (mine !== turn) return;
        }
        return follow(data.target, arrival);
      }
    };

    // No page of this origin may follow.
    const lastTry = (held) =>
      Promise.race([
        new Promise((resolve) => setTimeout(resolve, LEAVE_MS)),
        askService(arrival, held).then(
          ({ visitId, target, referral_cookie, referral_cookie_max_age }) => {
            if (!visitId && mine === turn) {
              remember();
              storeCookie(referral_cookie, referral_cookie_max_age, held);
            }
            return target;
          },
          () => {}
        ),
      ]);

    const attempt = async (tries) => {
      let outcome = "failed";
      let isStored;
      try {
        const held = currentCookie();
        const data = await askService(arrival || pageAt(location.href), held);
        isStored = !data.visitId;
        outcome = (await use(data, held)) || "stayed";
      } catch {}
      if (arrival && !isStored && tries < TRIES) {
        setTimeout(() => mine === turn && attempt(tries + 1), 1000 * 4 ** tries);
      }
      return { outcome };
    };

    return new Promise((resolve) => {
      attempt(1).then(resolve);
      setTimeout(() => {
        isLate = true;
        resolve(FAILED);
      }, READY_MS);
    });
  };

  const enter = (href) => {
    const mark = String(affiliatesOf(href));
    if (!mark || mark === asked) return referral.ready;
    const arrival = pageAt(new URL(href, location).href);
    if (!isAllowed) {
      awaiting = arrival.visit_url;
      return { outcome: "waiting" };
    }
    asked = mark;
    remember(arrival);
    return (referral.ready = call(arrival));
  };

  const start = async () => {
    if (document.prerendering) {
      await new Promise((go) => document.addEventListener("prerenderingchange", go));
    }
    // A router may have stripped the address by now.
    const opened = performance.getEntriesByType("navigation").map(({ name }) => name);
    const arrived = [location.href, awaiting, ...opened].find(
      (href) => href && affiliatesOf(href).length
    );
    if (arrived) return enter(arrived);
    if (!isAllowed) return { outcome: "waiting" };
    const arrival = unfinished();
    return arrival || currentCookie() ? call(arrival, true) : { outcome: "idle" };
  };

  const referral = (window.referral = {
    cookie: currentCookie,
    visit: async (href) => quietly(() => enter(href || location.href)) || FAILED,
    consent: (isGiven) => {
      if (isGiven && isAllowed) return referral.ready;
      isAllowed = isGiven;
      turn += 1;
      if (!isGiven) {
        asked = awaiting = undefined;
        remember();
        storeCookie();
      }
      return (referral.ready = start());
    },
  });
  referral.ready = start();

  const look = () => enter(location.href);
  ["pushState", "replaceState"].forEach((name) => {
    const original = history[name];
    quietly(() => {
      history[name] = function (...change) {
        original.apply(this, change);
        look();
      };
    });
  });
  addEventListener("popstate", look);
  addEventListener("hashchange", look);
  return referral;
}
