"""The catalogue, baskets and orders, and how a client wants to pay."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from djmoney.models.fields import MoneyField
from djmoney.models.validators import MaxMoneyValidator, MinMoneyValidator

from portal.ids import new_id
from portal.money import (
    DECIMAL_PLACES,
    MAX_DIGITS,
    Amounts,
    is_payable,
    line_amounts,
    total_amounts,
)
from portal.orders.rules import MAX_PRICE, MAX_QUANTITY, MAX_TAX_RATE

MAX_GATEWAY_LENGTH = 32
MAX_LABEL_LENGTH = 100


class ProductKind(models.TextChoices):
    HOSTING = "hosting", "Hosting"
    DOMAIN = "domain", "Domain"
    ADDON = "addon", "Add-on"
    SETUP = "setup", "Setup"


class BillingCycle(models.TextChoices):
    ONE_TIME = "one_time", "One time"
    MONTHLY = "monthly", "Monthly"
    ANNUALLY = "annually", "Annually"
    BIENNIALLY = "biennially", "Biennially"


class OrderStatus(models.TextChoices):
    BASKET = "basket", "Basket"
    CONVERTED = "converted", "Converted"


class Product(models.Model):
    """Something a brand sells. Baskets copy its price when it is added."""

    brand = models.ForeignKey(
        "affiliates.Brand", on_delete=models.PROTECT, related_name="+"
    )
    sku = models.SlugField("SKU", max_length=64)
    name = models.CharField(max_length=100)
    description = models.TextField(max_length=2000, blank=True)
    kind = models.CharField(max_length=10, choices=ProductKind.choices)
    billing_cycle = models.CharField(max_length=10, choices=BillingCycle.choices)
    price = MoneyField(
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
        default_currency="EUR",
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
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        if self.price is not None and not is_payable(self.price):
            raise ValidationError(
                {"price": f"{self.price.currency} has no such small amounts."}
            )


class Order(models.Model):
    """A basket, and after its conversion the order with its initial invoice."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    brand = models.ForeignKey(
        "affiliates.Brand", on_delete=models.PROTECT, related_name="+"
    )
    client = models.ForeignKey(
        "portal.User", on_delete=models.PROTECT, related_name="orders"
    )
    status = models.CharField(
        max_length=10, choices=OrderStatus.choices, default=OrderStatus.BASKET
    )
    currency = models.CharField(
        max_length=3, blank=True, help_text="That of its first product."
    )
    created_at = models.DateTimeField()
    converted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status=OrderStatus.BASKET, converted_at=None)
                | Q(status=OrderStatus.CONVERTED, converted_at__isnull=False),
                name="only_converted_orders_have_a_conversion_time",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def totals(self) -> Amounts | None:
        """None while the basket is empty and has no currency yet."""
        if not self.currency:
            return None
        lines = (item.amounts for item in self.items.all())
        return total_amounts(lines, currency=self.currency)


class OrderItem(models.Model):
    """One product in a basket, at the price and tax of when it was added last."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="items")
    product = models.ForeignKey(Product, on_delete=models.PROTECT, related_name="+")
    quantity = models.PositiveSmallIntegerField()
    unit_price = MoneyField(
        max_digits=MAX_DIGITS, decimal_places=DECIMAL_PLACES, default_currency=None
    )
    tax_rate = models.DecimalField(max_digits=5, decimal_places=2)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["order", "product"], name="basket_holds_a_product_once"
            ),
            models.CheckConstraint(
                condition=Q(quantity__gte=1, quantity__lte=MAX_QUANTITY),
                name="basket_quantity_is_1_to_1000",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} x {self.product}"

    @property
    def amounts(self) -> Amounts:
        return line_amounts(
            unit_price=self.unit_price,
            quantity=self.quantity,
            tax_rate=self.tax_rate,
        )


class PaymentDetails(models.Model):
    """How a client wants to pay. No card numbers: those stay with the gateway."""

    client = models.ForeignKey(
        "portal.User", on_delete=models.PROTECT, related_name="payment_details"
    )
    gateway = models.CharField(max_length=MAX_GATEWAY_LENGTH)
    label = models.CharField(max_length=MAX_LABEL_LENGTH, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "payment details"

    def __str__(self) -> str:
        return self.label or self.gateway
