"""Products that a brand sells, and coupons that make them cheaper."""

from __future__ import annotations

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from djmoney.models.fields import MoneyField
from djmoney.models.validators import MaxMoneyValidator, MinMoneyValidator
from moneyed import CURRENCIES

from affiliates.extending import Record
from portal.money import DECIMAL_PLACES, MAX_DIGITS, is_payable
from portal.orders.rules import MAX_PRICE, MAX_TAX_RATE

MAX_CODE_LENGTH = 64
MAX_TLD_LENGTH = 63
CODE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]*\Z"
TLD_PATTERN = r"^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\Z"


class ProductKind(models.TextChoices):
    HOSTING = "hosting", "Hosting"
    DOMAIN = "domain", "Domain"
    ADDON = "addon", "Add-on"
    SETUP = "setup", "Setup"
    UPGRADE = "upgrade", "Upgrade"


class DomainOperation(models.TextChoices):
    REGISTER = "register", "Register"
    TRANSFER = "transfer", "Transfer"
    RENEW = "renew", "Renew"


# A renewal is never ordered: it follows from the order.
ORDERED_OPERATIONS = [
    choice for choice in DomainOperation.choices if choice[0] != DomainOperation.RENEW
]


class BillingCycle(models.TextChoices):
    ONE_TIME = "one_time", "One time"
    MONTHLY = "monthly", "Monthly"
    ANNUALLY = "annually", "Annually"
    BIENNIALLY = "biennially", "Biennially"


class Product(Record):
    """Something a brand sells. Baskets copy its price when it is added."""

    brand = models.ForeignKey(
        "affiliates.Brand", on_delete=models.PROTECT, related_name="+"
    )
    sku = models.SlugField("SKU", max_length=64)
    name = models.CharField(max_length=100)
    description = models.TextField(max_length=2000, blank=True)
    kind = models.CharField(max_length=10, choices=ProductKind.choices)
    tld = models.CharField(
        "TLD",
        max_length=MAX_TLD_LENGTH,
        blank=True,
        validators=[
            RegexValidator(TLD_PATTERN, "Write it in lower case without a dot: com.")
        ],
        help_text="Of a domain, without the first dot: com, co.uk.",
    )
    operation = models.CharField(
        max_length=10,
        choices=ORDERED_OPERATIONS,
        blank=True,
        help_text="Of a domain: what is done for its first year.",
    )
    billing_cycle = models.CharField(max_length=10, choices=BillingCycle.choices)
    price = MoneyField(
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
        default_currency="EUR",
        # The default would write their names, which Babel changes, into migrations.
        currency_choices=[(code, code) for code in sorted(CURRENCIES)],
        validators=[MinMoneyValidator(0), MaxMoneyValidator(MAX_PRICE)],
        help_text="For one billing cycle, without tax.",
    )
    tax_rate = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        default=0,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_TAX_RATE)],
        help_text="Percent.",
    )
    is_active = models.BooleanField(
        "active", default=True, help_text="Off: cannot be ordered any more."
    )
    position = models.PositiveSmallIntegerField(
        default=0, help_text="Lower comes first in the catalogue."
    )

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "sku"],
                name="product_sku_is_unique_per_brand",
                violation_error_message="The brand has a product with this SKU.",
            ),
            models.CheckConstraint(
                condition=Q(price__gte=0, price__lte=MAX_PRICE),
                name="product_price_is_in_range",
            ),
            models.CheckConstraint(
                condition=Q(tax_rate__gte=0, tax_rate__lte=MAX_TAX_RATE),
                name="product_tax_rate_is_a_percentage",
            ),
            models.CheckConstraint(
                condition=Q(kind=ProductKind.DOMAIN) | Q(tld="", operation=""),
                name="only_domains_have_a_tld_and_operation",
                violation_error_message="Only a domain has a TLD and an operation.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        if self.price is not None and not is_payable(self.price):
            raise ValidationError(
                {"price": f"{self.price.currency} has no such small amounts."}
            )
        needed = {"tld": "Say which TLD.", "operation": "Say what is done."}
        missing = {name: why for name, why in needed.items() if not getattr(self, name)}
        if self.kind == ProductKind.DOMAIN and missing:
            raise ValidationError(missing)


class Coupon(Record):
    """A percentage off a brand's initial invoices, for those who know the code."""

    brand = models.ForeignKey(
        "affiliates.Brand", on_delete=models.PROTECT, related_name="+"
    )
    code = models.CharField(
        max_length=MAX_CODE_LENGTH,
        validators=[
            RegexValidator(
                CODE_PATTERN, "Use letters, digits, hyphens and underscores."
            )
        ],
        help_text="As the client types it; upper and lower case are one.",
    )
    percent_off = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        validators=[MinValueValidator(Decimal("0.01")), MaxValueValidator(100)],
    )
    valid_until = models.DateTimeField(
        null=True, blank=True, help_text="Empty: for ever."
    )
    for_new_clients = models.BooleanField(
        "for new clients only",
        default=False,
        db_default=False,
        help_text="Only of use to a client who has not paid an order yet.",
    )
    is_active = models.BooleanField(
        "active", default=True, help_text="Off: cannot be entered any more."
    )

    class Meta:
        ordering = ["brand", "code"]
        constraints = [
            models.UniqueConstraint(
                "brand",
                Lower("code"),
                name="shop_coupon_code_is_unique_per_brand",
                violation_error_message="The brand has a coupon with this code.",
            ),
            models.CheckConstraint(
                condition=Q(percent_off__gt=0, percent_off__lte=100),
                name="coupon_takes_off_up_to_100_percent",
                violation_error_message="A coupon takes off up to 100 percent.",
            ),
        ]

    def __str__(self) -> str:
        return self.code
