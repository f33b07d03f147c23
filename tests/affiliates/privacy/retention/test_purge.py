from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from affiliates.privacy.retention import registry, services
from affiliates.privacy.retention.models import PurgedClicks
from affiliates.privacy.retention.rules import ClickKind
from affiliates.privacy.retention.services import keep_clicks, purge_clicks
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits.models import Click
from tests.affiliates.privacy.retention.clicks import click_at
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.ledger import ClientReferralFactory

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
# Of 13 months, this is the first moment that is kept.
KEPT_FROM = datetime(2025, 2, 1, tzinfo=UTC)
BEFORE = KEPT_FROM - timedelta(microseconds=1)


@pytest.fixture(autouse=True)
def before_purge(monkeypatch):
    """What was called before a purge, in place of the statistics."""
    called = []
    monkeypatch.setattr(
        registry,
        "_registered",
        [lambda brand, before, now: called.append((brand.pk, before, now))],
    )
    return called


@pytest.fixture(autouse=True)
def _keeps_months(monkeypatch):
    """Months are dropped outside a transaction: that is tested with them."""
    monkeypatch.setattr(services, "_drop_months", lambda limits, should_stop: 0)


def test_clicks_older_than_the_brand_keeps_them_are_deleted(affiliate, before_purge):
    click_at(affiliate, BEFORE)
    click_at(affiliate, BEFORE, is_repeat=True)
    click_at(affiliate, BEFORE, bot_signs="user_agent")
    kept = click_at(affiliate, KEPT_FROM)

    assert purge_clicks(now=NOW) == "3 clicks deleted."

    assert list(Click.objects.all()) == [kept]
    assert before_purge == [(affiliate.brand_id, KEPT_FROM, NOW)]


def test_each_kind_is_kept_for_its_own_time(affiliate, before_purge):
    brand = affiliate.brand
    brand.change(click_months=0, other_click_months=4)
    old, moment = NOW - timedelta(days=2_000), datetime(2025, 10, 31, tzinfo=UTC)
    kept = [
        click_at(affiliate, old),
        click_at(affiliate, datetime(2025, 11, 1, tzinfo=UTC), is_repeat=True),
    ]
    click_at(affiliate, moment, is_repeat=True)
    click_at(affiliate, moment, bot_signs="user_agent")

    assert purge_clicks(now=NOW) == "2 clicks deleted."

    assert list(Click.objects.order_by("created_at")) == kept
    before = datetime(2025, 11, 1, tzinfo=UTC)
    assert before_purge == [(brand.pk, before, NOW)]


def test_each_brand_has_its_own_time(affiliate, host):
    other = BrandFactory(client_area="other.example.com", click_months=24)
    client = host.client(other, email="other@example.com")
    kept = click_at(AffiliateFactory(brand=other, user=client), BEFORE)
    click_at(affiliate, BEFORE)

    assert purge_clicks(now=NOW) == "1 clicks deleted."

    assert list(Click.objects.all()) == [kept]


def test_click_that_may_still_earn_is_kept(affiliate):
    affiliate.brand.change(click_months=1, cookie_lifetime_days=30)
    kept = click_at(affiliate, datetime(2025, 12, 1, tzinfo=UTC))
    click_at(affiliate, datetime(2025, 11, 30, tzinfo=UTC))

    assert purge_clicks(now=NOW) == "1 clicks deleted."

    assert list(Click.objects.all()) == [kept]


@pytest.mark.parametrize("column", ["click_id", "external_click_id"])
@pytest.mark.parametrize("model", [ClientReferral, OrderReferral])
def test_click_that_a_client_or_an_order_came_by_is_kept(
    model, column, affiliate, order, host
):
    came_by = click_at(affiliate, BEFORE)
    click_at(affiliate, BEFORE)
    if model is ClientReferral:
        client = host.client(affiliate.brand, email="client@example.com")
        ClientReferralFactory(affiliate=affiliate, client=client)
    integration = TrackingIntegrationFactory(brand=affiliate.brand)
    of_integration = {
        "integration": integration,
        "external_visitor_id": "visitor",
        "external_touched_at": BEFORE,
    }
    model.objects.update(
        **{column: came_by.pk},
        **(of_integration if column == "external_click_id" else {}),
    )

    assert purge_clicks(now=NOW) == "1 clicks deleted."

    assert came_by in Click.objects.all()


def test_what_was_purged_is_not_looked_at_again(affiliate, before_purge):
    click_at(affiliate, BEFORE)
    purge_clicks(now=NOW)
    before_purge.clear()

    assert purge_clicks(now=NOW) == ""

    assert before_purge == []
    assert {
        row.kind: row.before for row in PurgedClicks.objects.all()
    } == dict.fromkeys(ClickKind, KEPT_FROM)


def test_purge_that_is_stopped_goes_on(affiliate, monkeypatch):
    monkeypatch.setattr(services, "CLICKS_AT_ONCE", 2)
    for day in range(5):
        click_at(affiliate, BEFORE - timedelta(days=day))
    answers = iter([False, False, True, True])

    purge_clicks(now=NOW, should_stop=lambda: next(answers))

    left = Click.objects.order_by("created_at")
    assert [one.created_at for one in left] == [
        BEFORE - timedelta(days=day) for day in (2, 1, 0)
    ]
    assert purge_clicks(now=NOW) == "3 clicks deleted."


def test_clicks_stay_where_the_statistics_fail(affiliate, monkeypatch):
    def fail(brand, *, before, now):
        raise RuntimeError("no statistics")

    monkeypatch.setattr(registry, "_registered", [fail])
    click = click_at(affiliate, BEFORE)

    with pytest.raises(RuntimeError, match="no statistics"):
        purge_clicks(now=NOW)

    assert list(Click.objects.all()) == [click]
    assert not PurgedClicks.objects.exists()


def test_job_reports_what_it_did(affiliate, monkeypatch):
    monkeypatch.setattr(services, "partition_clicks", lambda **_: "Partitioned.")
    monkeypatch.setattr(services, "purge_clicks", lambda **_: "Purged.")

    assert keep_clicks(lambda: NOW, lambda: False).endswith("Purged.")
