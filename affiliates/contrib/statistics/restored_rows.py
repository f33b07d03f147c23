"""Amounts that cancelled refunds restored, by the day of the cancellation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from moneyed import Money

from affiliates.commissions.models import CommissionReversal
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.statistics.day_rows import (
    CommissionRow,
    DaysOfRows,
    Row,
    figures_of,
)
from affiliates.contrib.statistics.types import Dimension
from affiliates.sales.models import SaleReversal
from affiliates.sales.selectors import ending_cancellations


@dataclass(frozen=True, slots=True)
class RestoredRow(Row):
    """The amount a cancellation restored; ``ends_refund``: nothing is refunded now."""

    net: Money
    lines: list[dict[str, Any]]
    ends_refund: bool


def restored_of(days: DaysOfRows) -> list[RestoredRow]:
    order = "sale__order_referral"
    rows = days.rows(
        SaleReversal,
        "cancellation__cancelled_at",
        affiliate=f"{order}__affiliate",
        brand="sale__brand",
    )
    with_lines = Dimension.PRODUCT in days.dimensions
    found = list(
        rows.values_list(
            "cancellation__cancelled_at",
            f"{order}__affiliate_id",
            f"{order}__click_id",
            "net",
            "net_currency",
            "cancellation_id",
            "cancellation__refund_ref",
            *(["sale__payment__lines"] if with_lines else []),
        )
    )
    ends = ending_cancellations(days.brand_id, {row[6] for row in found})
    return [
        RestoredRow(
            at=row[0],
            affiliate_id=row[1],
            click_id=row[2],
            net=Money(row[3], row[4]),
            lines=row[7] if with_lines else [],
            ends_refund=row[5] in ends,
        )
        for row in found
    ]


def restored_commissions_of(days: DaysOfRows) -> list[CommissionRow]:
    """Of those that count: a rejected one was rejected as a whole."""
    rows = days.rows(
        CommissionReversal,
        "sale_reversal__cancellation__cancelled_at",
        affiliate="commission__affiliate",
        brand="commission__brand",
    ).exclude(commission__status=CommissionStatus.REJECTED)
    return [
        CommissionRow(
            at,
            affiliate_id,
            click_id,
            pk,
            currency,
            figures_of(CommissionStatus(status), 0, -amount),
        )
        for at, affiliate_id, click_id, pk, currency, status, amount in rows.values_list(
            "sale_reversal__cancellation__cancelled_at",
            "commission__affiliate_id",
            "commission__sale__order_referral__click_id",
            "commission_id",
            "commission__currency",
            "commission__status",
            "amount",
        )
    ]
