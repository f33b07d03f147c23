"""Commissions of an affiliate by order, with the paid invoices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from rest_framework import serializers

from affiliates.adapter import get_adapter
from affiliates.commissions.models import Commission
from affiliates.commissions.selectors import with_taken_back
from affiliates.contrib.area.api.base import AmountField
from affiliates.core.money import decimal_text, to_minor
from affiliates.plans.catalogue import catalogue_of
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral


class OrderCommissionSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    status = serializers.CharField()
    currency = serializers.CharField()
    amount = AmountField()
    taken_back = AmountField(help_text="By refunds: zero or below.")
    invoice = serializers.SerializerMethodField()
    products = serializers.SerializerMethodField(
        help_text="Of the invoice's lines, unless the brand masks its clients: then of "
        "the host's catalogue, or codes, since a line may name a client."
    )
    sale_currency = serializers.CharField(source="sale.net.currency.code")
    sale_amount = serializers.SerializerMethodField(
        help_text="Of the invoice, after discount and before tax."
    )

    def get_invoice(self, row: Any) -> str:
        ref: str = row.sale.invoice_ref
        return str(self.context["invoices"].get(ref, ref))

    def get_products(self, row: Any) -> list[str]:
        return list(dict.fromkeys(map(self._product, row.sale.payment.lines)))

    def _product(self, line: Mapping[str, Any]) -> str:
        described = "" if self.context["is_masked"] else line["description"]
        ref: str = line["product_ref"]
        return described or self.context["products"].get(ref, ref)

    def get_sale_amount(self, row: Any) -> str:
        net = row.sale.net
        return decimal_text(to_minor(net), net.currency.code)


class OrderSalesSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    amount = serializers.CharField()


def sales_of(commissions: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The sums of their invoices by currency."""
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for commission in commissions:
        sums[commission["sale_currency"]] += Decimal(commission["sale_amount"])
    return [{"currency": code, "amount": f"{sums[code]:f}"} for code in sorted(sums)]


def commissions_of_orders(
    affiliate: Affiliate, orders: Sequence[OrderReferral]
) -> tuple[dict[int, Any], Mapping[str, str]]:
    """Returns the commissions by order id, oldest first within each order, and the
    numbers of all invoices that have one."""
    commissions = Commission.objects.filter(
        affiliate=affiliate,
        sale__order_referral__in=[order.pk for order in orders],
        share_of__isnull=True,
    )
    rows = list(
        with_taken_back(commissions).select_related("sale__payment").order_by("pk")
    )
    refs = {row.sale.invoice_ref for row in rows}
    refs |= {order.invoice_ref for order in orders}
    numbers = get_adapter().invoice_numbers(refs, brand_id=affiliate.brand_id)
    context = {
        "invoices": numbers,
        "products": catalogue_of(affiliate.brand_id).names,
        "is_masked": affiliate.brand.masks_clients,
    }
    shape = OrderCommissionSerializer(context=context)
    shaped = defaultdict(list)
    for row in rows:
        shaped[row.sale.order_referral_id].append(shape.to_representation(row))
    return shaped, numbers


def file_row(order: Mapping[str, Any]) -> dict[str, Any]:
    decision = {**order["decision"]}
    # Their sentences are already in it.
    del decision["clicks"]
    earned = "; ".join(map(_earned_text, order["commissions"]))
    sales = "; ".join(f"{sale['amount']} {sale['currency']}" for sale in order["sales"])
    return {**order, "decision": decision, "sales": sales, "commissions": earned}


def _earned_text(commission: Mapping[str, Any]) -> str:
    """The commission after refunds, such as 10.00 EUR approved."""
    left = Decimal(commission["amount"]) + Decimal(commission["taken_back"])
    return f"{left} {commission['currency']} {commission['status']}"
