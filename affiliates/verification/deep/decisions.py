"""The decisions of orders, repeated from their own inputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from affiliates.referrals.models import (
    DecisionOverride,
    OrderCandidate,
    OrderReferral,
)
from affiliates.referrals.rules.choices import Verdict
from affiliates.referrals.rules.replay import ReplayResult, replay
from affiliates.verification.faults import (
    DOCUMENTS_AT_ONCE,
    Check,
    RowFaults,
    every,
    within,
)


class Override(NamedTuple):
    affiliate_id: int | None
    reason: str
    at: datetime
    replaced: Mapping[str, Any]


class OrderColumns(NamedTuple):
    """The columns that an order's referral keeps of its decision."""

    reason: str
    click_id: UUID | None
    touched_at: datetime | None
    affiliate_id: int | None
    decision: Mapping[str, Any]


def _decisions(orders: QuerySet[Any], ids: range) -> RowFaults:
    overrides: defaultdict[int, list[Override]] = defaultdict(list)
    of_range = within(every(DecisionOverride), ids, "referral_id").order_by("pk")
    for pk, *override in of_range.values_list("referral_id", *Override._fields):
        overrides[pk].append(Override(*override))
    candidates: defaultdict[int, set[int]] = defaultdict(set)
    for pk, affiliate_id in within(
        every(OrderCandidate), ids, "referral_id"
    ).values_list("referral_id", "affiliate_id"):
        candidates[pk].add(affiliate_id)
    for pk, order_ref, *columns in orders.values_list(
        "pk", "order_ref", *OrderColumns._fields
    ):
        faults = _faults(OrderColumns(*columns), overrides[pk], candidates[pk])
        yield f"Order {order_ref}", faults


def _faults(
    order: OrderColumns, overrides: Sequence[Override], candidates: Set[int]
) -> Iterator[str]:
    """Repeats the decision from its own inputs, and checks staff's assignment in it."""
    again = replay(order.decision)
    if again.result is ReplayResult.NOT_REPLAYABLE:
        yield "has a decision without the inputs that it was made from."
        return
    if again.result is ReplayResult.DIFFERENT:
        yield (
            f"is decided for {again.stored_winner}, but deciding again gives "
            f"{again.recomputed_winner}."
        )
    yield from _column_faults(order)
    decisions = [*(override.replaced for override in overrides), order.decision]
    yield from _override_faults(overrides, decisions)
    # Affiliates named in its decisions may read it; the credited one needs no row.
    named = _named_in(decisions)
    if candidates - named:
        yield "is visible to an affiliate who is not in its decision."
    if named - candidates - {order.affiliate_id}:
        yield "is not visible to an affiliate who is in its decision."


def _column_faults(order: OrderColumns) -> Iterator[str]:
    candidates = order.decision["candidates"]
    won = (candidate for candidate in candidates if candidate["verdict"] == Verdict.WON)
    winner = next(won, None)
    clicked = None if winner is None or winner["click_id"] is None else winner
    for name, kept, decided in (
        ("reason", order.reason, order.decision["reason"]),
        (
            "click_id",
            order.click_id and str(order.click_id),
            clicked and clicked["click_id"],
        ),
        (
            "touched_at",
            order.touched_at,
            clicked and datetime.fromisoformat(clicked["touched_at"]),
        ),
    ):
        if kept != decided:
            yield f"has {name} {kept}, by its decision {decided}."


def _override_faults(
    overrides: Sequence[Override], decisions: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Each decision must hold staff's latest assignment before it, or none."""
    if _assignment_of(decisions[0]) is not None:
        yield "has an assignment by staff in its decision that is not on record."
    for override, decision in zip(overrides, decisions[1:], strict=True):
        if _assignment_of(decision) != override[:3]:
            yield "has another assignment by staff than its decision says."
    for earlier, later in pairwise(decisions):
        if _evidence_of(earlier) != _evidence_of(later):
            yield "has other clicks or terms in its decision since staff assigned it."


def _named_in(decisions: Iterable[Mapping[str, Any]]) -> set[int]:
    candidates = (
        candidate
        for decision in decisions
        for candidate in decision.get("candidates", ())
    )
    return {candidate["affiliate_id"] for candidate in candidates}


def _assignment_of(decision: Mapping[str, Any]) -> tuple[Any, ...] | None:
    assignment = decision.get("order", {}).get("assignment")
    if assignment is None:
        return None
    sender = assignment["sender"]
    at = datetime.fromisoformat(assignment["at"])
    return sender and sender["affiliate_id"], assignment["reason"], at


def _evidence_of(decision: Mapping[str, Any]) -> tuple[Any, ...]:
    """The part of a decision that staff's assignment leaves unchanged."""
    clicks = [
        (candidate["click_id"], candidate["touched_at"], candidate["affiliate_id"])
        for candidate in decision.get("candidates", ())
        if candidate["carrier"] in ("cookie", "binding")
    ]
    return decision.get("decided_at"), decision.get("terms"), clicks


DEEP_CHECKS = [
    Check(
        label="decisions repeated",
        model=OrderReferral,
        rules=(_decisions,),
        at_once=DOCUMENTS_AT_ONCE,
        reads=(
            (OrderReferral, "id"),
            (DecisionOverride, "referral_id"),
            (OrderCandidate, "referral_id"),
        ),
    ),
]
