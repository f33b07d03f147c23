"""Hosts that are made up: refused where they are not allowed, and never in others' way."""

from __future__ import annotations

import json
from unittest.mock import patch

import pytest

from affiliates.api import plain_visits
from affiliates.api.plain_visits import HeadersUnknown, PlainVisits
from affiliates.api.short_path import _PlainRequest
from tests.contract.both_paths import request, visit
from tests.database import nothing_written

OK = "200 OK"


@pytest.mark.parametrize(
    "host", ["evil.example", "api.localhost.evil.example", "a b", "\xff", ""]
)
def test_visit_to_a_host_that_is_not_allowed_is_refused_by_django(
    new_both, link_url, settings, host
):
    settings.ALLOWED_HOSTS = ["api.localhost"]
    both = new_both()

    with nothing_written():
        answer = both.ask(*request(visit(link_url), HTTP_HOST=host), seed=1)

    assert (answer.status, answer.by_django) == ("400 Bad Request", True)
    assert json.loads(answer.body)["type"] == "client_error"
    assert both.headers == {}


@pytest.mark.parametrize(
    "header", ["HTTP_HOST", "HTTP_X_FORWARDED_HOST"], ids=["Host", "X-Forwarded-Host"]
)
@pytest.mark.parametrize("made_up", ["evil{}.example", "x{}.localhost", "localhost:{}"])
def test_hosts_that_are_made_up_leave_the_real_one_on_the_short_path(
    new_both, brand, settings, made_up, header
):
    settings.ALLOWED_HOSTS = [".localhost"]
    with (
        patch.object(plain_visits, "MAX_HOSTS", 5),
        patch.object(plain_visits, "SECONDS_BETWEEN", 0),
    ):
        both = new_both()
        for number in range(1, 20):
            made = request(visit(), **{header: made_up.format(number)})
            both.ask(*made, seed=number)

        answer = both.ask(*request(visit()), seed=0)

        assert (answer.status, answer.by_django) == (OK, False)
        assert len(both.headers) <= 5
        assert len(both.asked) <= 5


def test_hosts_that_are_made_up_in_quick_succession_displace_one_each_second(
    new_both, brand, settings
):
    settings.ALLOWED_HOSTS = [".localhost"]
    with (
        patch.object(plain_visits, "MAX_HOSTS", 5),
        patch.object(plain_visits, "monotonic", return_value=100.0) as clock,
    ):
        both = new_both()
        both.ask(*request(visit()), seed=0)
        for number in range(1, 20):
            both.ask(*request(visit(), HTTP_HOST=f"x{number}.localhost"), seed=number)

        # The oldest, which is the real one, is asked for by itself the next second.
        displaced = both.ask(*request(visit()), seed=20)
        clock.return_value = 101.0
        learnt = both.ask(*request(visit()), seed=21)

    assert [key[1] for key in both.headers][:4] == [
        "x2.localhost",
        "x3.localhost",
        "x4.localhost",
        "x5.localhost",
    ]
    assert (displaced.status, displaced.by_django) == (OK, True)
    assert (learnt.status, learnt.by_django) == (OK, False)


def test_one_visit_at_a_time_asks_for_the_headers(brand, link_url):
    visits = PlainVisits()

    def answer() -> object:
        return visits.answer(_PlainRequest(*request(visit(link_url))))

    with (
        nothing_written(),
        patch.object(plain_visits, "monotonic", return_value=100.0) as clock,
    ):
        with pytest.raises(HeadersUnknown):
            answer()
        # Left to Django, until the first must have failed.
        assert [answer(), answer()] == [None, None]
        clock.return_value = 101.0
        with pytest.raises(HeadersUnknown):
            answer()
