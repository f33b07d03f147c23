"""Both hosts give the program's tests the same things to work with."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from moneyed import Money

from affiliates.adapter import get_adapter
from affiliates.contracts import WalletCredit
from affiliates.errors import NotFound

BEGAN = datetime(2026, 2, 1, 12, tzinfo=UTC)


@pytest.fixture
def client(brand, host):
    return host.client(brand, email="ada@example.com")


def test_a_basket_has_its_beginning_and_its_coupon(brand, client, host):
    ref = host.order(client, created_at=BEGAN, coupon_codes=["PARTNER10"])

    order = get_adapter().get_order(ref, client_id=str(client.pk))

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
