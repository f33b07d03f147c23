"""Receipts of invoice lines, each computed again from what it keeps."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

from affiliates.plans.rules.bases import set_off_follows
from affiliates.plans.rules.computation import (
    compute_commission,
    is_sound,
    recompute_line,
    spread_follows,
)
from affiliates.plans.rules.matching import LineFacts, SaleFacts
from affiliates.plans.rules.terms import PlanTerms, RuleTerms

ORDERED_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINE = LineFacts(position=1, kind="hosting", billing_cycle="annually", net=10000)
TEN_PERCENT = RuleTerms(percent=Decimal(10))


def compute(
    *lines: LineFacts, rules=(TEN_PERCENT,), terms: PlanTerms | None = None, **sale
):
    facts = {
        "currency": "EUR",
        "renewal_number": 0,
        "ordered_at": ORDERED_AT,
        "paid_at": ORDERED_AT,
        "affiliate_id": 1,
    } | sale
    facts.setdefault("position", facts["renewal_number"])
    return compute_commission(
        SaleFacts(**facts, lines=lines or (LINE,)),
        terms=terms or PlanTerms(rules=tuple(rules)),
        plan_name="Standard",
        version_number=3,
    )


def earned(*args, **kwargs) -> list[int]:
    """Each line's amount, when receipts and sum agree with them."""
    commission = compute(*args, **kwargs)
    amounts = [line.amount for line in commission.lines]
    for line in commission.lines:
        kept = json.loads(json.dumps(line.receipt))
        assert recompute_line(kept) == line.amount
        assert is_sound(kept)
    assert set_off_follows([line.receipt for line in commission.lines])
    assert spread_follows([line.receipt for line in commission.lines])
    assert commission.amount == sum(amounts)
    return amounts
