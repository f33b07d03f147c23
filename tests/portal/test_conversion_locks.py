"""What a conversion holds while it is decided whom the order is credited to."""

from __future__ import annotations

from threading import Event

import pytest

from affiliates.contracts import ConvertedOrder, OrderConversion
from affiliates.referrals import evidence
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import convert_order
from tests.races import at_once, needs_postgresql

WAIT = 30


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_another_order_of_the_brand_converts_meanwhile(host, brand, now, monkeypatch):
    client = host.client(brand, email="client@example.com")
    orders = [host.order(client), host.order(client)]
    details = host.payment_details_id(client)
    decides, may_decide = Event(), Event()
    decide = evidence.decide

    def paused_decide(known, order, **facts):
        if order.order_ref == orders[0]:
            decides.set()
            assert may_decide.wait(timeout=WAIT)
        return decide(known, order, **facts)

    monkeypatch.setattr(evidence, "decide", paused_decide)

    def convert(number: int) -> ConvertedOrder:
        if number == 1:
            assert decides.wait(timeout=WAIT)
        try:
            return convert_order(
                conversion=OrderConversion(
                    order_ref=orders[number],
                    client_id=str(client.pk),
                    payment_details_id=details,
                ),
                origin_brand_id=None,
                referral_cookie=None,
                now=now,
            )
        finally:
            if number == 1:
                may_decide.set()

    paused, other = at_once(2, convert)

    assert other.data["invoice_number"] == "INV-000001"
    assert paused.data["invoice_number"] == "INV-000002"
    assert OrderReferral.objects.count() == 2
