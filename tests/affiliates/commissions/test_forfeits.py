"""What is deducted for each part of a balance that an affiliate lost by leaving."""

from __future__ import annotations

from affiliates.commissions.forfeits import ForfeitState, judge_deductions
from tests.cases import each

PENDING = ForfeitState(1, 50_00, 50_00, 0, 0)
PAYABLE = ForfeitState(1, 50_00, 50_00, 50_00, 0)
DEDUCTED = ForfeitState(1, 50_00, 50_00, 50_00, 50_00)
REFUNDED = ForfeitState(1, 50_00, 0, 0, 50_00)
OTHER = ForfeitState(2, 20_00, 20_00, 20_00, 0)
REST = ForfeitState(3, 10_00, None, None, 0)
DEBT = ForfeitState(3, -30_00, None, None, 0)
SET_OFF = ForfeitState(3, -30_00, None, None, -30_00)


@each(
    ("parts", "changes", "changes_after_return"),
    [
        ([PENDING], {}, {}),
        ([PAYABLE], {1: 50_00}, {}),
        ([DEDUCTED], {}, {}),
        ([REFUNDED], {1: -50_00}, {1: -50_00}),
        ([REFUNDED, OTHER], {1: -50_00, 2: 20_00}, {1: -50_00}),
        # Refunded in part before it became payable, or after.
        ([PAYABLE._replace(left=30_00, payable=30_00)], {1: 30_00}, {}),
        ([DEDUCTED._replace(left=30_00, payable=30_00)], {1: -20_00}, {1: -20_00}),
        # A refund that was cancelled after leaving was not given up.
        ([PAYABLE._replace(left=60_00, payable=60_00)], {1: 50_00}, {}),
        ([PAYABLE, REST], {1: 50_00, 3: 10_00}, {3: 10_00}),
        # A debt is set off, but nothing else of it is forgiven.
        ([PAYABLE, DEBT], {1: 50_00, 3: -30_00}, {}),
        ([PENDING, OTHER, DEBT], {2: 20_00, 3: -20_00}, {}),
        ([REFUNDED, SET_OFF], {1: -50_00, 3: 30_00}, {1: -50_00, 3: 30_00}),
        ([REFUNDED, OTHER, SET_OFF], {1: -50_00, 2: 20_00, 3: 10_00}, None),
    ],
)
def test_changes_of_deductions(parts, changes, changes_after_return):
    assert judge_deductions(parts, is_open=True) == changes
    if changes_after_return is not None:
        assert judge_deductions(parts, is_open=False) == changes_after_return
