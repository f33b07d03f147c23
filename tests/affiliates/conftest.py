from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from moneyed import Money

from affiliates import APPS
from affiliates.adapter import CatalogueProduct, get_adapter
from affiliates.admin_tools.visible import visible_to
from affiliates.commissions.models import Commission
from affiliates.hooks import own_apps
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balances_of
from affiliates.outbox import registry
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from tests.affiliates.made_up_providers import PROVIDERS
from tests.affiliates.outbox.outbox import Clock, FakeAdapter
from tests.affiliates.till import Till, order_of
from tests.factories.affiliates import AffiliateFactory
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.payouts import PayoutTermsFactory
from tests.factories.plans import CommissionPlanFactory
from tests.hosts.host import Host

ROOT = Path(__file__).resolve().parents[2]
MISSING = tuple(one for one in APPS if not apps.is_installed(one))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out tests of apps that the host lacks: their models would be the core's."""
    is_module = collection_path.suffix == ".py"
    return True if MISSING and is_module and _needs_missing(collection_path) else None


@cache
def _needs_missing(path: Path) -> bool:
    names = {*_named(path)}
    if any(f"{name}.".startswith(f"{one}.") for one in MISSING for name in names):
        return True
    paths = (ROOT / f"{name.replace('.', '/')}.py" for name in names)
    helpers = {one for one in paths if one.is_relative_to(ROOT / "tests")} - {path}
    return any(_needs_missing(one) for one in helpers if one.is_file())


def _named(path: Path) -> Iterator[str]:
    """Modules that it imports, or names in text as include() does."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and str(node.value).startswith(
            "affiliates."
        ):
            yield str(node.value)


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
def area() -> None:
    if not apps.is_installed("affiliates.contrib.area"):
        pytest.skip("the host has no area")


@pytest.fixture
def plan(brand) -> CommissionPlan:
    """The brand's default plan: 10 % of everything, held for 30 days."""
    return CommissionPlanFactory(brand=brand, is_default=True)


@pytest.fixture
def catalogue(monkeypatch) -> Callable[..., None]:
    """The host's hosting products: a name, a price in EUR and a billing cycle each."""

    def sell(*products: str) -> None:
        rows = [
            CatalogueProduct(
                product_ref=name.lower(),
                name=name,
                kind="hosting",
                prices=((cycle, Money(price, "EUR")),),
            )
            for name, price, cycle in map(str.split, products)
        ]
        answer = lambda self, *, brand_id: rows  # noqa: E731 - a method
        monkeypatch.setattr(type(get_adapter()), "catalogue", answer)

    sell()
    return sell


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


@pytest.fixture(scope="module")
def kept_program(keep_rows) -> Any:
    # Not every host has the apps that it imports.
    from tests.affiliates.verification.program import make_program

    return keep_rows(make_program)


@pytest.fixture
def program(db, kept_program) -> Any:
    """A program in which everything has happened, made once for the module."""
    return deepcopy(kept_program)


@pytest.fixture
def adapter(monkeypatch) -> FakeAdapter:
    fake = FakeAdapter()
    monkeypatch.setitem(registry.ADAPTERS, fake.code, fake)
    return fake


@pytest.fixture
def integration(brand, adapter):
    """Speaks with the fake provider of ``outbox``."""
    return TrackingIntegrationFactory(
        brand=brand, provider=adapter.code, requests_per_second=1000
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()
