"""A shop whose guests order without an account: ``guest-<order>`` names no user."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command

from affiliates.adapter import get_adapter
from affiliates.commissions.models import Commission
from affiliates.contracts import Client, ClientRegistered, RefundedInvoice
from affiliates.errors import StateConflict
from affiliates.host_events import (
    client_erased,
    client_registered,
    invoice_paid,
    invoice_refunded,
    order_placed,
)
from affiliates.referrals.models import ClientReferral, OrderReferral

PREFIX = "guest-"
Sound = type(get_adapter())


class GuestCheckout(Sound):
    """As docs/how-to/pages-of-your-own.md shows it, without a table of orders."""

    emails: dict[str, str] = {}
    brand_id = 0

    def get_client(self, client_id):
        if not client_id.startswith(PREFIX):
            return super().get_client(client_id)
        email = self.emails.get(client_id.removeprefix(PREFIX))
        if email is None:
            return None
        return Client(id=client_id, brand_id=self.brand_id, email=email, is_guest=True)


@pytest.fixture(autouse=True)
def guests(brand, settings, monkeypatch):
    settings.AFFILIATES_ADAPTER = f"{__name__}.GuestCheckout"
    monkeypatch.setattr(GuestCheckout, "brand_id", brand.pk)
    monkeypatch.setattr(
        GuestCheckout,
        "emails",
        {"903": "eve@example.com", "904": "affiliate@example.com"},
    )


@pytest.fixture
def guest_order(placed):
    return replace(placed, client_id="guest-903")


def test_the_order_of_a_guest_is_credited_paid_and_refunded(
    guest_order, paid, plan, affiliate, cookie, now
):
    for _ in range(2):
        order_placed(guest_order, referral_cookie=cookie, now=now)
        invoice_paid(paid, now=now)
    invoice_refunded(
        RefundedInvoice(
            brand_id=paid.brand_id,
            invoice_ref=paid.invoice_ref,
            refund_ref="re_1",
            gross=paid.gross / 2,
            refunded_at=now,
        ),
        now=now,
    )

    order, commission = OrderReferral.objects.get(), Commission.objects.get()
    out = StringIO()
    call_command("verify_ledger", "--deep", stdout=out)
    assert (order.outcome, order.affiliate) == ("credited", affiliate)
    assert (order.client_id, order.guest_ref) == (None, "guest-903")
    assert commission.amount == 1000
    assert [row.amount for row in commission.reversals.all()] == [-500]
    assert "differ" not in out.getvalue()


def test_an_affiliate_who_orders_as_a_guest_is_recognised_by_the_address(
    placed, cookie, now
):
    own = replace(placed, client_id="guest-904")

    order_placed(own, referral_cookie=cookie, now=now)

    order = OrderReferral.objects.get()
    assert (order.outcome, order.reason) == ("held", "self_referral")


def test_a_guest_is_not_bound_and_an_order_keeps_its_client(
    guest_order, buyer, cookie, now
):
    registered = ClientRegistered(
        brand_id=guest_order.brand_id, client_id="guest-903", registered_at=now
    )
    client_registered(registered, referral_cookie=cookie, now=now)
    order_placed(guest_order, referral_cookie=cookie, now=now)

    with pytest.raises(StateConflict):
        order_placed(
            replace(guest_order, client_id=str(buyer.pk)),
            referral_cookie=cookie,
            now=now,
        )

    assert ClientReferral.objects.count() == 0
    assert OrderReferral.objects.get().guest_ref == "guest-903"


def test_erasing_a_guest_empties_their_orders_and_no_others(guest_order, cookie, now):
    other = replace(
        guest_order, client_id="guest-904", order_ref="order-2", invoice_ref="in_2"
    )
    order_placed(guest_order, referral_cookie=cookie, now=now)
    order_placed(other, referral_cookie=cookie, now=now)

    client_erased(brand_id=guest_order.brand_id, client_id="guest-903", now=now)

    cookies = dict(OrderReferral.objects.values_list("guest_ref", "referral_cookie"))
    assert cookies == {"guest-903": "", "guest-904": cookie}
