from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from portal.api.schema import MoneySerializer
from portal.ids import MAX_INTEGER_ID
from portal.money import Amounts
from portal.orders.catalogue import (
    MAX_CODE_LENGTH,
    ORDERED_OPERATIONS,
    BillingCycle,
    ProductKind,
)
from portal.orders.models import (
    MAX_GATEWAY_LENGTH,
    MAX_LABEL_LENGTH,
    Order,
    OrderStatus,
    PaymentDetails,
    PricedItem,
)
from portal.orders.rules import MAX_QUANTITY, CouponRefusal

# Page numbers beyond this would overflow the database's OFFSET.
MAX_PAGE = 1_000_000


class PageField(serializers.IntegerField):
    """Digits and nothing else."""

    def to_internal_value(self, data: Any) -> int:
        if not (data.isascii() and data.isdigit()):
            self.fail("invalid")
        return super().to_internal_value(data)


class PageQuerySerializer(serializers.Serializer[Any]):
    page = PageField(
        min_value=1, max_value=MAX_PAGE, default=1, help_text="Begins with 1."
    )


class OrdersQuerySerializer(PageQuerySerializer):
    status = serializers.ChoiceField(
        choices=OrderStatus.choices, required=False, help_text="Without it: both."
    )


class NewOrderSerializer(serializers.Serializer[Any]):
    """A basket needs nothing: send ``{}``."""


class NewOrderItemSerializer(serializers.Serializer[Any]):
    product_id = serializers.IntegerField(min_value=1, max_value=MAX_INTEGER_ID)
    quantity = serializers.IntegerField(min_value=1, max_value=MAX_QUANTITY, default=1)


class QuantitySerializer(serializers.Serializer[Any]):
    quantity = serializers.IntegerField(min_value=1, max_value=MAX_QUANTITY)


class CouponCodeSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(
        min_length=1,
        max_length=MAX_CODE_LENGTH,
        help_text="Upper and lower case are one.",
    )


class NewPaymentDetailsSerializer(serializers.Serializer[Any]):
    gateway = serializers.CharField(
        min_length=1, max_length=MAX_GATEWAY_LENGTH, allow_null=True, default=None
    )
    label = serializers.CharField(  # type: ignore[assignment] # shadows DRF's own
        max_length=MAX_LABEL_LENGTH, allow_blank=True, default=""
    )


class ProductSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    sku = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    kind = serializers.ChoiceField(choices=ProductKind.choices)
    tld = serializers.CharField(help_text="Of a domain, else empty: com")
    operation = serializers.ChoiceField(
        choices=ORDERED_OPERATIONS,
        allow_blank=True,
        help_text="Of a domain, else empty.",
    )
    billing_cycle = serializers.ChoiceField(choices=BillingCycle.choices)
    price = MoneySerializer()
    tax_rate = serializers.DecimalField(max_digits=5, decimal_places=2)


class AmountsSerializer(serializers.Serializer[Amounts]):
    discount = MoneySerializer()
    net = MoneySerializer()
    tax = MoneySerializer()
    gross = MoneySerializer()


class OrderItemSerializer(serializers.Serializer[PricedItem]):
    product_id = serializers.IntegerField(source="item.product_id")
    sku = serializers.CharField(source="item.product.sku")
    name = serializers.CharField(source="item.product.name")
    kind = serializers.ChoiceField(
        source="item.product.kind", choices=ProductKind.choices
    )
    billing_cycle = serializers.ChoiceField(
        source="item.product.billing_cycle", choices=BillingCycle.choices
    )
    quantity = serializers.IntegerField(source="item.quantity")
    unit_price = MoneySerializer(source="item.unit_price")
    tax_rate = serializers.DecimalField(
        source="item.tax_rate", max_digits=5, decimal_places=2
    )
    amounts = AmountsSerializer()


class OrderCouponSerializer(serializers.Serializer[Order]):
    code = serializers.CharField(source="coupon.code")
    percent_off = serializers.DecimalField(max_digits=5, decimal_places=2)


class OrderSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=OrderStatus.choices)
    created_at = serializers.DateTimeField()
    converted_at = serializers.DateTimeField(allow_null=True)
    items = OrderItemSerializer(many=True, source="priced_items")
    coupon = serializers.SerializerMethodField()
    affiliate_code = serializers.CharField(
        help_text="Credits its affiliate and takes nothing off; empty if none was typed."
    )
    coupon_refusal = serializers.ChoiceField(
        choices=CouponRefusal.choices,
        allow_blank=True,
        help_text="Why the coupon of that code takes nothing off; empty if it has none.",
    )
    totals = AmountsSerializer(
        allow_null=True, help_text="null while the basket is empty."
    )

    @extend_schema_field(OrderCouponSerializer(allow_null=True))
    def get_coupon(self, order: Order) -> dict[str, Any] | None:
        return None if order.coupon is None else OrderCouponSerializer(order).data


class PaymentDetailsSerializer(serializers.Serializer[PaymentDetails]):
    id = serializers.IntegerField()
    gateway = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment] # shadows DRF's own
