"""A recruiter's share: a percentage of the commission of an affiliate it recruited."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from affiliates.plans.rules.rounding import Rounding, exact_text, rounded, scaled
from affiliates.plans.rules.terms import PlanTerms, percent_text

SHARE_FORMAT = 3


def share_receipt(
    *,
    commission_id: int,
    earned: int,
    currency: str,
    terms: PlanTerms,
    plan_name: str,
    version_number: int,
) -> dict[str, Any]:
    """The receipt of a share's only line, to be stored as it is.

    It is no invoice line: the recruiter must not learn what the client bought.
    """
    receipt: dict[str, Any] = {
        "format": SHARE_FORMAT,
        "plan": {"name": plan_name, "version": version_number},
        "line": {"position": 1, "description": "", "product_ref": "", "kind": ""},
        "inputs": {
            "currency": currency,
            "commission": commission_id,
            "earned": earned,
            "percent": percent_text(terms.recruiter_percent),
        },
        "rounding": terms.rounding,
    }
    return receipt | computed_share(receipt)


def share_of(earned: int, terms: PlanTerms) -> int:
    """The share in minor units, rounded by the plan's rounding."""
    return rounded(earned * scaled(terms.recruiter_percent), terms.rounding)


def computed_share(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a share's receipt that follows from the rest of it."""
    inputs, rounding = receipt["inputs"], Rounding(receipt["rounding"])
    exact = inputs["earned"] * scaled(Decimal(inputs["percent"]))
    amount = rounded(exact, rounding)
    rate = {"percent": inputs["percent"], "of": inputs["earned"]}
    steps = [
        {"step": "rate", **rate, "amount": exact_text(exact)},
        {"step": "round", "mode": rounding, "amount": amount},
    ]
    return {"outcome": "earned", "steps": steps, "amount": amount}
