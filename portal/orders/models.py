"""Baskets and orders, and how a client wants to pay. The catalogue is beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import models
from django.db.models import Q
from djmoney.models.fields import MoneyField
from moneyed import Money

from affiliates.extending import Record
from portal.clients.models import MAX_REASON_LENGTH
from portal.ids import new_id
from portal.money import (
    DECIMAL_PLACES,
    MAX_DIGITS,
    Amounts,
    line_amounts,
    line_price,
    share_discount,
    total_amounts,
)
from portal.orders.catalogue import MAX_CODE_LENGTH, Coupon, Product
from portal.orders.rules import MAX_QUANTITY, CouponRefusal

MAX_GATEWAY_LENGTH = 32
MAX_LABEL_LENGTH = 100


class OrderStatus(models.TextChoices):
    BASKET = "basket", "Basket"
    CONVERTED = "converted", "Converted"


class Order(Record):
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
    coupon = models.ForeignKey(
        Coupon, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    percent_off = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        default=0,
        help_text="The coupon's, when it was entered.",
    )
    affiliate_code = models.CharField(
        max_length=MAX_CODE_LENGTH,
        blank=True,
        db_default="",
        help_text="Typed by the client in place of a coupon; takes nothing off.",
    )
    coupon_refusal = models.CharField(
        max_length=30,
        choices=CouponRefusal.choices,
        blank=True,
        db_default="",
        help_text="Why the coupon of the affiliate's code takes nothing off.",
    )
    created_at = models.DateTimeField()
    converted_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(
        null=True, blank=True, help_text="From then on nothing is renewed."
    )
    ended_reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["created_at", "id"], name="order_by_time"),
            models.Index(
                fields=["created_at", "id"],
                condition=Q(ended_at__isnull=False),
                name="order_ended",
            ),
        ]
        permissions = [
            ("renew_order", "Can issue a renewal invoice early"),
            ("end_order", "Can end the service of an order"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status=OrderStatus.BASKET, converted_at=None)
                | Q(status=OrderStatus.CONVERTED, converted_at__isnull=False),
                name="only_converted_orders_have_a_conversion_time",
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(converted_at__isnull=False),
                name="only_converted_orders_end",
            ),
            models.CheckConstraint(
                condition=Q(coupon=None, percent_off=0)
                | Q(coupon__isnull=False, percent_off__gt=0, percent_off__lte=100),
                name="only_a_coupon_takes_off_a_percentage",
            ),
            models.CheckConstraint(
                condition=Q(affiliate_code="", coupon_refusal="")
                | Q(coupon=None) & ~Q(affiliate_code=""),
                name="order_has_a_coupon_or_an_affiliates_code",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def priced_items(self) -> tuple[PricedItem, ...]:
        items = tuple(self.items.all())
        return price_items(items, percent_off=self.percent_off)

    @property
    def totals(self) -> Amounts | None:
        """None while the basket is empty and has no currency yet."""
        if not self.currency:
            return None
        lines = (priced.amounts for priced in self.priced_items)
        return total_amounts(lines, currency=self.currency)


class OrderItem(Record):
    """One product in a basket, at the price and tax of when it was added last."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="items")
    product = models.ForeignKey(Product, on_delete=models.PROTECT, related_name="+")
    quantity = models.PositiveSmallIntegerField()
    unit_price = MoneyField(
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
        default_currency=None,
        currency_choices=(),
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
    def price(self) -> Money:
        """For the whole quantity, before discount and tax."""
        return line_price(unit_price=self.unit_price, quantity=self.quantity)


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedItem:
    item: OrderItem
    amounts: Amounts


def price_items(
    items: Sequence[OrderItem], *, percent_off: Decimal
) -> tuple[PricedItem, ...]:
    """Returns the price of each item of a basket; all items share a discount."""
    discounts = share_discount([item.price for item in items], percent_off=percent_off)
    return tuple(
        PricedItem(
            item=item,
            amounts=line_amounts(
                unit_price=item.unit_price,
                quantity=item.quantity,
                tax_rate=item.tax_rate,
                discount=discount,
            ),
        )
        for item, discount in zip(items, discounts, strict=True)
    )


class PaymentDetails(Record):
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
