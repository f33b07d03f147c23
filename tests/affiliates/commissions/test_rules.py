"""What a new commission begins as."""

from __future__ import annotations

import pytest

from affiliates.commissions.rules import CommissionStatus, StepReason, judge_first
from affiliates.sales.rules import SaleReason, SaleStatus

RECORDED = SaleStatus.RECORDED, SaleReason.CREDITED
HELD = SaleStatus.HELD, SaleReason.DECISION_HELD
LEFT = SaleStatus.RECORDED, SaleReason.AFFILIATE_LEFT


@pytest.mark.parametrize(
    ("_case", "facts", "status"),
    [
        ("nothing, of a held decision", {"sale": HELD, "amount": 0}, "approved"),
        ("nothing, where staff approve", {"amount": 0, "hold_days": 0}, "approved"),
        ("nothing, which refunds cannot take", {"amount": 0, "left": 0}, "approved"),
        ("one, of a held decision", {"sale": HELD, "amount": 1}, "held"),
        ("declined before held", {"sale": HELD, "declined": "Why"}, "rejected"),
        ("held by a signal", {"held": "Why"}, "held"),
        ("waits", {}, "pending"),
        ("waits for staff", {"hold_days": 0}, "matured"),
        ("at once", {"hold_days": 0, "approves_itself": True}, "approved"),
        ("refunded", {"hold_days": 0, "approves_itself": True, "left": 0}, "pending"),
        ("refunded, of a held decision", {"sale": HELD, "left": 0}, "held"),
        ("left, with a signal that holds", {"sale": LEFT, "held": "Why"}, "rejected"),
        ("refunded and declined", {"declined": "Why", "left": 0}, "rejected"),
    ],
)
def test_judge_first(_case, facts, status):
    judgement = judge_first(
        **{
            "amount": 1,
            "left": 1,
            "sale": RECORDED,
            "declined": "",
            "held": "",
            "hold_days": 30,
            "approves_itself": False,
            **facts,
        }
    )

    assert judgement.status is CommissionStatus(status)
    earns_nothing = judgement.why.reason is StepReason.EARNS_NOTHING
    assert earns_nothing is (facts.get("amount") == 0)
