"""The vendor's scripts: track.php, sale.php and server.php."""

from __future__ import annotations

import base64
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from portal.demo.network import paypal, rpc, wise
from portal.demo.network.answers import Answer
from portal.demo.network.records import LoggedRequest
from portal.demo.network.state import State
from portal.demo.network.wire import (
    FLASH_TRACKING,
    TrackingVisit,
    actions_of_sale_php,
    read_account,
    read_form,
    read_url,
    split_visitor,
)

TRACK = "/scripts/track.php"
SALE = "/scripts/sale.php"
SERVER = "/scripts/server.php"
COOKIE = "PAPVisitorId"
COOKIE_SECONDS = 10 * 365 * 24 * 3600
FORM_TYPE = "application/x-www-form-urlencoded"
PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


def track(state: State, request: LoggedRequest) -> Answer:
    """Everything from the query; only the sale may come in the body, which wins."""
    query, form = _query(request), _form(request)
    if state.options.iframe_ban and query.get("isInIframe") == "true":
        return _script("")
    if state.options.exception:
        return _script(f"//{state.options.exception}\n")
    visitor_id, is_new = _visitor(state, request, query.get("visitorId", ""))
    visit = TrackingVisit(
        visitor_id=visitor_id,
        account_id=read_account(query.get("accountId", ""), state.options),
        url=read_url(query.get("url", "")),
        referrer=read_url(query.get("referrer", "")),
        query=query.get("getParams", ""),
        anchor=query.get("anchor", ""),
        ip=query.get("ip") or request.peer,
        user_agent=query.get("useragent") or _header(request, "user-agent"),
        actions=form.get("sale") or query.get("sale", ""),
    )
    state.track(visit)
    is_flash = query.get("tracking") == FLASH_TRACKING
    text = f"setVisitor('{visitor_id}');\n" if is_new else ""
    return _script(text, visitor_id="" if is_flash else visitor_id)


def sale(state: State, request: LoggedRequest) -> Answer:
    """The pixel. It knows the caller's address and browser only, not the visitor's."""
    values = {**_query(request), **_form(request)}
    account, visitor = split_visitor(values.get("visitorId", ""))
    is_right = len(visitor) == state.options.visitor_id_length
    visit = TrackingVisit(
        visitor_id=visitor if is_right else state.new_visitor_id(),
        account_id=read_account(values.get("AccountId") or account, state.options),
        url="",
        referrer=read_url(values.get("refe", "")),
        query="",
        anchor="",
        ip=request.peer,
        user_agent=_header(request, "user-agent"),
        actions=actions_of_sale_php(values),
    )
    state.track(visit)
    return Answer(headers=(("Content-Type", "image/gif"),), body=PIXEL)


def server(state: State, request: LoggedRequest) -> Answer:
    form = {**_query(request), **_form(request)}
    body = rpc.answer(state, form.get("D", ""))
    return Answer(headers=(("Content-Type", "text/plain"),), body=body.encode())


SCRIPTS: dict[str, Callable[[State, LoggedRequest], Answer]] = {
    TRACK: track,
    SALE: sale,
    SERVER: server,
}


PAYERS = (paypal, wise)


def script_for(path: str) -> Callable[[State, LoggedRequest], Answer] | None:
    payers = (payer.answer for payer in PAYERS if payer.is_for(path))
    return SCRIPTS.get(path) or next(payers, None)


def kind_of(path: str, request: LoggedRequest) -> str:
    """ "click", "sale", "rpc" or a payout provider's call: what faults are aimed at."""
    for payer in PAYERS:
        if payer.is_for(path):
            kind: str = payer.kind_of(path, request.method)
            return kind
    if path == SERVER:
        return "rpc"
    if path == SALE or _query(request).get("sale") or _form(request).get("sale"):
        return "sale"
    return "click"


def _visitor(state: State, request: LoggedRequest, visitor_id: str) -> tuple[str, bool]:
    """The visitor, and whether the caller does not know it yet."""
    length = state.options.visitor_id_length
    if len(visitor_id) == length:
        return visitor_id, False
    try:
        morsel = SimpleCookie(_header(request, "cookie")).get(COOKIE)
    except CookieError:
        morsel = None
    if morsel is not None and len(morsel.value) == length:
        return morsel.value, True
    return state.new_visitor_id(), True


def _script(text: str, *, visitor_id: str = "") -> Answer:
    headers = [("Content-Type", "application/x-javascript")]
    if visitor_id:
        cookie = f"{COOKIE}={visitor_id}; path=/; max-age={COOKIE_SECONDS}"
        headers.append(("Set-Cookie", cookie))
    return Answer(headers=tuple(headers), body=text.encode())


def _query(request: LoggedRequest) -> dict[str, str]:
    return read_form(urlsplit(request.target).query)


def _form(request: LoggedRequest) -> dict[str, str]:
    # As PHP: a body of another type is not read at all.
    kind = _header(request, "content-type").partition(";")[0].strip().lower()
    is_form = request.method == "POST" and kind == FORM_TYPE
    return read_form(request.body.decode("utf-8", "replace")) if is_form else {}


def _header(request: LoggedRequest, name: str) -> str:
    return next((v for k, v in request.headers if k.lower() == name), "")
