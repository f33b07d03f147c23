"""Events of an inactive brand: stored, and nobody is credited before staff decide."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from affiliates.commissions.models import Commission
from affiliates.contracts import RefundedInvoice
from affiliates.errors import NotFound
from affiliates.host_events import (
    client_registered,
    invoice_paid,
    invoice_refunded,
    order_placed,
)
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.rules.replay import ReplayResult, replay
from affiliates.referrals.rules.types import CookieUse
from affiliates.sales.models import InvoicePayment, Sale
from tests.database import nothing_written


def switch(brand, *, on: bool) -> None:
    brand.is_active = on
    brand.save(update_fields=["is_active"])


def test_a_registration_is_accepted_and_binds_once_the_brand_is_active(
    brand, registered, cookie, affiliate, now
):
    switch(brand, on=False)
    result = client_registered(registered, referral_cookie=cookie, now=now)
    bound_while_inactive = ClientReferral.objects.count()

    switch(brand, on=True)
    client_registered(registered, referral_cookie=cookie, now=now)

    assert (result.cookie, bound_while_inactive) == (CookieUse.USABLE, 0)
    assert ClientReferral.objects.get().affiliate == affiliate


def test_an_order_credits_nobody_and_says_why(brand, plan, placed, paid, cookie, now):
    switch(brand, on=False)

    order_placed(placed, referral_cookie=cookie, now=now)
    invoice_paid(paid, now=now)
    switch(brand, on=True)
    invoice_paid(paid, now=now)

    order = OrderReferral.objects.get()
    [candidate] = order.decision["candidates"]
    assert (order.outcome, order.reason, order.affiliate) == (
        "nobody",
        "brand_inactive",
        None,
    )
    assert candidate["verdict"] == "brand_inactive_at_order"
    assert replay(order.decision).result is ReplayResult.SAME
    assert (InvoicePayment.objects.count(), Sale.objects.count()) == (1, 0)


def test_a_payment_of_an_earlier_order_is_held_for_staff(
    brand, plan, placed, paid, cookie, now
):
    order_placed(placed, referral_cookie=cookie, now=now)
    switch(brand, on=False)

    invoice_paid(paid, now=now)
    refund = RefundedInvoice(
        brand_id=brand.pk,
        invoice_ref=paid.invoice_ref,
        refund_ref="re_1",
        gross=paid.gross / 2,
        refunded_at=now,
    )
    invoice_refunded(refund, now=now)

    commission = Commission.objects.get()
    assert (commission.status, commission.reason) == ("held", "brand_inactive")
    assert [row.amount for row in commission.reversals.all()] == [
        -commission.amount // 2
    ]


@pytest.mark.parametrize("name", ["registered", "placed", "paid"])
def test_an_id_of_no_brand_is_refused_with_the_setting_to_correct(
    name, request, cookie, now
):
    event = replace(request.getfixturevalue(name), brand_id=987654321)
    report = {
        "registered": partial(client_registered, referral_cookie=cookie),
        "placed": partial(order_placed, referral_cookie=cookie),
        "paid": invoice_paid,
    }[name]

    with nothing_written(), pytest.raises(NotFound) as refusal:
        report(event, now=now)

    assert refusal.value.code == "brand_not_found"
    assert "No brand has the id 987654321: correct BRAND_ID" in refusal.value.detail
