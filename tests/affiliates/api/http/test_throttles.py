"""Rate limits, and whose address counts."""

from __future__ import annotations

import pytest

from affiliates.api.throttling.words import limit_sentence
from affiliates.visits.models import Click
from tests.affiliates.api.calls import (
    SHOP,
    complete,
    convert,
    refusal,
    register,
    register_guest,
    visit,
)
from tests.cases import each
from tests.database import nothing_written

pytestmark = pytest.mark.portable

THROTTLED = (429, "throttled", None)


@pytest.fixture
def limit(settings, clock):
    """Sets one endpoint's rate; the clock stands still inside a window."""

    def limit(**rates):
        settings.AFFILIATES_THROTTLE_RATES = rates

    return limit


def test_visits_over_the_rate_are_refused_and_not_recorded(api, link, limit):
    limit(visit="2/minute")
    page = f"{SHOP}/aff/{link.hash}"
    for _ in range(2):
        assert visit(api, page, headers={}).status_code == 200

    caller = {"REMOTE_ADDR": "203.0.113.7"}
    api.credentials(**caller)
    for _ in range(2):
        assert visit(api, page).status_code == 200
    with nothing_written():
        answer = visit(api, page)

    assert refusal(answer) == THROTTLED
    assert 1 <= int(answer["Retry-After"]) <= 60
    assert Click.objects.count() == 4


def test_callers_of_one_network_count_together(api, brand, limit):
    limit(visit="2/minute")
    answers = []
    for address in ("203.0.113.7", "203.0.113.8", "203.0.113.9", "203.0.114.1"):
        api.credentials(REMOTE_ADDR=address)
        answers.append(visit(api).status_code)

    assert answers == [200, 200, 429, 200]


def test_callers_of_one_ipv6_site_count_together(api, brand, limit):
    limit(visit="1/minute")
    answers = []
    for address in ("2001:db8:1:2::5", "2001:db8:1:ffff::1", "2001:db8:2::1"):
        api.credentials(REMOTE_ADDR=address)
        answers.append(visit(api).status_code)

    assert answers == [200, 429, 200]


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"]
)
def test_loopback_is_never_throttled(api, brand, limit, address):
    limit(visit="1/minute")
    api.credentials(REMOTE_ADDR=address)

    assert {visit(api).status_code for _ in range(5)} == {200}


@pytest.mark.parametrize("address", ["", "unknown", "unix:", "203.0.113.7:4711"])
def test_odd_address_is_no_fault_of_the_service(api, link, limit, address):
    limit(visit="1/minute")
    api.credentials(REMOTE_ADDR=address)

    answer = visit(api, f"{SHOP}/aff/{link.hash}")

    assert answer.status_code == 200
    assert Click.objects.get().ip_prefix == ""
    assert refusal(visit(api)) == THROTTLED


def test_waiting_helps(api, brand, limit, clock, now):
    limit(visit="1/minute")
    api.credentials(REMOTE_ADDR="203.0.113.7")
    visit(api)
    wait = int(visit(api)["Retry-After"])

    clock.shift(wait)

    assert visit(api).status_code == 200


def test_empty_rate_switches_the_limit_off(api, brand, limit):
    limit(visit="")
    api.credentials(REMOTE_ADDR="203.0.113.7")

    assert {visit(api).status_code for _ in range(5)} == {200}


def test_each_endpoint_has_its_own_limit(api, brand, host, limit):
    limit(
        visit="1/minute",
        register="1/minute",
        guest="1/minute",
        complete="1/minute",
        convert="1/minute",
    )
    client = host.client(brand, email="client@example.com")
    order = host.order(client)
    api.credentials(
        REMOTE_ADDR="203.0.113.7", HTTP_AUTHORIZATION=host.authorization(client)
    )
    calls = [
        lambda: visit(api),
        lambda: register(api),
        lambda: register_guest(api),
        lambda: complete(api, client.pk),
        lambda: convert(api, order),
    ]

    assert 429 not in [call().status_code for call in calls]
    for call in calls:
        with nothing_written():
            answer = call()
        assert refusal(answer) == THROTTLED


@pytest.mark.parametrize(
    ("_case", "proxies", "forwarded_for", "prefix"),
    [
        ("no proxy of ours: not believed", 0, "198.51.100.1", "203.0.113.0/24"),
        ("one proxy: its entry", 1, "198.51.100.1", "198.51.100.0/24"),
        ("one proxy: the last entry", 1, "10.0.0.1, 198.51.100.1", "198.51.100.0/24"),
        ("two proxies", 2, "6.6.6.6, 198.51.100.1, 10.0.0.1", "198.51.100.0/24"),
        ("fewer entries than proxies", 2, "198.51.100.1", "203.0.113.0/24"),
        ("no header", 1, "", "203.0.113.0/24"),
        ("IPv6", 1, "2001:db8:1:2::5", "2001:db8:1::/48"),
        ("mapped IPv4", 1, "::ffff:198.51.100.1", "198.51.100.0/24"),
        ("no address", 1, "unknown", ""),
    ],
)
def test_forwarded_address_is_believed_from_our_own_proxies_only(
    api, link, settings, _case, proxies, forwarded_for, prefix
):
    settings.AFFILIATES_TRUSTED_PROXIES = proxies
    api.credentials(REMOTE_ADDR="203.0.113.7", HTTP_X_FORWARDED_FOR=forwarded_for)

    visit(api, f"{SHOP}/aff/{link.hash}")

    assert Click.objects.get().ip_prefix == prefix


@pytest.mark.parametrize(
    ("_case", "address", "prefix"),
    [
        ("IPv4", "203.0.113.255", "203.0.113.0/24"),
        ("IPv6", "2001:db8:abcd:1234:5678::1", "2001:db8:abcd::/48"),
        ("mapped IPv4", "::ffff:203.0.113.9", "203.0.113.0/24"),
        ("IPv6 with a zone", "fe80::1%eth0", "fe80::/48"),
    ],
)
def test_only_the_network_of_an_address_is_kept(api, link, _case, address, prefix):
    api.credentials(REMOTE_ADDR=address)

    visit(api, f"{SHOP}/aff/{link.hash}")

    click = Click.objects.get()
    assert click.ip_prefix == prefix
    assert address not in {click.visit_url, click.referrer_url, click.user_agent}


@each(
    ("rate", "sentence"),
    [
        ("20/minute", "Limit: 20 calls a minute from one network."),
        ("20/min", "Limit: 20 calls a minute from one network."),
        ("10/hour", "Limit: 10 calls an hour from one network."),
        ("1/day", "Limit: 1 call a day from one network."),
        ("", ""),
    ],
)
def test_limit_in_the_description_of_the_api(rate, sentence):
    assert limit_sentence(rate, "from one network") == sentence
