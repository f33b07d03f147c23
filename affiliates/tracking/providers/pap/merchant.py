"""Requests to a Post Affiliate Pro install in the merchant's name."""

from __future__ import annotations

import re
from decimal import Decimal

from affiliates.outbox.protocol import ProviderSettings, Run
from affiliates.outbox.types import (
    CallOutcome,
    LookupFacts,
    Operation,
    OutcomeKind,
    RemoteSale,
    ReversalFacts,
    ReversalKind,
    broken,
    rejected,
)
from affiliates.tracking.providers.pap.rpc import (
    NO,
    YES,
    Reply,
    Request,
    ask,
    not_understood,
    plain_text,
)
from affiliates.tracking.providers.pap.tracking import order_id, plain_amount

FORM_CLASS = "Pap_Merchants_Transaction_TransactionsForm"
GRID_CLASS = "Pap_Merchants_Transaction_TransactionsGrid"
GRID_LIMIT = 30
COLUMNS = (
    "id",
    "orderid",
    "t_orderid",
    "totalcost",
    "original_currency_code",
    "rtype",
    "rstatus",
    "tier",
    "userid",
)
# The client library's names, not seen to work on any install. An install without them
# refuses, so they are kept out of requests that it knows.
PARTIAL_METHODS = {
    ReversalKind.REFUND: "refundByOrderId",
    ReversalKind.CHARGEBACK: "chargeBackByOrderId",
}
REVERSAL_STATUSES = {ReversalKind.REFUND: "R", ReversalKind.CHARGEBACK: "H"}
REVERSAL_TYPES = frozenset(REVERSAL_STATUSES.values())
PENDING, DECLINED = "P", "D"
FIRST_TIER = "1"

_NUMBER = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,8})?")


def look_up(facts: LookupFacts, settings: ProviderSettings) -> Run:
    """The install's sales of an order, without refunds and lower tiers."""
    order = order_id(facts.order_ref, settings)
    if not order:
        return _without_order()
    request = {
        "C": GRID_CLASS,
        "M": "getRows",
        "filters": [["orderid", "E", order]],
        "columns": [[name] for name in COLUMNS],
        "offset": 0,
        "limit": GRID_LIMIT,
    }
    reply = yield from ask(request, settings, operation=Operation.LOOKUP)
    if isinstance(reply, CallOutcome):
        return reply
    sales = _read_sales(reply, order)
    if sales is None:
        return broken("The install answered the look-up in a form that is not known.")
    if not sales:
        return _not_found(order)
    return CallOutcome(
        OutcomeKind.OK,
        f"The provider holds {len(sales)} for order {order}.",
        remote_ref=sales[0].remote_ref,
        sales=sales,
    )


def reverse(facts: ReversalFacts, settings: ProviderSettings) -> Run:
    """Reverses a sale or a part of it."""
    order = order_id(facts.order_ref, settings)
    # A filter without a value would reverse every sale.
    if not order:
        return _without_order()
    is_partial = facts.amount is not None
    if is_partial and not settings.is_on("partial_refunds"):
        return rejected(_by_hand(facts, order))
    reply = yield from ask(
        _reversal(facts, order, settings),
        settings,
        operation=Operation.REVERSAL,
        is_partial=is_partial,
    )
    if isinstance(reply, CallOutcome):
        if is_partial and reply.kind is OutcomeKind.REJECTED:
            detail = f"{reply.detail} {_by_hand(facts, order)}"
            return rejected(detail)
        return reply
    return _read_action(reply, order, is_partial=is_partial)


def _reversal(facts: ReversalFacts, order: str, settings: ProviderSettings) -> Request:
    note = f"{facts.kind.label} of {facts.occurred_at:%Y-%m-%d}"
    if facts.amount is not None:
        return {
            "C": FORM_CLASS,
            "M": PARTIAL_METHODS[facts.kind],
            "orderid": order,
            "merchant_note": note,
            "fee": 0,
            "refund_value": plain_amount(facts.amount),
        }
    if settings.text("sale_status") == PENDING:
        return {
            "C": FORM_CLASS,
            "M": "changeStatusPerOrderId",
            "orderid": order,
            "status": DECLINED,
            "merchant_note": note,
        }
    return {
        "C": FORM_CLASS,
        "M": "makeRefundChargebackByParams",
        "filters": [["orderid", "E", order]],
        "merchant_note": note,
        "status": REVERSAL_STATUSES[facts.kind],
        "fee": 0,
    }


def _read_action(reply: Reply, order: str, *, is_partial: bool) -> CallOutcome:
    success = reply.get("success")
    if success == NO:
        return rejected(
            f"Post Affiliate Pro did not change order {order}: look at it there."
        )
    if success != YES:
        return not_understood(is_partial=is_partial)
    # It always reports success; only a real change comes with a message.
    if not plain_text(reply.get("infoMessage")):
        return _not_found(order)
    return CallOutcome(OutcomeKind.OK, f"Order {order} was taken back.")


def _read_sales(reply: Reply, order: str) -> tuple[RemoteSale, ...] | None:
    """Reads the sales; None for an unreadable grid, whose first row names its columns.

    An unreadable grid must not count as empty: the sale would be sent again.
    """
    rows = reply.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        return None
    if not rows:
        return () if plain_text(reply.get("count")) == "0" else None
    header = [plain_text(name) for name in rows[0]]
    if not {"orderid", "t_orderid"}.intersection(header):
        return None
    sales = []
    for row in rows[1:]:
        if len(row) != len(header):
            return None
        cells = {name: plain_text(cell) for name, cell in zip(header, row, strict=True)}
        if _is_sale(cells, order):
            sales.append(_sale(cells))
    return tuple(sales)


def _is_sale(cells: dict[str, str], order: str) -> bool:
    """Whether the row is the order's sale: no refund, no parent's commission."""
    order_ref = cells.get("t_orderid") or cells.get("orderid", "")
    return (
        order_ref.lower() == order.lower()
        and cells.get("rtype") not in REVERSAL_TYPES
        and cells.get("tier", FIRST_TIER) in {"", FIRST_TIER}
    )


def _sale(cells: dict[str, str]) -> RemoteSale:
    amount = cells.get("totalcost", "")
    return RemoteSale(
        remote_ref=cells.get("id", ""),
        amount=Decimal(amount) if _NUMBER.fullmatch(amount) else None,
        currency=cells.get("original_currency_code", ""),
        status=cells.get("rstatus", ""),
        affiliate=cells.get("userid", ""),
    )


def _not_found(order: str) -> CallOutcome:
    return CallOutcome(
        OutcomeKind.NOT_FOUND, f"Post Affiliate Pro holds no sale for order {order}."
    )


def _without_order() -> CallOutcome:
    return rejected("There is no order number to ask for, so nothing was sent.")


def _by_hand(facts: ReversalFacts, order: str) -> str:
    amount = "" if facts.amount is None else plain_amount(facts.amount)
    return (
        f"Refund {amount} {facts.currency} of order {order} by hand in Post Affiliate "
        f"Pro ({facts.kind.label.lower()} of {facts.occurred_at:%Y-%m-%d})."
    )
