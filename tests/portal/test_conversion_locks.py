"""What a conversion holds until the host finishes it."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event

import pytest

from affiliates.contracts import OrderConversion
from affiliates.referrals import evidence, services
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import convert_order
from tests.races import at_once, needs_postgresql

WAIT = 30


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("module", "step"), [(evidence, "decide"), (services, "announce_referral")]
)
def test_another_order_of_the_brand_converts_meanwhile(
    module, step, host, brand, now, monkeypatch
):
    client = host.client(brand, email="client@example.com")
    orders = [host.order(client), host.order(client)]
    details = host.payment_details_id(client)
    is_paused, may_go_on = Event(), Event()
    take_step = getattr(module, step)

    def paused_step(*values, **facts):
        # Only the first one pauses: the other is converted meanwhile.
        if not is_paused.is_set():
            is_paused.set()
            assert may_go_on.wait(timeout=WAIT)
        return take_step(*values, **facts)

    monkeypatch.setattr(module, step, paused_step)

    def convert(number: int) -> Mapping[str, object]:
        if number == 1:
            assert is_paused.wait(timeout=WAIT)
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
                may_go_on.set()

    paused, other = at_once(2, convert)

    assert other["number"] == "INV-000001"
    assert paused["number"] == "INV-000002"
    assert OrderReferral.objects.count() == 2
