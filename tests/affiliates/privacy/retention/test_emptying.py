from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from affiliates.encrypted.addresses import hash_address
from affiliates.outbox.models.delivery import Delivery
from affiliates.privacy.retention import emptying
from affiliates.privacy.retention.emptying import empty_visitors
from affiliates.privacy.retention.models import PurgedClicks
from affiliates.privacy.retention.rules import emptied_before
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.verification.seals import judge_seal
from affiliates.visits.models import Click
from tests.affiliates.privacy.retention.clicks import click_at
from tests.cases import each
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.integrations import (
    DeliveryFactory,
    TrackingIntegrationFactory,
    external_fields,
)
from tests.factories.ledger import ClientReferralFactory, OrderReferralFactory

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
# Rows from before are emptied of addresses today.
FROM = datetime(2026, 3, 4, tzinfo=UTC)
BEFORE = FROM - timedelta(microseconds=1)
NETWORK, AGENT = "203.0.113.0/24", "Mozilla/5.0 (X11)"


@each(
    ("now", "before"),
    [
        (datetime(2026, 3, 10, 0, tzinfo=UTC), datetime(2026, 3, 4, tzinfo=UTC)),
        (datetime(2026, 3, 10, 21, 59, tzinfo=UTC), datetime(2026, 3, 4, tzinfo=UTC)),
        (datetime(2026, 3, 10, 22, tzinfo=UTC), datetime(2026, 3, 5, tzinfo=UTC)),
    ],
)
def test_no_row_is_kept_longer_though_the_job_runs_once_an_hour(now, before):
    assert emptied_before(now, kept=timedelta(days=7)) == before


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(brand=brand)


def test_networks_become_hashes_of_the_day(affiliate):
    old = click_at(affiliate, BEFORE, ip_prefix=NETWORK, user_agent=AGENT)
    same = click_at(affiliate, BEFORE - timedelta(hours=1), ip_prefix=NETWORK)
    new = click_at(affiliate, FROM, ip_prefix=NETWORK)

    assert empty_visitors(now=NOW) == "2 rows with visitors' data cleared."

    hashed = hash_address(NETWORK, BEFORE.date())
    found = {one.pk: one.ip_prefix for one in Click.objects.all()}
    assert found == {old.pk: hashed, same.pk: hashed, new.pk: NETWORK}
    assert Click.objects.get(pk=old.pk).user_agent == AGENT


def test_networks_are_gone_where_the_brand_says_so(affiliate):
    affiliate.brand.change(old_addresses="nothing")
    click_at(affiliate, BEFORE, ip_prefix=NETWORK)

    empty_visitors(now=NOW)

    assert Click.objects.get().ip_prefix == ""


def test_referrals_are_emptied_and_their_seals_hold(
    affiliate, integration, host, brand
):
    client = host.client(brand, email="client@example.com")
    touch = external_fields(integration, BEFORE)
    ClientReferralFactory(affiliate=affiliate, client=client, bound_at=BEFORE, **touch)
    OrderReferralFactory(
        brand=brand, client=client, ip_prefix=NETWORK, converted_at=BEFORE
    )

    empty_visitors(now=NOW)
    empty_visitors(now=NOW + timedelta(days=90))

    bound, order = ClientReferral.objects.get(), OrderReferral.objects.get()
    day = BEFORE.date()
    assert bound.external_ip == hash_address("203.0.113.0", day)
    assert order.ip_prefix == hash_address(NETWORK, day)
    assert (order.external_ip, bound.external_user_agent) == ("", "")
    assert [*judge_seal(bound), *judge_seal(order)] == []


def test_user_agents_are_gone_after_their_time(affiliate, settings):
    settings.AFFILIATES_KEEP_USER_AGENTS_DAYS = 30
    before = datetime(2026, 2, 9, tzinfo=UTC)
    old = click_at(affiliate, before - timedelta(seconds=1), user_agent=AGENT)
    new = click_at(affiliate, before, user_agent=AGENT)

    empty_visitors(now=NOW)

    found = {one.pk: one.user_agent for one in Click.objects.all()}
    assert found == {old.pk: "", new.pk: AGENT}


def test_deliveries_lose_address_and_user_agent_and_nothing_else(integration):
    row = DeliveryFactory(integration=integration, created_at=BEFORE)

    empty_visitors(now=NOW)
    assert Delivery.objects.get().payload == {**row.payload, "ip": ""}

    empty_visitors(now=NOW + timedelta(days=90))
    assert Delivery.objects.get().payload == {
        **row.payload,
        "ip": "",
        "user_agent": "",
    }


def test_rows_are_looked_at_once_a_day_and_again_if_they_came_late(
    affiliate, django_assert_num_queries
):
    empty_visitors(now=NOW)
    late = click_at(affiliate, BEFORE - timedelta(days=1), ip_prefix=NETWORK)

    # The brands, and how far each kind has come.
    with django_assert_num_queries(3):
        assert empty_visitors(now=NOW + timedelta(hours=1)) == ""

    empty_visitors(now=NOW + timedelta(days=1))
    late.refresh_from_db()
    assert late.ip_prefix.startswith("h:")


def test_rows_of_one_moment_are_all_emptied(affiliate, monkeypatch):
    monkeypatch.setattr(emptying, "ROWS_AT_ONCE", 2)
    for _ in range(5):
        click_at(affiliate, BEFORE, ip_prefix=NETWORK)

    assert empty_visitors(now=NOW) == "5 rows with visitors' data cleared."

    assert not Click.objects.filter(ip_prefix=NETWORK).exists()


def test_emptying_that_is_stopped_goes_on(affiliate, monkeypatch):
    monkeypatch.setattr(emptying, "ROWS_AT_ONCE", 2)
    for day in range(5):
        click_at(affiliate, BEFORE - timedelta(days=day), ip_prefix=NETWORK)
    answers = iter([False])

    empty_visitors(now=NOW, should_stop=lambda: next(answers, True))

    assert Click.objects.filter(ip_prefix=NETWORK).count() == 3
    assert not PurgedClicks.objects.exists()
    assert empty_visitors(now=NOW) == "3 rows with visitors' data cleared."


def test_other_brands_keep_what_they_say(affiliate, host):
    other = BrandFactory(client_area="other.example.com", old_addresses="nothing")
    client = host.client(other, email="other@example.com")
    click_at(affiliate, BEFORE, ip_prefix=NETWORK)
    gone = click_at(
        AffiliateFactory(brand=other, user=client), BEFORE, ip_prefix=NETWORK
    )

    empty_visitors(now=NOW)

    gone.refresh_from_db()
    assert gone.ip_prefix == ""
    assert Click.objects.exclude(pk=gone.pk).get().ip_prefix.startswith("h:")
