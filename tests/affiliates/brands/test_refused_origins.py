"""Hosts whose pages are refused are kept for operators: few, and for a day."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from affiliates.brands import refused_origins
from affiliates.brands.models.refused_origin import RefusedOrigin
from affiliates.brands.refused_origins import (
    RefusedHost,
    delete_old,
    hosts_for,
    record_refused,
    refused_hosts,
)
from affiliates.telemetry.logs import PerMinute
from tests.affiliates.api.calls import SHOP, VISIT, refusal, visit
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import (
    BrandDomainFactory,
    BrandFactory,
    RefusedOriginFactory,
)

WWW = "https://www.shop.example.com"


@pytest.fixture(autouse=True)
def _new_process(monkeypatch):
    monkeypatch.setattr(refused_origins, "_written_at", {})
    monkeypatch.setattr(refused_origins, "_writes", PerMinute(10))
    (limit,) = refused_origins.logger.filters
    limit._of_place.clear()


def hosts() -> set[str]:
    return set(RefusedOrigin.objects.values_list("host", flat=True))


def ask_before_visit(api, origin: str) -> bool:
    """Sends the preflight of a visit. Returns whether the page may call."""
    asked = {"access-control-request-method": "POST", "origin": origin}
    return "access-control-allow-origin" in api.options(VISIT, headers=asked)


def test_the_preflight_of_an_unknown_page_is_recorded(transactional_db, api, brand):
    """A browser sends no visit after it."""
    with nothing_written():
        assert ask_before_visit(api, SHOP)

    assert not ask_before_visit(api, WWW)
    assert hosts() == {"www.shop.example.com"}


def test_a_visit_of_an_unknown_page_is_recorded(transactional_db, api, brand):
    answer = visit(api, headers={"origin": "https://www.shop.example.com:8443"})

    assert refusal(answer) == (403, "origin_not_registered", None)
    assert hosts() == {"www.shop.example.com:8443"}


@each(
    "header",
    [
        "null",
        "www.shop.example.com",
        "https://WWW.shop.example.com",
        "https://www.shop.example.com/<script>",
        "https://a_b.example.com",
        "https://shop.example.com.",
        "http://192.0.2.1",
        "https://" + ".".join(["a" * 60] * 5) + ".example.com",
        "chrome-extension://abcdefghijklmnop",
        "x" * 9000,
    ],
)
def test_only_hosts_that_a_brand_can_register_are_kept(header, transactional_db, now):
    with nothing_written():
        record_refused(header, now=now)


def test_a_host_is_written_once_in_ten_minutes(transactional_db, now, caplog):
    record_refused(WWW, now=now)
    with CaptureQueriesContext(connection) as captured:
        record_refused(WWW, now=now + timedelta(seconds=599))
    assert len(captured) == 0
    assert RefusedOrigin.objects.get().seen_at == now

    record_refused(WWW, now=now + timedelta(seconds=600))

    assert RefusedOrigin.objects.get().seen_at == now + timedelta(seconds=600)
    assert [line.getMessage() for line in caplog.records] == [
        "Origin refused: www.shop.example.com is no client area"
    ] * 2


def test_a_flood_writes_ten_hosts_a_minute_and_keeps_fifty(transactional_db, now):
    for minute in range(6):
        for number in range(100):
            origin = f"https://made-up-{minute}-{number}.example.net"
            record_refused(origin, now=now + timedelta(minutes=minute))

    kept = {f"made-up-{m}-{n}.example.net" for m in range(1, 6) for n in range(10)}
    assert hosts() == kept
    assert len(refused_origins._written_at) <= 50


def test_nothing_is_recorded_inside_a_transaction_of_the_host(db, now):
    with nothing_written(), transaction.atomic():
        record_refused(WWW, now=now)

    assert refused_origins._written_at == {}


def test_a_database_that_fails_changes_no_answer(transactional_db, now, monkeypatch):
    def fail(*_):
        raise DatabaseError("gone")

    monkeypatch.setattr(refused_origins, "_write", fail)

    with nothing_written():
        record_refused(WWW, now=now)


def test_hosts_of_the_owners_of_brands_come_first(brand, now):
    other_brand = BrandFactory(client_area="other.example.net")
    for host, minutes in (
        ("www.shop.example.com", 3),
        ("unknown.example.net", 1),
        ("copy.test", 2),
        ("yesterday.example.com", 24 * 60),
    ):
        RefusedOriginFactory(host=host, seen_at=now - timedelta(minutes=minutes))
    at = {minutes: now - timedelta(minutes=minutes) for minutes in (1, 2, 3)}
    foreign = RefusedHost("copy.test", at[2], None)
    own = RefusedHost("www.shop.example.com", at[3], brand.pk)
    others = RefusedHost("unknown.example.net", at[1], other_brand.pk)

    assert refused_hosts(now=now) == [others, own, foreign]
    assert hosts_for(brand.pk, now=now) == [own, foreign]


@pytest.mark.parametrize(
    ("_case", "host", "domain", "is_active", "is_shown"),
    [
        ("added", "www.example.org", {"host": "www.example.org"}, True, False),
        ("any port", "www.example.org:81", {"host": "www.example.org"}, True, False),
        ("other port", "www.example.org", {"host": "www.example.org:81"}, True, True),
        ("switched off", "www.example.org", {"host": "www.example.org"}, False, False),
        (
            "redirect target only",
            "www.example.org",
            {"host": "www.example.org", "is_client_area": False},
            True,
            True,
        ),
    ],
)
def test_a_client_area_is_no_longer_shown(
    _case, host, domain, is_active, is_shown, brand, now
):
    BrandDomainFactory(brand=brand, **domain)
    brand.change(is_active=is_active)
    RefusedOriginFactory(host=host, seen_at=now)

    assert [row.host for row in refused_hosts(now=now)] == [host] * is_shown


def test_hosts_are_forgotten_after_a_day(db, now):
    RefusedOriginFactory(host="old.example.com", seen_at=now - timedelta(days=1))
    RefusedOriginFactory(host="new.example.com", seen_at=now - timedelta(hours=23))

    assert delete_old(now=now) == 1
    assert hosts() == {"new.example.com"}


def test_the_refused_visit_s_line_names_the_host(brand, api, caplog):
    with caplog.at_level(logging.WARNING, "affiliates.security"):
        visit(api, headers={"origin": WWW})
        visit(api, headers={"origin": "<script>"})

    (line,) = [row for row in caplog.records if row.msg == "Request refused"]
    assert (line.code, line.origin_host) == (
        "origin_not_registered",
        "www.shop.example.com",
    )
