from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from affiliates.admin_tools.visible import visible_to
from affiliates.commissions.models import Commission
from affiliates.hooks import own_apps
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balances_of
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from tests.affiliates.made_up_providers import PROVIDERS
from tests.affiliates.till import Till, order_of
from tests.factories.affiliates import AffiliateFactory
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.payouts import PayoutTermsFactory
from tests.factories.plans import CommissionPlanFactory
from tests.hosts.host import Host


@pytest.fixture
def integrate(brand, monkeypatch):
    """Give the brand an active tracking integration, of a made-up provider."""
    for module in ("registry", "active"):
        monkeypatch.setattr(f"affiliates.outbox.{module}.ADAPTERS", PROVIDERS)

    def integrate(provider="minting", **fields):
        return TrackingIntegrationFactory(brand=brand, provider=provider, **fields)

    return integrate


@pytest.fixture
def sees_nothing(monkeypatch) -> None:
    """Staff may see none of our rows."""
    ours = {model for config in own_apps() for model in config.get_models()}

    def nothing(staff: Any, rows: Any) -> Any:
        return rows.none() if rows.model in ours else rows

    for module in list(sys.modules.values()):
        if getattr(module, "visible_to", None) is visible_to:
            monkeypatch.setattr(module, "visible_to", nothing)


@pytest.fixture
def early_invoices(host: Host) -> None:
    if not host.knows_invoices_early:
        pytest.skip("the host has no invoice before the conversion makes it")


@pytest.fixture
def plan(brand) -> CommissionPlan:
    """The brand's default plan: 10 % of everything, held for 30 days."""
    return CommissionPlanFactory(brand=brand, is_default=True)


@pytest.fixture
def buyer(brand, host: Host) -> Any:
    return host.client(brand, email="buyer@example.com")


@pytest.fixture
def order(brand, affiliate, buyer) -> OrderReferral:
    """An order credited to the affiliate by a click of the day before."""
    return order_of(affiliate, buyer, order_ref="order-1", invoice_ref="invoice-1")


@pytest.fixture
def rival(brand, host: Host) -> Affiliate:
    user = host.client(brand, email="rival@example.com")
    return AffiliateFactory(brand=brand, user=user, code="rival")


@pytest.fixture
def staff(brand, host: Host) -> Any:
    """Somebody whom events can name."""
    return host.client(brand, email="staff@example.com")


@pytest.fixture
def till(brand) -> Till:
    return Till(brand.pk)


@pytest.fixture
def commission(plan, order, till) -> Commission:
    till.pay("90.00", "10.00")
    return Commission.objects.get()


@pytest.fixture
def terms(brand):
    return PayoutTermsFactory(brand=brand)


@pytest.fixture
def balance(affiliate) -> Callable[..., dict[Account, int]]:
    """What stands on the affiliate's accounts, without those of nothing."""

    def balance(
        currency: str = "EUR", *, of: Affiliate = affiliate
    ) -> dict[Account, int]:
        accounts = balances_of(of.pk).get(currency, {})
        return {account: amount for account, amount in accounts.items() if amount}

    return balance
