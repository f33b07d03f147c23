"""Writes a decision as JSON, and reads its inputs from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from affiliates.brands.rules import AttributionTerms
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import Carrier, CookieState, Verdict
from affiliates.referrals.rules.types import (
    Assignment,
    Binding,
    Coupon,
    Decision,
    ExternalTouch,
    Inputs,
    OrderInputs,
    Policy,
    Sender,
    Touch,
)

FORMAT = 4
# Stands for the identifier of the integration's visitor, which is not stored.
SOME_IDENTIFIER = "known"

Fields = TypeVar("Fields", Assignment, Binding, Coupon, OrderInputs, Sender, Touch)
Read = Callable[[Any], Any]


class CannotReplay(ValueError):
    """The stored decision does not hold all of its inputs."""


def to_json(decision: Decision) -> dict[str, Any]:
    """Everything needed to read the decision years later, and to repeat it.

    Of the tracking integration's visitor it holds the affiliate's name but no
    identifier.
    """
    inputs, external = decision.inputs, decision.external
    return {
        "format": FORMAT,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "cookie": inputs.cookie,
        "decided_at": inputs.now.isoformat(),
        **({} if inputs.is_brand_active else {"is_brand_active": False}),
        "policy_version": inputs.policy.version,
        "policy_version_id": inputs.policy.version_id,
        "terms": inputs.policy.terms.to_json(),
        "order": _plain(inputs.order),
        "binding": _plain(inputs.binding),
        "candidates": [
            {
                "verdict": candidate.verdict,
                "rule": candidate.rule,
                **_plain(candidate.touch),
            }
            for candidate in decision.candidates
        ],
        "stood_down": [
            candidate.touch.affiliate_id
            for candidate in decision.candidates
            if candidate.verdict is Verdict.LATE_TOUCH_STOOD_DOWN
        ],
        "external": None
        if external is None
        else {
            "verdict": external.verdict,
            "rule": external.verdict.rule,
            **_external_to_json(external.touch),
        },
        "external_touches": [_external_to_json(touch) for touch in inputs.external],
    }


def inputs_of(stored: Mapping[str, Any]) -> Inputs:
    """The inputs of the stored decision; raises CannotReplay."""
    try:
        if stored["format"] == FORMAT:
            return _inputs(stored)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CannotReplay from error
    raise CannotReplay


def age_of(candidate: Mapping[str, Any], stored: Mapping[str, Any]) -> timedelta:
    """The age of the candidate at the time of the stored decision."""
    decided_at = datetime.fromisoformat(stored["decided_at"])
    return decided_at - datetime.fromisoformat(candidate["touched_at"])


def _inputs(stored: Mapping[str, Any]) -> Inputs:
    return Inputs(
        # A coupon and an assignment belong to the order.
        touches=tuple(
            _read(Touch, candidate)
            for candidate in stored["candidates"]
            if candidate["carrier"] in (Carrier.COOKIE, Carrier.BINDING)
        ),
        external=tuple(map(_external, stored["external_touches"])),
        binding=_optional(partial(_read, Binding))(stored["binding"]),
        order=_read(OrderInputs, stored["order"]),
        cookie=CookieState(stored["cookie"]),
        policy=Policy(
            terms=AttributionTerms.from_json(stored["terms"]),
            version_id=stored["policy_version_id"],
            version=stored["policy_version"],
        ),
        now=datetime.fromisoformat(stored["decided_at"]),
        is_brand_active=stored.get("is_brand_active", True),
    )


def _plain(value: Any) -> Any:
    """The value as JSON stores it: fields by name, ids and times as text."""
    match value:
        case UUID():
            return str(value)
        case datetime():
            return value.isoformat()
        case tuple():
            fields: Any = value
            return {name: _plain(value) for name, value in fields._asdict().items()}
    return value


def _read(kind: type[Fields], stored: Mapping[str, Any]) -> Fields:
    """Reads the fields; those not named in ``_READ`` stay plain values."""
    read = _READ | _READ_OF.get(kind, {})
    return kind(
        **{
            name: read[name](stored[name]) if name in read else stored[name]
            for name in kind._fields
        }
    )


def _optional(read: Read) -> Read:
    return lambda stored: None if stored is None else read(stored)


_READ: dict[str, Read] = {
    "carrier": Carrier,
    "click_id": UUID,
    "touched_at": datetime.fromisoformat,
    "bound_at": datetime.fromisoformat,
    "basket_at": _optional(datetime.fromisoformat),
    "at": datetime.fromisoformat,
    "status": AffiliateStatus,
    "status_at_visit": AffiliateStatus,
    "status_at_order": AffiliateStatus,
    "coupon": _optional(partial(_read, Coupon)),
    "typed": _optional(partial(_read, Coupon)),
    "assignment": _optional(partial(_read, Assignment)),
    "sender": partial(_read, Sender),
}
# An order that staff gave to nobody names no sender; a coupon always has one.
_READ_OF: dict[type, dict[str, Read]] = {
    Assignment: {"sender": _optional(_READ["sender"])}
}


def _external_to_json(touch: ExternalTouch) -> dict[str, Any]:
    return {
        "carrier": touch.carrier,
        "integration_id": touch.integration_id,
        "has_identifier": touch.visitor_id != "",
        "click_id": _plain(touch.click_id),
        "touched_at": touch.touched_at.isoformat(),
        "affiliate": touch.affiliate,
        "is_bot": touch.is_bot,
    }


def _external(stored: Mapping[str, Any]) -> ExternalTouch:
    return ExternalTouch(
        carrier=Carrier(stored["carrier"]),
        integration_id=stored["integration_id"],
        visitor_id=SOME_IDENTIFIER if stored["has_identifier"] else "",
        click_id=_optional(UUID)(stored["click_id"]),
        touched_at=datetime.fromisoformat(stored["touched_at"]),
        affiliate=stored["affiliate"],
        is_bot=stored["is_bot"],
    )
