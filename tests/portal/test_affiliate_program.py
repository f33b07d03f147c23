"""What the portal says to the affiliate program: coupons, services, payouts, lines."""

from __future__ import annotations

from decimal import Decimal
from uuid import uuid4

import pytest
from moneyed import Money

from affiliates.contracts import WalletCredit
from affiliates.errors import InvalidInput, NotFound, StateConflict
from portal.affiliate_adapter import PortalAdapter
from portal.billing.services import mark_paid
from portal.clients.credit import balance_of
from portal.clients.models import WalletEntry
from portal.orders.services import end_service
from tests.factories.portal import CouponFactory, OrderFactory
from tests.races import at_once, needs_postgresql

FIFTY = Money("50.00", "EUR")


@pytest.fixture
def adapter() -> PortalAdapter:
    return PortalAdapter()


def payout(client, **changes) -> WalletCredit:
    values = {"client_id": str(client.pk), "payout_ref": "payout-1", "amount": FIFTY}
    return WalletCredit(**{**values, **changes})


def test_an_order_names_its_coupon(adapter, client, brand):
    coupon = CouponFactory(brand=brand, code="Partner10")
    order = OrderFactory(client=client, coupon=coupon)

    facts = adapter.get_order(str(order.pk), client_id=str(client.pk))

    assert facts.coupon_codes == ("Partner10",)


def test_an_order_without_one_names_none(adapter, client):
    order = OrderFactory(client=client)

    facts = adapter.get_order(str(order.pk), client_id=str(client.pk))

    assert facts.coupon_codes == ()


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
