"""Post Affiliate Pro's track.php: the requests of a click, a sale and a lead.

All parameters go in the query, a sale in the body. The answer does not report the
result: a blank one is the best case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from hashlib import sha256
from ipaddress import IPv6Network
from urllib.parse import parse_qsl, unquote_plus, urlencode

from affiliates.outbox.http.types import Call
from affiliates.outbox.protocol import ProviderSettings, Run, split_names
from affiliates.outbox.types import (
    CallOutcome,
    ConversionFacts,
    Operation,
    ProbeFacts,
    VisitFacts,
    broken,
)
from affiliates.tracking.providers.pap.answers import judge_answer

TRACK_SCRIPT = "/scripts/track.php"
FORM_TYPE = "application/x-www-form-urlencoded"
VISITOR_ID_LENGTH = 32
# Every install knows the first by default, and the second with any settings.
DEFAULT_AFFILIATE_NAME = "a_aid"
FORCED_AFFILIATE_NAME = "AffiliateID"
FORWARDED_NAMES = frozenset(
    {DEFAULT_AFFILIATE_NAME, "a_bid", "a_cid", "chan", "data1", "data2", "pd1", "pd2"}
)
FIRST_PARTY_COOKIE = "1"

MAX_URL = 1_000
MAX_VALUE = 255
MAX_PARAMETERS = 2_000
MAX_ANCHOR = 500
MAX_USER_AGENT = 512
MAX_IP = 39
# Web servers refuse longer request lines; a click must not make its sale fail.
MAX_QUERY = 7_500

# Without an address or a browser the install uses ours, the caller's, and would treat
# all visitors as one person. Nobody has an address of this range (RFC 6666), and two
# visitors do not share one.
_NOWHERE = IPv6Network("100::/64")
_PLAIN_AGENT = "Mozilla/5.0"
_PRINTABLE = re.compile(r"[!-~](?:[ -~]*[!-~])?")

_CENT = Decimal("0.01")
_SCHEMES = (("http://", "H_"), ("https://", "S_"))


def track_click(facts: VisitFacts, visitor_id: str, settings: ProviderSettings) -> Run:
    response = yield _call(
        settings,
        _parameters(
            settings,
            visitor_id,
            click=facts,
            ip=facts.ip,
            user_agent=facts.user_agent,
        ),
    )
    return judge_answer(Operation.CLICK, response, visitor_id)


def track_conversion(
    facts: ConversionFacts, visitor_id: str, settings: ProviderSettings
) -> Run:
    """Sends a sale or a lead; with it the click that has not arrived, read first."""
    click = facts.click
    response = yield _call(
        settings,
        _parameters(
            settings,
            visitor_id,
            click=click,
            # The click has the whole address, the sale only its network.
            ip=(click.ip if click else "") or facts.ip,
            user_agent=(click.user_agent if click else "") or facts.user_agent,
            seed=facts.order_ref,
        ),
        sale=_action(facts, visitor_id, settings),
    )
    outcome = judge_answer(facts.kind, response, visitor_id)
    if outcome.visitor_id and not click:
        return CallOutcome(
            outcome.kind,
            visitor_id=outcome.visitor_id,
            detail=(
                "Accepted, but the install did not take the visitor's identifier: the "
                "sale is probably credited to nobody. Run the connection test."
            ),
        )
    return outcome


def track_nothing(facts: ProbeFacts, settings: ProviderSettings) -> Run:
    """Checks that track.php answers, without an affiliate: records nothing."""
    response = yield _call(
        settings,
        _parameters(
            settings, facts.visitor_id, click=None, ip="", user_agent=_PLAIN_AGENT
        ),
    )
    outcome = judge_answer(Operation.PROBE, response, facts.visitor_id)
    if outcome.visitor_id:
        return broken(_wrong_length(outcome))
    return outcome


def order_id(order_ref: str, settings: ProviderSettings) -> str:
    """The install's identifier of the order, "" for none."""
    return f"{settings.text('order_prefix')}{order_ref}" if order_ref.strip() else ""


def plain_amount(amount: Decimal) -> str:
    """The amount with a decimal point and two decimals at most, for the install."""
    exponent = amount.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -2:
        amount = amount.quantize(_CENT, ROUND_HALF_UP)
    return format(amount, "f")


def _call(
    settings: ProviderSettings, parameters: dict[str, str], *, sale: str = ""
) -> Call:
    agent = parameters["useragent"]
    headers = [("User-Agent", agent if _PRINTABLE.fullmatch(agent) else _PLAIN_AGENT)]
    body = b""
    if sale:
        headers.append(("Content-Type", FORM_TYPE))
        body = urlencode({"sale": sale}).encode()
    return Call(
        method="POST",
        url=f"{settings.address}{TRACK_SCRIPT}?{_query(parameters)}",
        headers=tuple(headers),
        body=body,
    )


def _parameters(
    settings: ProviderSettings,
    visitor_id: str,
    *,
    click: VisitFacts | None,
    ip: str,
    user_agent: str,
    seed: str = "",
) -> dict[str, str]:
    return {
        "visitorId": visitor_id,
        "accountId": settings.text("account_id"),
        "url": _without_scheme(re.split("[?#]", click.page)[0]) if click else "",
        "referrer": _without_scheme(click.referrer) if click else "",
        "tracking": FIRST_PARTY_COOKIE,
        "getParams": _forwarded(click, settings) if click else "",
        "anchor": _anchor(click.fragment, settings) if click else "",
        "isInIframe": "false",
        "cookies": "",
        "ip": ip.partition("/")[0][:MAX_IP] or _nowhere(visitor_id or seed),
        "useragent": user_agent[:MAX_USER_AGENT] or _PLAIN_AGENT,
    }


def _query(parameters: dict[str, str]) -> str:
    query = urlencode(parameters, errors="replace")
    for name in ("referrer", "url", "anchor"):
        if len(query) > MAX_QUERY:
            parameters = parameters | {name: ""}
            query = urlencode(parameters, errors="replace")
    return query


def _without_scheme(url: str) -> str:
    """Abbreviates the scheme to a letter: some web servers refuse it in parameters."""
    for scheme, letter in _SCHEMES:
        if url.startswith(scheme):
            url = letter + url.removeprefix(scheme)
            break
    return url[:MAX_URL]


def _forwarded(click: VisitFacts, settings: ProviderSettings) -> str:
    """The page's tracking parameters, encoded once: the query encodes them again.

    The install reads the last of several values, we the first: only the first is sent.
    """
    values = _tracking_values(click.query, settings)
    if settings.is_on("forward_affiliate") and click.affiliate:
        if not any(values.get(name) for name in settings.parameters):
            # With an affiliate here the install does not read the anchor.
            anchor = _anchor(click.fragment, settings)
            values = _tracking_values(anchor, settings) | values
        known = values.get(FORCED_AFFILIATE_NAME) or values.get(DEFAULT_AFFILIATE_NAME)
        if known != click.affiliate:
            values[FORCED_AFFILIATE_NAME] = click.affiliate
    pairs = (
        urlencode({name: value}, errors="replace") for name, value in values.items()
    )
    text = _fitting(pairs, MAX_PARAMETERS)
    return f"?{text}" if text else ""


def _tracking_values(query: str, settings: ProviderSettings) -> dict[str, str]:
    """The tracking parameters, decoded and cut; the first of each name."""
    names = _forwarded_names(settings)
    values: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
        if name in names:
            values.setdefault(name, value[:MAX_VALUE])
    return values


def _anchor(fragment: str, settings: ProviderSettings) -> str:
    """The fragment's tracking parameters, unchanged."""
    names = _forwarded_names(settings)
    path, mark, query = fragment.partition("?")
    pairs = (query if mark else path).split("&")
    return _fitting(
        (pair for pair in pairs if "=" in pair and _name_of(pair) in names), MAX_ANCHOR
    )


def _forwarded_names(settings: ProviderSettings) -> frozenset[str]:
    more = split_names(settings.text("more_parameters"))
    return FORWARDED_NAMES.union(settings.parameters, more)


def _name_of(pair: str) -> str:
    return unquote_plus(pair.partition("=")[0], errors="replace")


def _fitting(pairs: Iterable[str], limit: int) -> str:
    """The pairs joined, without the longest ones if they are too long."""
    kept = list(pairs)
    while len(text := "&".join(kept)) > limit:
        kept.remove(max(kept, key=len))
    return text


def _nowhere(seed: str) -> str:
    digest = sha256(seed.encode("utf-8", "replace")).digest()
    return str(_NOWHERE[int.from_bytes(digest[:8])])


def _action(facts: ConversionFacts, visitor_id: str, settings: ProviderSettings) -> str:
    """The sale or lead as a JSON list of one, without unknown values."""
    is_lead = facts.kind is Operation.LEAD
    action = {
        "ac": settings.text("lead_action") if is_lead else "",
        "t": "" if facts.amount is None else plain_amount(facts.amount),
        "o": order_id(facts.order_ref, settings),
        "p": facts.product_ref,
        "d1": facts.customer_ref if settings.is_on("send_customer") else "",
        # If named, the affiliate would override the install's choice for the visitor.
        "a": "" if visitor_id else facts.affiliate,
        "s": "" if is_lead else settings.text("sale_status"),
        "cr": facts.currency if settings.is_on("send_currency") else "",
        "cp": facts.coupon,
        "ts": str(int(facts.occurred_at.timestamp())),
        "dndc": "Y" if settings.is_on("keep_cookie") else "",
    }
    # PHP rejects JSON with half a character in it, and drops the sale silently.
    known = {name: _whole(value) for name, value in action.items() if value}
    return json.dumps([known], separators=(",", ":"))


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _wrong_length(outcome: CallOutcome) -> str:
    length = len(outcome.visitor_id)
    if length == VISITOR_ID_LENGTH:
        return (
            "The address is right, but this install replaces the visitor identifiers "
            "sent to it. Ask its vendor why it does not accept 32 characters."
        )
    return (
        f"The address is right, but this install wants visitor identifiers of {length} "
        f"characters, not {VISITOR_ID_LENGTH}. Have its VISITOR_ID_LENGTH set to "
        f"{VISITOR_ID_LENGTH}."
    )
