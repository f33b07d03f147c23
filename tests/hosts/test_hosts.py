"""Both hosts give the program's tests the same things to work with."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import transaction
from moneyed import Money

from affiliates.adapter import HostAdapter, Reference, get_adapter
from affiliates.contracts import (
    ClientDetails,
    CouponMade,
    CouponRequest,
    OrderConversion,
    WalletCredit,
)
from affiliates.errors import NotFound
from affiliates.settlement.services import convert_order
from tests.factories.affiliates import BrandFactory

BEGAN = datetime(2026, 2, 1, 12, tzinfo=UTC)
COUPON = CouponRequest(
    brand_id=1,
    code="FRIENDS",
    affiliate_code="partner",
    host_terms={},
    for_new_clients=False,
)


@pytest.fixture
def client(brand, host):
    return host.client(brand, email="ada@example.com")


def conversion(host, client, order_ref: str) -> OrderConversion:
    return OrderConversion(
        order_ref=order_ref,
        client_id=str(client.pk),
        payment_details_id=host.payment_details_id(client),
    )


def test_a_basket_has_its_beginning_and_its_coupon(brand, client, host, now):
    ref = host.order(client, created_at=BEGAN, coupon_codes=["PARTNER10"])

    with transaction.atomic():
        order = (
            get_adapter()
            .prepare_conversion(conversion(host, client, ref), now=now)
            .order
        )

    assert (order.created_at, order.coupon_codes) == (BEGAN, ("PARTNER10",))


@pytest.mark.parametrize("is_active", [True, False, None])
def test_a_service_is_what_the_test_says(is_active, brand, client, host):
    ref = host.order(client)

    host.set_service_active(ref, is_active)

    assert get_adapter().is_service_active(ref, brand_id=brand.pk) is is_active


def test_a_payout_reaches_the_wallet_once(client, host, now):
    credit = WalletCredit(
        client_id=str(client.pk), payout_ref="1", amount=Money("7.00", "EUR")
    )

    references = {get_adapter().credit_wallet(credit, now=now) for _ in range(2)}

    assert len(references) == 1
    assert host.wallet_balance(client) == Money("7.00", "EUR")
    assert host.wallet_balance(client, "USD") == Money(0, "USD")


def test_nobody_has_no_wallet(client, now):
    credit = WalletCredit(
        client_id="999999", payout_ref="1", amount=Money("7.00", "EUR")
    )

    with pytest.raises(NotFound):
        get_adapter().credit_wallet(credit, now=now)


def test_many_clients_are_one_question(brand, client, host, django_assert_num_queries):
    others = [host.client(brand, email=f"{number}@example.com") for number in range(9)]
    wanted = [str(one.pk) for one in (client, *others)]

    with django_assert_num_queries(1):
        details = get_adapter().client_details([*wanted, "nobody", "999999"])

    assert set(details) == set(wanted)
    assert details[str(client.pk)].email == "ada@example.com"


def test_clients_are_found_by_a_part_of_their_email(brand, client, host):
    other = BrandFactory(client_area="other.example.com")
    foreign = host.client(other, email="ada@example.net")
    host.client(brand, email="grace@example.com")

    find = get_adapter().find_clients

    assert set(find("ada@")) == {str(client.pk), str(foreign.pk)}
    assert find("ada@", brand_id=brand.pk) == [str(client.pk)]
    assert len(find("example", limit=2)) == 2
    assert list(find("nobody@example.com")) == []


def test_many_invoices_are_one_question(
    brand, client, host, now, django_assert_max_num_queries
):
    invoices = [
        convert_order(
            conversion=conversion(host, client, host.order(client)),
            origin_brand_id=None,
            referral_cookie=None,
            now=now,
        )["id"]
        for _ in range(3)
    ]

    with django_assert_max_num_queries(1):
        numbers = get_adapter().invoice_numbers(invoices, brand_id=brand.pk)

    assert set(numbers) == set(invoices)
    assert all(number.startswith("INV-") for number in numbers.values())


class SmallestAdapter(HostAdapter):
    """All that every host has to write."""

    def get_client(self, client_id):
        return get_adapter().get_client(client_id)


def test_a_host_may_leave_the_rest_out(client):
    adapter = SmallestAdapter()
    known = str(client.pk)

    assert adapter.client_details([known, "nobody"]) == {
        known: ClientDetails(email="ada@example.com")
    }
    assert adapter.find_clients("ada") == ()
    assert adapter.invoice_numbers(["invoice-1"], brand_id=1) == {}
    assert adapter.order_refs("INV-1") == ()
    assert adapter.catalogue(brand_id=1) == ()
    assert adapter.is_service_active("order-1", brand_id=1) is None
    assert adapter.make_coupon(COUPON, now=BEGAN) == CouponMade(coupon_ref="")
    assert adapter.end_coupon("coupon-1", brand_id=1, now=BEGAN) is None
    assert adapter.admin_url(Reference.CLIENT, known) is None
