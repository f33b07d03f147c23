"""The effect of a payment or a refund on a sale: pure arithmetic on money."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from moneyed import Currency, Money

from affiliates.core.money import rounded
from affiliates.program.rules import AffiliateStatus


class SaleStatus(TextChoices):
    RECORDED = "recorded", "Recorded"
    HELD = "held", "Held for review"


class SaleReason(TextChoices):
    CREDITED = "credited", _("The order's decision credits this affiliate.")
    DECISION_HELD = "decision_held", _("The order's decision is held for review.")
    AFFILIATE_NOT_ACTIVE = (
        "affiliate_not_active",
        _("The affiliate was not active when the invoice was paid."),
    )
    BRAND_INACTIVE = (
        "brand_inactive",
        _("The brand was inactive when the payment was reported."),
    )
    AFFILIATE_LEFT = (
        "affiliate_left",
        _("The affiliate had left the program when the invoice was paid."),
    )


def judge_sale(
    *,
    decision_is_held: bool,
    affiliate_status: AffiliateStatus,
    is_brand_active: bool,
) -> tuple[SaleStatus, SaleReason]:
    """Status and reason of the sale of a paid invoice that names an affiliate.

    An affiliate that has left earns nothing by it, so there is nothing to review.
    """
    if affiliate_status is AffiliateStatus.LEFT:
        return SaleStatus.RECORDED, SaleReason.AFFILIATE_LEFT
    if decision_is_held:
        return SaleStatus.HELD, SaleReason.DECISION_HELD
    if not is_brand_active:
        return SaleStatus.HELD, SaleReason.BRAND_INACTIVE
    if affiliate_status is not AffiliateStatus.ACTIVE:
        return SaleStatus.HELD, SaleReason.AFFILIATE_NOT_ACTIVE
    return SaleStatus.RECORDED, SaleReason.CREDITED


def net_of(lines: Sequence[Mapping[str, Any]], currency: Currency) -> Money:
    """Sum of the lines as a payment stores them, each rounded to the minor unit."""
    nets = (rounded(Money(line["net"], currency)) for line in lines)
    return sum(nets, Money(0, currency))


def without_descriptions(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """An erased client's: a domain's name, for example, names the person."""
    return [{**line, "description": ""} for line in lines]


def comparable_lines(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The lines without descriptions, which erasing empties, and with equal amounts."""
    amounts = ("net", "discount", "credit")
    return [
        {**line, **{name: Decimal(line[name]) for name in amounts}}
        for line in without_descriptions(lines)
    ]


def cancelled_amounts(
    refund: Money, cancellations: Iterable[Money | None]
) -> Iterator[Money]:
    """How much of the refund each of its cancellations cancels, as they were stored.

    None cancels all that is still refunded. An amount beyond that, or in another
    currency, cancels nothing.
    """
    left = refund
    for gross in cancellations:
        cancelled = left
        if gross is not None:
            is_foreign = gross.currency != refund.currency
            cancelled = refund * 0 if is_foreign else min(gross, left)
        left -= cancelled
        yield cancelled


class NumberedInvoice(NamedTuple):
    """A paid invoice of an order: 0 is the initial one. The host gives ``stated``."""

    number: int
    stated: int | None
    net: Money

    @property
    def is_of_nothing(self) -> bool:
        return bool(self.net.amount <= 0)


def positions(invoices: Iterable[NumberedInvoice]) -> Iterator[int]:
    """The renewal number by which plans count each invoice, in order of their numbers.

    Its number less the zero invoices before it: a trial uses up no renewal.
    """
    of_nothing = 0
    for invoice in invoices:
        own = invoice.number - of_nothing
        yield own if invoice.stated is None or not invoice.number else invoice.stated
        of_nothing += invoice.is_of_nothing
