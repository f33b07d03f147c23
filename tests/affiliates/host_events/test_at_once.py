"""What a host tells many times at the same moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from moneyed import Money

from affiliates.contracts import OrderConversion
from affiliates.errors import StateConflict
from affiliates.host_events import client_registered, order_placed
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import Sale
from affiliates.settlement.services import convert_order
from tests.affiliates.host_events.cookies import click_of, cookie_of
from tests.races import at_once, needs_postgresql

DAY = timedelta(days=1)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_one_client_is_bound_once(self, registered, affiliate, rival, now):
        cookies = [cookie_of(click_of(one, now - DAY)) for one in (affiliate, rival)]

        at_once(
            20,
            lambda number: client_registered(
                registered, referral_cookie=cookies[number % 2], now=now
            ),
        )

        assert ClientReferral.objects.count() == 1

    def test_one_order_is_decided_once_and_earns_once(
        self, plan, placed, events, affiliate, rival, now
    ):
        cookies = [cookie_of(click_of(one, now - DAY)) for one in (affiliate, rival)]
        acts = [
            lambda: order_placed(placed, referral_cookie=cookies[0], now=now),
            lambda: order_placed(placed, referral_cookie=cookies[1], now=now),
            lambda: events["paid"](now),
            lambda: events["refunded"](now),
        ]

        at_once(20, lambda number: acts[number % 4]())

        referral = OrderReferral.objects.get()
        sale = Sale.objects.get()
        assert sale.affiliate == referral.affiliate
        assert [one.net for one in sale.reversals.all()] == [Money("-50.00", "EUR")]

    def test_one_invoice_is_of_one_order(self, placed, now):
        def place(number: int) -> str:
            other = replace(placed, order_ref=f"subscription-{number}")
            try:
                order_placed(other, referral_cookie=None, now=now)
            except StateConflict as refusal:
                return refusal.code
            return ""

        codes = at_once(10, place)

        assert sorted(codes) == ["", *["order_placed_otherwise"] * 9]
        assert OrderReferral.objects.count() == 1

    def test_a_conversion_of_it_is_decided_once_too(
        self, early_invoices, placed, host, buyer, now
    ):
        order_ref = host.order(buyer)
        conversion = OrderConversion(
            order_ref=order_ref,
            client_id=str(buyer.pk),
            payment_details_id=host.payment_details_id(buyer),
        )
        told = replace(placed, order_ref=order_ref, invoice_ref=f"invoice-{order_ref}")

        def act(number: int) -> None:
            if number % 2:
                order_placed(told, referral_cookie=None, now=now)
            else:
                convert_order(
                    conversion=conversion,
                    origin_brand_id=None,
                    referral_cookie=None,
                    now=now,
                )

        at_once(20, act)

        assert OrderReferral.objects.get().order_ref == order_ref
