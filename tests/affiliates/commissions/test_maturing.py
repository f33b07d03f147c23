"""What becomes of commissions when their hold is over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from affiliates.adapter import get_adapter
from affiliates.commissions.models import Commission
from affiliates.commissions.services.maturing import Matured, mature_due
from affiliates.ledger.rules import Account
from affiliates.worker.running import run_job
from tests.affiliates.till import AFTER_HOLD, PAID_AT, history, order_of, written
from tests.factories.plans import CommissionPlanFactory


def ready(brand, affiliate, buyer, till, *, count: int = 1, **fields) -> None:
    """So many commissions, paid at ``PAID_AT``, of a plan with these fields."""
    CommissionPlanFactory(brand=brand, is_default=True, **fields)
    for number in range(count):
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")
        till.pay(order=f"o-{number}", invoice=f"i-{number}")


def test_approves_itself_when_the_hold_is_over(brand, affiliate, buyer, till, balance):
    ready(brand, affiliate, buyer, till)

    assert mature_due(now=AFTER_HOLD) == Matured(approved=1)

    commission = Commission.objects.get()
    assert (commission.status, commission.reason_text) == (
        "approved",
        "The hold is over.",
    )
    assert history(commission)[-1] == ("pending", "approved")
    assert balance() == {Account.EXPENSE: -1000, Account.PAYABLE: 1000}


def test_waits_for_staff_where_the_plan_wants_them(
    brand, affiliate, buyer, till, balance
):
    ready(brand, affiliate, buyer, till, approves_itself=False)

    assert mature_due(now=AFTER_HOLD) == Matured(waiting=1)

    assert Commission.objects.get().status == "matured"
    assert balance() == {Account.EXPENSE: -1000, Account.PENDING: 1000}


def test_nothing_matures_before_its_time(brand, affiliate, buyer, till):
    ready(brand, affiliate, buyer, till)
    before = written()

    result = mature_due(now=AFTER_HOLD - timedelta(microseconds=1))

    assert result == Matured()
    assert written() == before


def test_hold_is_by_billing_cycle(brand, affiliate, buyer, till):
    ready(brand, affiliate, buyer, till, hold_days_by_cycle={"annually": 90})

    assert mature_due(now=AFTER_HOLD) == Matured()
    assert mature_due(now=PAID_AT + timedelta(days=90)).approved == 1


def test_clock_that_went_back_matures_nothing_twice(brand, affiliate, buyer, till):
    ready(brand, affiliate, buyer, till)
    mature_due(now=AFTER_HOLD)
    before = written()

    mature_due(now=PAID_AT)
    mature_due(now=AFTER_HOLD)

    assert written() == before


@pytest.mark.parametrize(
    ("answer", "status"), [(True, "approved"), (None, "approved"), (False, "rejected")]
)
def test_service_must_be_active_where_the_plan_wants_it(
    answer, status, brand, affiliate, buyer, till, balance, monkeypatch
):
    ready(brand, affiliate, buyer, till, needs_active_service=True)
    asked = []

    def is_service_active(order_ref: str, *, brand_id: int) -> bool | None:
        asked.append((order_ref, brand_id))
        return answer

    monkeypatch.setattr(get_adapter(), "is_service_active", is_service_active)

    mature_due(now=AFTER_HOLD)

    assert asked == [("o-0", brand.pk)]
    assert Commission.objects.get().status == status
    assert (Account.PAYABLE in balance()) == (status == "approved")


def test_host_that_fails_to_answer_keeps_only_that_commission_waiting(
    brand, affiliate, buyer, till, monkeypatch
):
    ready(brand, affiliate, buyer, till, count=2, needs_active_service=True)

    def is_service_active(order_ref: str, *, brand_id: int) -> bool | None:
        if order_ref == "o-0":
            raise ConnectionError
        return True

    monkeypatch.setattr(get_adapter(), "is_service_active", is_service_active)

    assert mature_due(now=AFTER_HOLD) == Matured(approved=1, skipped=1)


@pytest.mark.django_db(transaction=True)
def test_host_is_asked_outside_any_transaction(
    brand, affiliate, buyer, till, monkeypatch
):
    ready(brand, affiliate, buyer, till, needs_active_service=True)
    in_transaction = []

    def is_service_active(order_ref: str, *, brand_id: int) -> bool | None:
        in_transaction.append(connection.in_atomic_block)
        return True

    monkeypatch.setattr(get_adapter(), "is_service_active", is_service_active)

    mature_due(now=AFTER_HOLD)

    assert in_transaction == [False]


def test_batches_go_on_where_the_last_one_ended(brand, affiliate, buyer, till):
    ready(brand, affiliate, buyer, till, count=3)

    first = mature_due(now=AFTER_HOLD, limit=2)
    second = mature_due(now=AFTER_HOLD, limit=2, after_id=first.last_id)

    assert (first.approved, second.approved, second.last_id) == (2, 1, None)


def test_the_job_says_what_came_of_it(brand, affiliate, buyer, till):
    ready(brand, affiliate, buyer, till, count=2)

    done = [run_job("commissions", now=AFTER_HOLD).report for _ in range(2)]

    assert done == [
        "2 approved, 0 wait for staff, 0 rejected, 0 left for the next pass.",
        "",
    ]
