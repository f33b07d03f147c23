"""Creates each brand's own data: domains, products, a plan and payout terms."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.models.domain import BrandDomain
from affiliates.brands.rules import ChangeKind
from affiliates.brands.services import publish_policy, record_changes
from affiliates.payouts.models import PayoutTerms
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.services import publish_plan
from affiliates.webhooks.announce import FactKind
from affiliates.webhooks.models import Webhook
from affiliates.webhooks.services import add_webhook
from portal.clients.models import User
from portal.orders.catalogue import BillingCycle, Product, ProductKind

STAFF_EMAIL = "load-admin@example.com"
TAX_RATE = Decimal("19.00")
# Name, kind, billing cycle, price.
PRODUCTS = (
    ("Starter", ProductKind.HOSTING, BillingCycle.MONTHLY, "5.00"),
    ("Business", ProductKind.HOSTING, BillingCycle.MONTHLY, "9.00"),
    ("Agency", ProductKind.HOSTING, BillingCycle.ANNUALLY, "240.00"),
    ("Hourly backups", ProductKind.ADDON, BillingCycle.MONTHLY, "2.00"),
    ("Moving in", ProductKind.SETUP, BillingCycle.ONE_TIME, "49.00"),
)
RULES: tuple[dict[str, Any], ...] = (
    {
        "kind": "hosting",
        "percent": Decimal(20),
        "position_to": 12,
    },
    {"percent": Decimal(10), "position_to": 0},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    brand: Brand
    products: list[Product]
    staff: User

    @property
    def origin(self) -> str:
        return self.brand.default_redirect_url.rstrip("/")


def make_programs(count: int, *, began_at: datetime) -> list[Program]:
    """All brands before anything asks for one: a process remembers which there are."""
    staff = User(email=STAFF_EMAIL, is_staff=True, is_superuser=True)
    staff.set_unusable_password()
    staff.save()
    programs = [
        _make_program(number, staff, began_at) for number in range(1, count + 1)
    ]
    record_changes([ConfigChange(kind=ChangeKind.EVERYTHING)])
    return programs


def _make_program(number: int, staff: User, began_at: datetime) -> Program:
    host = f"shop{number}.example.com"
    brand = begin_brand(
        Brand(name=f"Hosting {number}", default_redirect_url=f"https://{host}/"),
        now=began_at,
    )
    BrandDomain.objects.create(brand=brand, host=host)
    plan = CommissionPlan.objects.create(brand=brand, name="Standard", is_default=True)
    for rule in RULES:
        PlanRule.objects.create(plan=plan, **rule)
    publish_plan(plan, now=began_at)
    _pay_affiliates(brand)
    # It notifies nobody: no name ends in .invalid.
    add_webhook(
        Webhook(
            brand=brand,
            address="https://hooks.invalid/affiliates",
            config={"kinds": [FactKind.SALE_RECORDED, FactKind.SALE_REVERSED]},
        )
    )
    return Program(brand=brand, products=_make_products(brand), staff=staff)


def begin_brand(brand: Brand, *, now: datetime) -> Brand:
    """Without signals: the first version of its policy is as old as the brand."""
    brand.full_clean()
    [brand] = Brand.objects.bulk_create([brand])
    publish_policy(brand.pk, now=now)
    return brand


def _pay_affiliates(brand: Brand) -> None:
    PayoutTerms.objects.create(
        brand=brand,
        kinds=["wallet", "paypal", "bank", "offline"],
        minimums={"EUR": 100},
        debtor_name=brand.name,
        debtor_iban="DE89370400440532013000",
        debtor_bic="COBADEFFXXX",
    )


def _make_products(brand: Brand) -> list[Product]:
    return [
        Product.objects.create(
            brand=brand,
            sku=name.lower().replace(" ", "-"),
            name=name,
            kind=kind,
            billing_cycle=cycle,
            price=Money(price, "EUR"),
            tax_rate=TAX_RATE,
            position=position,
        )
        for position, (name, kind, cycle, price) in enumerate(PRODUCTS)
    ]
