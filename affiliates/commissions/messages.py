"""Why a commission took a step, in words made from what is stored. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from affiliates.commissions.rules import StepReason
from affiliates.core.money import amount_text
from affiliates.fraud.rules.messages import signals_text


def reason_text(reason: str, details: Mapping[str, Any]) -> str:
    """The sentence of a code and its details, as rows and events hold them."""
    values = dict(details)
    if "amount" in values:
        values["amount"] = amount_text(values["amount"], values["currency"])
    if "signals" in values:
        values["signals"] = signals_text(values["signals"])
    return StepReason(reason).label.format(**values)
