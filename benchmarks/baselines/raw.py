"""Baseline (a), the floor: a visit without any framework.

One bare WSGI callable: JSON in, the link from a dictionary, the cookie, one INSERT of
the same row, JSON out. It checks nothing that a well-formed visit would pass.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson
import psycopg

from affiliates.core.ids import new_id
from affiliates.core.secrets.sealing import NONCE_LENGTH, KeyRing
from affiliates.visits.cookie import ReferralCookie, read_cookie, seal_cookie
from affiliates.visits.rules import ClickRow

LIFETIME = timedelta(days=90)
INSERT = (
    "INSERT INTO affiliates_click (id, created_at, brand_id, affiliate_id, link_id,"
    " integration_id, external_affiliate, visitor_id, source, affiliate_status,"
    " own_program, is_repeat, bot_signs,"
    " visit_url, referrer_url, user_agent, ip_prefix, redirect_reason,"
    " refused_redirect, sub_id, more_sub_ids, country, consent, embedding)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s,"
    " %s, %s, %s, %s, %s, %s)"
)
RING = KeyRing.parse(os.environ["AFFILIATES_COOKIE_KEYS"])

_local = threading.local()


def application(
    environ: dict[str, Any], start_response: Callable[..., object]
) -> Iterable[bytes]:
    return answer(environ, start_response, insert=insert)


def answer(
    environ: dict[str, Any],
    start_response: Callable[..., object],
    *,
    insert: Callable[[ClickRow], None],
) -> Iterable[bytes]:
    body = orjson.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
    data, row = track(
        body,
        origin=environ["HTTP_ORIGIN"],
        address=environ["HTTP_X_FORWARDED_FOR"],
    )
    insert(row)
    content = orjson.dumps({"data": data})
    headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(content))),
    ]
    start_response("200 OK", headers)
    return [content]


def track(
    body: dict[str, str], *, origin: str, address: str
) -> tuple[dict[str, str | int], ClickRow]:
    now = datetime.now(tz=UTC)
    brand_id, default_url = brands()[origin]
    url = urlsplit(body["visit_url"])
    link_id, affiliate_id, target_url = links()[url.path.rpartition("/")[2]]
    held = read_cookie(
        body.get("referral_cookie"), brand_id=brand_id, ring=RING, now=now
    )
    requested = parse_qs(url.query).get("redirect", [""])[0]
    is_permitted = urlsplit(requested).hostname in redirect_hosts()
    click = ReferralCookie(
        visitor_id=new_id() if held is None else held.visitor_id,
        click_id=new_id(),
        affiliate_id=affiliate_id,
        issued_at=now,
        expires_at=now + LIFETIME,
    )
    row = ClickRow(
        id=click.click_id,
        created_at=now,
        brand_id=brand_id,
        affiliate_id=affiliate_id,
        link_id=link_id,
        integration_id=None,
        external_affiliate="",
        visitor_id=click.visitor_id,
        source="path",
        affiliate_status="active",
        own_program=True,
        is_repeat=False,
        bot_signs="",
        visit_url=body["visit_url"],
        referrer_url=body["referrer_url"],
        user_agent=body["user_agent"],
        ip_prefix=address.rpartition(".")[0] + ".0/24",
        redirect_reason=_reason(requested, is_permitted=is_permitted),
        refused_redirect="" if is_permitted else requested,
    )
    nonce = secrets.token_bytes(NONCE_LENGTH)
    fallback_url = default_url if requested else target_url
    data: dict[str, str | int] = {
        "redirect_url": requested if is_permitted else fallback_url,
        "referral_cookie": seal_cookie(
            click, brand_id=brand_id, ring=RING, nonce=nonce
        ),
        "referral_cookie_max_age": int(LIFETIME.total_seconds()),
    }
    return data, row


def insert(row: ClickRow) -> None:
    """On the thread's own connection; psycopg prepares the statement by itself."""
    connection = getattr(_local, "connection", None)
    if connection is None:
        connection = _local.connection = _connect()
    connection.execute(INSERT, row)


@cache
def brands() -> dict[str, tuple[int, str]]:
    """Brand id and default redirect URL by Origin."""
    rows = _select(
        "SELECT host, brand_id, default_redirect_url FROM affiliates_branddomain"
        " JOIN affiliates_brand ON affiliates_brand.id = brand_id WHERE is_client_area"
    )
    return {f"https://{host}": (brand_id, url) for host, brand_id, url in rows}


@cache
def redirect_hosts() -> frozenset[str]:
    rows = _select("SELECT host FROM affiliates_branddomain WHERE is_redirect_target")
    return frozenset(host for (host,) in rows)


@cache
def links() -> dict[str, tuple[int, int, str]]:
    """Link id, affiliate id and target URL by hash."""
    rows = _select(
        "SELECT hash, id, affiliate_id, target_url FROM affiliates_affiliatelink"
    )
    return {link_hash: (pk, affiliate, url) for link_hash, pk, affiliate, url in rows}


def _select(query: str) -> list[tuple[Any, ...]]:
    with _connect() as connection:
        return connection.execute(query).fetchall()


def _connect() -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


def _reason(requested: str, *, is_permitted: bool) -> str:
    if not requested:
        return "no_redirect"
    return "permitted_domain" if is_permitted else "not_on_brand_domains"
