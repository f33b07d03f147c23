"""The base of each line of a sale: its net amount by the plan's terms, less credits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from affiliates.plans.rules.matching import LineFacts
from affiliates.plans.rules.set_off import LineBase, set_off
from affiliates.plans.rules.terms import PlanTerms


def base_inputs(lines: Sequence[LineFacts], terms: PlanTerms) -> list[dict[str, Any]]:
    """The inputs of each line's base, as its receipt stores them."""
    inputs = [
        {
            "net": line.net,
            "discount": line.discount,
            "credit": line.credit,
            "counts_discount": terms.counts_discount,
            "counts_credit": terms.counts_credit,
        }
        for line in lines
    ]
    bases = [
        LineBase(
            line.position, line.product_ref, line.kind, _own_base(line_inputs)["amount"]
        )
        for line, line_inputs in zip(lines, inputs, strict=True)
    ]
    return [
        {**line_inputs, "set_off": [taken._asdict() for taken in kept]}
        for line_inputs, kept in zip(inputs, set_off(bases), strict=True)
    ]


def base_step(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The first step of a receipt. Formats before the fourth set no credits off."""
    step = _own_base(inputs)
    if "set_off" not in inputs:
        return step
    taken = sum(entry["amount"] for entry in inputs["set_off"])
    return step | {"set_off": taken, "amount": step["amount"] - taken}


def set_off_follows(receipts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the set-off follows from all lines, whose receipts these are."""
    kept = [receipt["inputs"].get("set_off") for receipt in receipts]
    if not any(taken is not None for taken in kept):
        return True
    bases = [
        LineBase(
            receipt["line"]["position"],
            receipt["line"]["product_ref"],
            receipt["line"]["kind"],
            _own_base(receipt["inputs"])["amount"],
        )
        for receipt in receipts
    ]
    return kept == [
        [taken._asdict() for taken in line_parts] for line_parts in set_off(bases)
    ]


def _own_base(inputs: Mapping[str, Any]) -> dict[str, Any]:
    discount = max(inputs["discount"], 0) if inputs["counts_discount"] else 0
    credit = 0 if inputs["counts_credit"] else max(inputs["credit"], 0)
    return {
        "step": "base",
        "net": inputs["net"],
        "discount": discount,
        "credit": credit,
        "amount": inputs["net"] + discount - credit,
    }
