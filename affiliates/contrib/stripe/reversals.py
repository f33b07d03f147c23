"""Refunds, credit notes and disputes of Stripe as the values of the seam. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from moneyed import Money

from affiliates.contracts import CancelledRefund, RefundedInvoice, RefundKind
from affiliates.contrib.stripe.reading import (
    Parsed,
    id_of,
    items,
    moment,
    money,
    net_of,
    reads,
    total_net_of,
)
from affiliates.contrib.stripe.rules import Labels, line_of

UNDONE = ("failed", "canceled")
TAKEN, GIVEN_BACK = "taken", "given back"


@reads
def taken_back(
    brand_id: int, row: Parsed, invoice_ref: str, kind: RefundKind
) -> RefundedInvoice:
    """A refund or dispute by its amount."""
    return RefundedInvoice(
        brand_id=brand_id,
        invoice_ref=invoice_ref,
        refund_ref=id_of(row),
        gross=money(row["amount"], row["currency"]),
        refunded_at=moment(row["created"]),
        kind=kind,
    )


@reads
def credited(
    brand_id: int, note: Parsed, labels: Mapping[str, Labels]
) -> list[RefundedInvoice | CancelledRefund]:
    """A credit note by its lines, in place of the refunds that it names.

    The refunds then take nothing, whether they are reported before or after the note.
    """
    currency, at = note["currency"], moment(note["created"])
    rows, net = items(note["lines"]), total_net_of(note)
    lines = tuple(
        line_of(
            row,
            labels.get(id_of(row.get("invoice_line_item")), ("", "", "")),
            money(net_of(row), currency),
        )
        for row in rows
    )
    is_whole = sum(map(net_of, rows)) == net
    credit = RefundedInvoice(
        brand_id=brand_id,
        invoice_ref=id_of(note["invoice"]),
        refund_ref=id_of(note),
        gross=money(note["total"], currency),
        refunded_at=at,
        lines=lines if is_whole else (),
        net=None if is_whole else money(net, currency),
    )
    # Before basil there was one, without an amount of its own.
    refunds = items(note.get("refunds")) or [{"refund": note.get("refund")}]
    named = [(id_of(row["refund"]), row.get("amount_refunded")) for row in refunds]
    return [
        credit,
        *(
            undone(
                brand_id,
                ref,
                id_of(note),
                at=at,
                gross=None if amount is None else money(amount, currency),
            )
            for ref, amount in named
            if ref
        ),
    ]


def undone(
    brand_id: int, ref: str, why: str, *, at: datetime, gross: Money | None = None
) -> CancelledRefund:
    return CancelledRefund(
        brand_id=brand_id,
        refund_ref=ref,
        cancellation_ref=f"{ref}-{why}",
        cancelled_at=at,
        gross=gross,
    )


@reads
def money_of_dispute(event_type: str, dispute: Parsed) -> str:
    """Where the money went; "" where none has moved, as by a question of the bank."""
    if event_type.endswith("funds_reinstated"):
        return GIVEN_BACK
    if event_type.endswith("funds_withdrawn") or dispute["status"] == "lost":
        return TAKEN
    if dispute["status"] == "won":
        return GIVEN_BACK
    return ""
