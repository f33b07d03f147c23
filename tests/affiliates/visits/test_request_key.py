from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from affiliates.core.ids import moment_of
from affiliates.visits.request_key import visit_of_request
from affiliates.visits.rules import Visit

NOW = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)
RANDOM = "0123456789abcdef" * 2
VISIT = Visit(
    visit_url="https://shop.example.com/aff/abc",
    referrer_url="",
    user_agent="Firefox",
    referral_cookie=None,
    ip="203.0.113.7",
    ip_prefix="203.0.113.0/24",
    is_prefetch=False,
    request_id=f"{NOW.timestamp():.3f}-{RANDOM}",
)


def test_each_process_finds_the_same_ids_and_moment():
    first = visit_of_request(VISIT, now=NOW)
    second = visit_of_request(VISIT, now=NOW + timedelta(seconds=5))

    assert first == second
    assert first.issued_at == NOW
    assert first.click_id != first.visitor_id
    for id_ in (first.click_id, first.visitor_id):
        assert (id_.version, moment_of(id_)) == (7, NOW)


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("request", {"request_id": f"{NOW.timestamp():.3f}-{RANDOM[::-1]}"}),
        ("page", {"visit_url": "https://shop.example.com/aff/abd"}),
        ("browser", {"user_agent": "Safari"}),
        ("address", {"ip": "203.0.113.8"}),
    ],
)
def test_another_visit_has_other_ids(_case, change):
    this = visit_of_request(VISIT, now=NOW)
    other = visit_of_request(VISIT._replace(**change), now=NOW)

    assert not {this.click_id, this.visitor_id} & {other.click_id, other.visitor_id}


@pytest.mark.parametrize(
    ("seconds", "is_believed"),
    [
        (-5.001, False),
        (-5, True),
        (0, True),
        (1_200, True),
        (3_599, True),
        (3_600, False),
    ],
)
def test_moment_of_the_proxy_is_believed_where_this_clock_is_not_behind(
    seconds, is_believed
):
    found = visit_of_request(VISIT, now=NOW + timedelta(seconds=seconds))

    assert (found is not None) == is_believed


@pytest.mark.parametrize(
    "request_id",
    [
        "",
        RANDOM,
        f"{NOW.timestamp():.3f}",
        f"{NOW.timestamp():.3f}-{RANDOM[:-1]}",
        f"{NOW.timestamp():.3f}-{RANDOM.upper()}",
        f"{NOW.timestamp():.2f}-{RANDOM}",
        f" {NOW.timestamp():.3f}-{RANDOM}",
        f"{NOW.timestamp():.3f}-{RANDOM}\n",
        f"9999999999.999-{RANDOM}",
        f"0000000000.000-{RANDOM}",
    ],
)
def test_other_request_ids_name_no_visit(request_id):
    assert visit_of_request(VISIT._replace(request_id=request_id), now=NOW) is None


def test_surrogates_in_a_page_are_no_fault():
    visit = VISIT._replace(visit_url="https://shop.example.com/\ud800")

    assert visit_of_request(visit, now=NOW) is not None
