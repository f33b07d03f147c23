"""A subscription's events end alike, in whatever order they are told."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affiliates.commissions.models import Commission
from affiliates.ledger.models import AccountBalance
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import Sale, SaleReversal
from tests.affiliates.verification.finding import everything_found
from tests.lengths import times

DAY = timedelta(days=1)


def outcome() -> dict[str, Any]:
    return {
        "referral": list(
            OrderReferral.objects.values_list("affiliate", "converted_at", "decision")
        ),
        "sales": list(
            Sale.objects.order_by("invoice_ref").values_list("invoice_ref", "net")
        ),
        "reversals": [one.net for one in SaleReversal.objects.all()],
        "balances": list(
            AccountBalance.objects.order_by("account").values_list("account", "amount")
        ),
        "commissions": [
            (one.sale.invoice_ref, one.status, one.amount)
            for one in Commission.objects.order_by("sale__invoice_ref")
        ],
    }


@settings(
    max_examples=times(6, long=300),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_events_in_any_order_and_number_end_alike(data, plan, events, now):
    again = data.draw(st.lists(st.sampled_from([*events]), max_size=4))
    told = data.draw(st.permutations([*events, *again]))
    ends = []
    for order in (list(events), told):
        with transaction.atomic():
            for number, name in enumerate(order):
                events[name](now + 60 * DAY + timedelta(hours=number))
            ends.append(outcome())
            transaction.set_rollback(True)

    in_order, as_told = ends
    assert len(in_order["commissions"]) == 2
    assert as_told == in_order


def test_events_told_backwards_leave_books_that_agree(plan, events, now):
    for name in reversed(events):
        events[name](now + 60 * DAY)

    assert Commission.objects.count() == 2
    assert everything_found() == []
