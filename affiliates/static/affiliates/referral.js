/*! Carries an affiliate referral through a client area. How to use it: docs/frontend.md */
(() => {
  "use strict";
  if (window.referral) return;
  const script =
    document.currentScript ||
    document.querySelector("script[data-api], script[src*=referral]") ||
    {};
  const options = script.dataset || {};

  const FAILED = { outcome: "failed" };
  const READY_MS = 3000;
  const LEAVE_MS = 300;
  const TRIES = 4;
  const DAY_MS = 86400000;
  const LINK_PAGE = /(?:^|\/)aff\/(?:%..|[^\w?])*((?:[0-9a-f]{40}|(?=[0-9-]*[a-z])[a-z0-9][a-z0-9-]{1,30}[a-z0-9])(?![0-9a-z]))/i;
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

  const isRequired = !!options.consent && options.consent !== "session";
  let consent = isRequired ? "unknown" : undefined; // as it is reported
  let awaiting; // consent to this arrival
  let unstored; // a cookie that the browser refuses
  let asked; // about these affiliates
  let turn = 0; // only the latest is answered

  const isAllowed = () => (isRequired ? consent === "granted" : consent !== "denied");

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

  const currentCookie = () => (isAllowed() && (readCookie() || unstored)) || undefined;

  const storeCookie = (value, maxAge, held) => {
    if (value && !(isAllowed() && STORABLE.test(value))) return;
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

  const storage = () => (options.consent === "session" ? sessionStorage : localStorage);

  const remember = (arrival) =>
    quietly(() => {
      storage().removeItem(arrivalName);
      if (!arrival || !isAllowed()) return;
      storage().setItem(arrivalName, JSON.stringify([Date.now(), arrival]));
    });

  const unfinished = () =>
    quietly(() => {
      const [since, arrival] = JSON.parse(storage().getItem(arrivalName));
      return Date.now() - since < DAY_MS && arrival;
    });

  // "#/aff/summer" is one where a script chooses the view.
  const linkOf = ({ pathname, hash }) =>
    (LINK_PAGE.exec(`${pathname}?/${hash.slice(1).split(/[?=&]/)[0]}`) || [])[1];

  // As it is pasted: "&amp;ref=", "?a=1?ref=", "REF=".
  const naming = (query) =>
    [...new URLSearchParams(query.replace(/(^|[?&])redirect=[^&]*/g, "").replace(/[;?]/g, "&"))]
      .map(([name, value]) => [names.find((own) => own.toLowerCase() === name.toLowerCase()), value])
      .filter(([name, value]) => name && value);

  // "#/plans?aid=1" and "#aid=1" carry parameters, "#ref" is an anchor.
  const fragmentOf = ({ hash }) => hash.slice(hash.indexOf("?") + 1 || 1);

  const affiliatesOf = (href) => {
    const url = new URL(href, location);
    const link = linkOf(url);
    return naming([link && `${names[0]}=${link}`, url.search, fragmentOf(url)].join("&"));
  };

  // A page of another origin does not let its address be read.
  const framed = !quietly(() => top.location.href) || undefined;

  const pageAt = (visit_url) => ({ visit_url, referrer_url: document.referrer, framed });

  const pageOf = (url) => {
    const page = new URL(url);
    [...names, "redirect"].forEach((name) => page.searchParams.delete(name));
    page.hash = "";
    return page.href;
  };

  const post = (path, body, headers) =>
    fetch(`${api}/api/affiliate_link/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      credentials: "same-origin",
      keepalive: true,
      body: JSON.stringify(body),
    });

  const askService = async ({ visitId, ...page }, held) => {
    const visit = {
      consent,
      ...page,
      user_agent: navigator.userAgent,
      automated: navigator.webdriver || undefined,
      referral_cookie: held,
    };
    const response = await post("visit", visit, visitId && { "Visit-Id": visitId });
    if (!response.ok) throw response;
    const { data } = await response.json();
    const target = new URL(data.redirect_url);
    return { ...data, target, visitId: response.headers.get("Visit-Id") };
  };

  const follow = (target, { visit_url }) => {
    if (!/^https?:$/.test(target.protocol)) return;
    // Where cookies are refused, the address tells the next page.
    if (unstored && target.host === location.host && !target.searchParams.has("redirect")) {
      affiliatesOf(visit_url).reverse().forEach((pair) => target.searchParams.set(...pair));
    }
    const anchor = target.hash;
    const isRoute = linkOf({ pathname: "", hash: location.hash });
    if (pageOf(target) !== pageOf(location) || (isRoute && !anchor)) {
      location.replace(target);
      return "redirecting";
    }
    target.hash = isRoute || naming(fragmentOf(location)).length ? "" : location.hash;
    asked = String(affiliatesOf(target)) || asked;
    history.replaceState(history.state, "", target);
    if (anchor) {
      // This scrolls, and tells a hash router.
      target.hash = anchor;
      location.replace(target);
    }
  };

  // The service unlinks what is not an order yet.
  const withdraw = (held, tries = 1) => {
    const page = { visit_url: `${location.origin}/`, referrer_url: "", consent: "denied" };
    askService(page, held)
      .then(({ visitId }) => visitId && Promise.reject())
      .catch(() => {
        if (tries < TRIES) setTimeout(withdraw, 1000 * 4 ** tries, held, tries + 1);
      });
  };

  const call = (arrival, isLate) => {
    const mine = (turn += 1);

    const use = async (data, held) => {
      const cookie = data.referral_cookie;
      if (mine !== turn) {
        // Refused while the service was answering.
        if (consent === "denied" && cookie) withdraw(cookie);
        return;
      }
      // Another tab may have arrived: the service knows which is newer.
      const isCurrent = [held, cookie].includes(currentCookie());
      const again = !isCurrent && arrival && !arrival.visitId && cookie;
      if (arrival && (data.visitId || again)) {
        // Sent again under this id.
        arrival.visitId = data.visitId || again;
        remember(arrival);
      } else {
        turn += 1;
        if (arrival) remember();
      }
      if (again) return (await attempt(TRIES)).outcome;
      if (isCurrent) storeCookie(cookie, data.referral_cookie_max_age, held);
      // By now somebody may be typing.
      if (arrival && (!isLate || linkOf(location))) {
        if (data.visitId && data.target.origin !== location.origin) {
          data.target = (await lastTry(cookie)) || data.target;
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
    if (!isAllowed() && consent !== "denied") {
      awaiting = arrival.visit_url;
      return { outcome: "waiting" };
    }
    asked = mark;
    awaiting = undefined;
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
    if (!isAllowed()) return { outcome: consent === "denied" ? "idle" : "waiting" };
    const arrival = unfinished();
    return arrival || currentCookie() ? call(arrival, true) : { outcome: "idle" };
  };

  const referral = (window.referral = {
    cookie: currentCookie,
    offer: async () => {
      await referral.ready;
      const referral_cookie = currentCookie();
      if (!referral_cookie) return null;
      const language = { "Accept-Language": document.documentElement.lang || "*" };
      const response = await post("offer", { referral_cookie }, language).catch(() => {});
      return response && response.ok ? (await response.json()).data : null;
    },
    visit: async (href) => quietly(() => enter(href || location.href)) || FAILED,
    consent: (answer) => {
      const before = [consent, isAllowed()];
      const isOpen = answer === "unknown" && !(isRequired && navigator.globalPrivacyControl);
      consent = isOpen ? answer : /^(true|granted)$/.test(answer) ? "granted" : "denied";
      if (consent === before[0] || (before[1] && isAllowed())) return referral.ready;
      turn += 1;
      if (consent !== "denied") {
        asked = undefined;
        return (referral.ready = start());
      }
      const held = readCookie() || unstored;
      remember();
      storeCookie();
      if (held) withdraw(held);
      return (referral.ready = awaiting ? enter(awaiting) : Promise.resolve({ outcome: "idle" }));
    },
  });
  referral.ready = start();

  const wanted = (usual) => (options.purposes || usual).split(",").map((name) => name.trim());

  const managers = {
    // IAB Europe's Transparency and Consent Framework
    tcf: (report) => {
      if (!window.__tcfapi) return setTimeout(managers.tcf, 500, report);
      window.__tcfapi("addEventListener", 2, (data, isKnown) => {
        if (!isKnown || data.eventStatus === "cmpuishown") return;
        const isGiven = (purpose) => data.purpose.consents[purpose];
        report(data.gdprApplies === false || wanted("1").every(isGiven));
      });
    },
    // Google's consent mode. A denied default is no decision.
    google: (report) => {
      const commands = {};
      let isListening;
      const tell = () => {
        const { ics = {} } = window.google_tag_data || {};
        if (ics.addListener && !isListening) {
          isListening = true;
          ics.addListener(wanted("ad_storage"), tell);
        }
        const states = wanted("ad_storage").map((name) => {
          const { isGranted, isDenied, said } = commands[name] || {};
          const { update = said, default: usual = isGranted && !isDenied } =
            (ics.entries || {})[name] || {};
          return update === undefined ? usual || undefined : update;
        });
        report(states.every(Boolean) || (states.includes(false) ? false : "unknown"));
      };
      const read = ([command, kind, values]) => {
        if (command !== "consent") return;
        for (const name of wanted("ad_storage").filter((one) => values[one])) {
          const its = (commands[name] = commands[name] || {});
          const isGranted = values[name] === "granted";
          if (kind === "update") its.said = isGranted;
          // A region's default may not be the visitor's.
          else if (!isGranted) its.isDenied = true;
          else if (!values.region) its.isGranted = true;
        }
      };
      const layer = (window.dataLayer = window.dataLayer || []);
      const { push } = layer;
      const readAll = (entries) => {
        [...entries].forEach((entry) => quietly(() => read(entry)));
        tell();
      };
      layer.push = (...entries) => {
        const pushed = push.apply(layer, entries);
        quietly(() => readAll(entries));
        return pushed;
      };
      readAll(layer);
    },
  };
  const manager = managers[options.consent] || options.consent;
  const ask = typeof manager === "function" ? manager : window[manager];
  if (isRequired) referral.consent("unknown");
  if (isRequired && typeof ask === "function") quietly(() => ask(referral.consent));

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
  // Left without a decision: counted without a person. A link's page leads on.
  addEventListener("pagehide", () => {
    if (!awaiting || linkOf(location)) return;
    askService(pageAt(awaiting)).catch(() => {});
    awaiting = undefined;
  });
})();
