"""What the portal says to the affiliate program: coupons, services, payouts, lines."""

from __future__ import annotations

from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import translation
from moneyed import Money

from affiliates.contracts import Order, OrderConversion, WalletCredit
from affiliates.contrib.claims.selectors import orders_named, own_order
from affiliates.errors import InvalidInput, NotFound, StateConflict
from portal.affiliate_adapter import PortalAdapter
from portal.billing.services import mark_paid
from portal.clients.credit import balance_of
from portal.clients.models import WalletEntry
from portal.orders.services import end_service
from tests.factories.affiliates import AffiliateFactory, ClickFactory
from tests.factories.ledger import NOW, OrderReferralFactory, decision_of, touch_of
from tests.factories.portal import (
    ClientFactory,
    CouponFactory,
    OrderFactory,
    OrderItemFactory,
)
from tests.races import at_once, needs_postgresql

FIFTY = Money("50.00", "EUR")


@pytest.fixture
def adapter() -> PortalAdapter:
    return PortalAdapter()


def prepared(adapter, order) -> Order:
    OrderItemFactory(order=order)
    conversion = OrderConversion(
        order_ref=str(order.pk), client_id=str(order.client_id)
    )
    with transaction.atomic():
        return adapter.prepare_conversion(conversion, now=NOW).order


def payout(client, **changes) -> WalletCredit:
    values = {"client_id": str(client.pk), "payout_ref": "payout-1", "amount": FIFTY}
    return WalletCredit(**{**values, **changes})


def test_account_pages_are_named_in_the_readers_language(adapter):
    with translation.override("de"):
        assert adapter.account_pages() == {
            "Passwort ändern": "/account/password",
            "Anmeldung mit Code": "/account/second-factor",
            "Wo Sie angemeldet sind": "/account/sessions",
        }


def test_an_order_names_its_coupon(adapter, client, brand):
    coupon = CouponFactory(brand=brand, code="Partner10")
    order = OrderFactory(client=client, coupon=coupon)

    facts = prepared(adapter, order)

    assert facts.coupon_codes == ("Partner10",)


def test_an_order_without_one_names_none(adapter, client):
    order = OrderFactory(client=client)

    facts = prepared(adapter, order)

    assert facts.coupon_codes == ()


def test_an_order_is_found_by_the_number_on_its_invoice(
    adapter, client, other_brand, invoice_of
):
    invoice = invoice_of(client)
    assert invoice.number == "INV-000001"

    assert adapter.order_refs(" inv-000001 ") == [str(invoice.order_id)]
    assert adapter.order_refs("INV-000001", brand_id=invoice.brand_id) == [
        str(invoice.order_id)
    ]
    assert adapter.order_refs("INV-000001", brand_id=other_brand.pk) == []
    assert adapter.order_refs("INV-000002") == []


def test_an_invoice_is_found_by_its_number(adapter, client, other_brand, invoice_of):
    invoice = invoice_of(client)

    assert adapter.invoice_refs(" inv-000001 ") == [str(invoice.pk)]
    assert adapter.invoice_refs("INV-000001", brand_id=other_brand.pk) == []
    assert adapter.invoice_refs("INV-000002") == []


def test_staff_find_an_order_by_the_number_on_its_invoice(
    admin_client, client, invoice_of
):
    invoice = invoice_of(client)
    OrderReferralFactory(
        brand=client.brand,
        client=client,
        order_ref=str(invoice.order_id),
        invoice_ref=str(invoice.pk),
    )
    page = reverse("admin:affiliates_orderreferral_changelist")

    by_number = admin_client.get(page, {"q": invoice.number})
    by_another = admin_client.get(page, {"q": "INV-000777"})

    assert [row.invoice_ref for row in by_number.context["cl"].result_list] == [
        str(invoice.pk)
    ]
    assert list(by_another.context["cl"].result_list) == []


def test_an_affiliate_claims_a_sale_by_the_number_on_its_invoice(
    brand, client, invoice_of
):
    affiliate = AffiliateFactory(brand=brand, user=ClientFactory(brand=brand))
    click = ClickFactory(affiliate=affiliate, visitor_id=uuid4(), created_at=NOW)
    invoice = invoice_of(client)
    order = OrderReferralFactory(
        brand=brand,
        client=client,
        order_ref=str(invoice.order_id),
        invoice_ref=str(invoice.pk),
        made=decision_of(touch_of(click)),
    )

    found = orders_named(invoice.number, brand_id=brand.pk)

    assert found == [order]
    assert own_order(found, affiliate_id=affiliate.pk) == order


def test_a_service_runs_until_it_is_ended(adapter, client, invoice_of, now):
    invoice = invoice_of(client)
    ref = str(invoice.order_id)

    before = adapter.is_service_active(ref, brand_id=invoice.brand_id)
    end_service(order_id=invoice.order_id, reason="Moved away", now=now)

    assert before is True
    assert adapter.is_service_active(ref, brand_id=invoice.brand_id) is False


def test_nothing_is_said_of_what_does_not_recur(adapter, client, invoice_of):
    invoice = invoice_of(client, product__billing_cycle="one_time")

    ref = str(invoice.order_id)
    assert adapter.is_service_active(ref, brand_id=invoice.brand_id) is None


def test_nothing_is_said_of_other_orders(adapter, client, other_brand, invoice_of):
    ref = str(invoice_of(client).order_id)

    assert adapter.is_service_active(ref, brand_id=other_brand.pk) is None
    assert adapter.is_service_active(str(uuid4()), brand_id=other_brand.pk) is None
    assert adapter.is_service_active("invoice-1", brand_id=other_brand.pk) is None


def test_a_payout_becomes_account_credit_once(adapter, client, now):
    references = {adapter.credit_wallet(payout(client), now=now) for _ in range(3)}

    entry = WalletEntry.objects.get()
    assert references == {str(entry.pk)}
    assert (entry.client, entry.money) == (client, FIFTY)


def test_a_payout_of_another_amount_is_refused(adapter, client, now):
    adapter.credit_wallet(payout(client), now=now)

    with pytest.raises(StateConflict):
        adapter.credit_wallet(payout(client, amount=FIFTY * 2), now=now)

    assert balance_of(client.pk, currency="EUR") == FIFTY


def test_a_payout_to_nobody_is_refused(adapter, client, now):
    for client_id in ("1", str(uuid4())):
        with pytest.raises(NotFound):
            adapter.credit_wallet(payout(client, client_id=client_id), now=now)

    assert not WalletEntry.objects.exists()


def test_a_payout_of_nothing_is_refused(adapter, client, now):
    with pytest.raises(InvalidInput):
        adapter.credit_wallet(payout(client, amount=FIFTY * 0), now=now)

    assert not WalletEntry.objects.exists()


def test_a_paid_line_says_all_that_plans_pay_by(client, invoice_of, now, told):
    invoice = invoice_of(
        client,
        product__kind="domain",
        product__tld="co.uk",
        product__operation="transfer",
        product__billing_cycle="annually",
        unit_price=Money("10.00", "EUR"),
        tax_rate=Decimal(0),
    )

    mark_paid(invoice_id=invoice.pk, now=now)

    (event,) = told
    (line,) = event.lines
    assert (line.kind, line.tld, line.operation) == ("domain", "co.uk", "transfer")
    assert (line.net, line.discount, line.credit) == (
        Money("10.00", "EUR"),
        None,
        None,
    )
    assert event.renewal_number == 0


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_racing_payouts_add_once(adapter, client, now):
    at_once(20, lambda _: adapter.credit_wallet(payout(client), now=now))

    assert balance_of(client.pk, currency="EUR") == FIFTY
