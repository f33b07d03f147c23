"""Imports beside whatever else goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from time import sleep

import pytest
from django.db import connections, transaction

from affiliates.commissions.models import Commission
from affiliates.commissions.services.maturing import mature_due
from affiliates.contracts import OrderPlaced
from affiliates.contrib.imports.kinds import earnings
from affiliates.host_events import order_placed
from affiliates.ledger.rules import Account
from tests.affiliates.contrib.imports.test_kinds import ORDERS, counts, renew, verified
from tests.affiliates.till import AFTER_HOLD
from tests.races import needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]


def order(number, affiliate) -> str:
    day = "2026-02-27"
    return f"o-{number},,buyer@example.com,{affiliate},{day},90.00,EUR,{day}"


def test_orders_in_any_order_beside_the_end_of_holds(
    imported, affiliate, rival, buyer, plan, balance, monkeypatch
):
    imported("orders", ORDERS, order(1, "partner"), order(2, "rival"))
    record_payment = earnings.record_payment

    def mature():
        try:
            return mature_due(now=AFTER_HOLD)
        finally:
            connections.close_all()

    maturing = []
    with ThreadPoolExecutor(1) as other:

        def pay_and_let_mature(*args, **options):
            record_payment(*args, **options)
            # Long enough to run into what the import holds by now.
            maturing.append(other.submit(mature))
            wait(maturing, timeout=1)

        monkeypatch.setattr(earnings, "record_payment", pay_and_let_mature)
        file = imported("orders", ORDERS, order(3, "rival"), order(4, "partner"))

    assert counts(file) == (2, 0, 0, 0)
    assert [one.result().skipped for one in maturing] == [2, 2]
    mature_due(now=AFTER_HOLD)
    assert set(Commission.objects.values_list("status", flat=True)) == {"approved"}
    assert [balance(of=one)[Account.PAYABLE] for one in (affiliate, rival)] == [
        1_800,
        1_800,
    ]
    assert "agree" in verified()


def test_payment_that_is_told_while_its_order_is_imported(
    imported, affiliate, buyer, plan, balance, monkeypatch, now
):
    is_told = Event()
    record_past_orders = earnings.record_past_orders

    def tell():
        try:
            with transaction.atomic():
                renew("o-1", "i-2", affiliate.brand_id, now)
                is_told.set()
                # The import is committed by then, and looks for payments.
                sleep(1)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as other:

        def record_and_let_tell(*args, **options):
            record_past_orders(*args, **options)
            telling.append(other.submit(tell))
            assert is_told.wait(timeout=30)

        telling = []
        monkeypatch.setattr(earnings, "record_past_orders", record_and_let_tell)
        line = "o-1,i-1,buyer@example.com,partner,2025-12-01,,,"
        file = imported("orders", ORDERS, line)

    [told] = telling
    assert (file.state, told.result()) == ("done", None)
    assert balance()[Account.PENDING] == 1_000
    assert "agree" in verified()


def test_order_that_is_placed_while_it_is_imported(
    imported, affiliate, buyer, plan, balance, monkeypatch, now
):
    record_past_orders = earnings.record_past_orders
    placed = OrderPlaced(
        brand_id=affiliate.brand_id,
        order_ref="o-1",
        invoice_ref="o-1",
        client_id=str(buyer.pk),
        placed_at=now,
        client_paid_before=False,
    )

    def place():
        try:
            order_placed(placed, referral_cookie=None, now=now)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as other:

        def record_and_let_place(*args, **options):
            record_past_orders(*args, **options)
            placing.append(other.submit(place))
            # Long enough to run into what the import holds by now.
            wait(placing, timeout=1)

        placing = []
        monkeypatch.setattr(earnings, "record_past_orders", record_and_let_place)
        file = imported("orders", ORDERS, order(1, "partner"))

    assert (file.state, placing[0].exception()) == ("done", None)
    assert balance()[Account.PENDING] == 900
    assert "agree" in verified()
