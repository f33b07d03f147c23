"""Who is in a run, who is left out and why; and that a draft is made once."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.payout_runs.models import PayoutRun, PayoutRunLine
from affiliates.contrib.payout_runs.services.drafts import (
    draft,
    run_of_payouts,
    start_run,
)
from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts.models import Payout
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.requests import request_payout
from tests.affiliates.payouts.looking import standing
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.payouts import DestinationFactory, earn, take_back
from tests.factories.program import make_commission
from tests.races import at_once, needs_postgresql

PERIOD = date(2026, 3, 5)


def lines_of(run) -> dict[str, tuple[str, int, str]]:
    return {
        line.affiliate.code: (line.outcome, line.amount, line.detail)
        for line in run.lines.select_related("affiliate")
    }


def test_pays_everybody_who_can_be_paid_and_says_of_others_why_not(
    earner, drafted, terms, staff, now
):
    paid = earner("paid", 12_345)
    asked, approved = earner("asked"), earner("approved")
    for one in (asked, approved):
        request_payout(affiliate_id=one.pk, currency="EUR", now=now)
    request_payout(
        affiliate_id=earner("started").pk,
        currency="EUR",
        now=now,
        started_by_id=staff.pk,
    )
    approve_payouts(payout_ids=[approved.payouts.get().pk], actor_id=staff.pk, now=now)
    earner("poor", 4_999)
    earner("homeless", to=None)
    earner("suspended", status="suspended")
    earner("dollars", currency="USD")
    terms.kinds = ["wallet", "bank"]
    terms.save()
    earner("elsewhere", to="paypal")
    moved = earner("moved", to=None)
    DestinationFactory(affiliate=moved, usable_from=now + timedelta(days=2))
    moved.destinations.update(kind="bank")
    owing = earner("owing", 100)
    take_back(owing, 300)
    earner("nothing", 0)
    make_commission(earner("held", 0), CommissionStatus.HELD, now=now)

    run = drafted()

    assert (run.status, run.line_count) == ("draft", 12)
    assert lines_of(run) == {
        "paid": ("set_aside", 12_345, ""),
        "asked": ("asked", 10_000, ""),
        "approved": ("asked", 10_000, ""),
        "started": ("started", 10_000, ""),
        "poor": (
            "below_minimum",
            4_999,
            "€49.99 is payable. At least €50.00 is paid out.",
        ),
        "homeless": ("no_destination", 10_000, "Say first where the money is to go."),
        "suspended": (
            "affiliate_inactive",
            10_000,
            "An affiliate that is pending or suspended is not paid.",
        ),
        "dollars": (
            "currency_not_paid_there",
            10_000,
            "Bank transfer (SEPA) takes no USD. Choose another destination.",
        ),
        "elsewhere": (
            "kind_not_offered",
            10_000,
            "This brand does not pay that way. Choose another destination.",
        ),
        "moved": (
            "destination_cooling_off",
            10_000,
            "The destination, the password or the e-mail address was changed lately. "
            "The destination is paid to from "
            "3 March 2026 12:00 UTC on.",
        ),
        "owing": ("negative_balance", -200, "€2.00 were taken back after a payout."),
        "held": ("held", 1_000, "€10.00 is held."),
    }
    assert standing(paid) == (0, 12_345, 0)
    assert Payout.objects.count() == 4


def test_set_aside_by_schedule_nobody_has_asked(earner, drafted):
    earner("paid")

    run = drafted()

    [event] = run.lines.get().payout.events.all()
    assert (event.after, event.actor_id) == ("requested", None)


def test_leaves_out_what_another_run_pays(earner, drafted):
    earner("paid")
    first = drafted()
    payout = first.lines.get().payout

    second = drafted()

    assert lines_of(second) == {
        "paid": ("payout_open", 10_000, f"Payout {payout.pk} is in another run.")
    }


def test_looks_at_no_other_brand(drafted, host, now):
    elsewhere = BrandFactory(client_area="other.example.net")
    stranger = AffiliateFactory(
        brand=elsewhere, user=host.client(elsewhere, email="s@example.com")
    )
    DestinationFactory(affiliate=stranger, usable_from=now)
    earn(stranger)

    assert lines_of(drafted()) == {}
    assert standing(stranger) == (10_000, 0, 0)


def test_interrupted_draft_goes_on_where_it_was(brand, staff, earner, now):
    for number in range(3):
        earner(f"earner-{number}")
    run = start_run(brand_id=brand.pk, period=PERIOD, actor_id=None, now=now)
    calls = iter([False, True])

    begun = draft(run, clock=lambda: now, should_stop=lambda: next(calls))
    assert (begun.status, begun.lines.count()) == ("drafting", 1)
    again = start_run(brand_id=brand.pk, period=PERIOD, actor_id=staff.pk, now=now)
    done = draft(again, clock=lambda: now, should_stop=lambda: False)

    assert (done.pk, done.status, done.line_count) == (run.pk, "draft", 3)
    assert Payout.objects.count() == 3


def test_finished_draft_is_not_drafted_again(earner, drafted):
    earner("paid")
    drafted(period=PERIOD)

    with nothing_written():
        drafted(period=PERIOD)


def test_chosen_payouts_become_a_draft(earner, drafted, staff, now):
    payouts = [
        request_payout(affiliate_id=earner(code).pk, currency="EUR", now=now)
        for code in ("first", "other")
    ]

    run = run_of_payouts(payout_ids=[payouts[0].pk], actor_id=staff.pk, now=now)

    assert lines_of(run) == {"first": ("asked", 10_000, "")}
    assert (run.status, run.prepared_by_id) == ("draft", staff.pk)
    with nothing_written(), pytest.raises(StateConflict):
        run_of_payouts(
            payout_ids=[payout.pk for payout in payouts], actor_id=staff.pk, now=now
        )
    with nothing_written(), pytest.raises(InvalidInput):
        run_of_payouts(payout_ids=[], actor_id=staff.pk, now=now)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_drafted_by_many_at_once_it_is_one(brand, earner, now):
    for number in range(5):
        earner(f"earner-{number}")

    def act(_):
        run = start_run(brand_id=brand.pk, period=PERIOD, actor_id=None, now=now)
        return draft(run, clock=lambda: now, should_stop=lambda: False).pk

    assert len(set(at_once(6, act))) == 1
    assert PayoutRun.objects.get().line_count == 5
    assert PayoutRunLine.objects.count() == Payout.objects.count() == 5
