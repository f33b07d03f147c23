"""A decision as it is stored (JSON), and its inputs read back from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from affiliates.brands.rules import AttributionTerms
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import (
    Carrier,
    CookieState,
    ExternalVerdict,
    Reason,
    Verdict,
)
from affiliates.referrals.rules.types import (
    Assignment,
    Binding,
    Candidate,
    Coupon,
    Decision,
    ExternalTouch,
    Inputs,
    OrderFacts,
    Policy,
    Sender,
    Touch,
)

# Rows of format 1 know neither the tracking integration nor the policy between claims;
# those of format 2 know no binding, basket, coupon, assignment or policy version.
FORMAT = 3
OLDER_FORMATS = (1, 2)
# What stands for an identifier of the integration's visitor, which is not stored.
SOME_IDENTIFIER = "known"


class CannotReplay(ValueError):
    """The stored decision does not hold all that it was made from."""


def to_json(decision: Decision) -> dict[str, Any]:
    """Everything needed to read the decision years later, and to make it again.

    Of the tracking integration's visitor it holds the affiliate's name and no identifier.
    """
    inputs, external = decision.inputs, decision.external
    return {
        "format": FORMAT,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "cookie": inputs.cookie,
        "decided_at": inputs.now.isoformat(),
        "policy_version": inputs.policy.version,
        "policy_version_id": inputs.policy.version_id,
        "terms": inputs.policy.terms.to_json(),
        "order": _order_to_json(inputs.order),
        "binding": None
        if inputs.binding is None
        else {
            "click_id": str(inputs.binding.click_id),
            "affiliate_id": inputs.binding.affiliate_id,
            "bound_at": inputs.binding.bound_at.isoformat(),
        },
        "candidates": [_candidate_to_json(one) for one in decision.candidates],
        "stood_down": [
            one.touch.affiliate_id
            for one in decision.candidates
            if one.verdict is Verdict.LATE_TOUCH_STOOD_DOWN
        ],
        "external": None
        if external is None
        else {
            "verdict": external.verdict,
            "rule": external.verdict.rule,
            **_external_to_json(external.touch),
        },
        "external_touches": [_external_to_json(one) for one in inputs.external],
    }


def inputs_of(stored: Mapping[str, Any]) -> Inputs:
    """What the stored decision was made from; raises CannotReplay."""
    try:
        if stored["format"] == FORMAT:
            return _inputs(stored)
        if stored["format"] in OLDER_FORMATS:
            return _older_inputs(stored)
    except (KeyError, TypeError, ValueError) as error:
        raise CannotReplay from error
    raise CannotReplay


def _inputs(stored: Mapping[str, Any]) -> Inputs:
    binding = stored["binding"]
    return Inputs(
        touches=_touches(stored["candidates"]),
        external=tuple(map(_external, stored["external_touches"])),
        binding=None
        if binding is None
        else Binding(
            click_id=UUID(binding["click_id"]),
            affiliate_id=binding["affiliate_id"],
            bound_at=_moment(binding["bound_at"]),
        ),
        order=_order(stored["order"]),
        cookie=CookieState(stored["cookie"]),
        policy=Policy(
            terms=AttributionTerms.from_json(stored["terms"]),
            version_id=stored["policy_version_id"],
            version=stored["policy_version"],
        ),
        now=_moment(stored["decided_at"]),
    )


def _older_inputs(stored: Mapping[str, Any]) -> Inputs:
    """Exact, too: whatever is not stored had no part in these decisions.

    Whether the client had paid before mattered only where it gave the reason. Of the
    integration's visits the one that is stored was the only one that could count.
    """
    external = stored.get("external")
    return Inputs(
        touches=_touches(stored["candidates"]),
        external=() if external is None else (_older_external(external),),
        binding=None,
        order=OrderFacts(
            basket_at=None,
            client_paid_before=stored["reason"] == Reason.EXISTING_CLIENT,
        ),
        cookie=CookieState(stored["cookie"]),
        policy=Policy(
            terms=AttributionTerms.from_json(stored["terms"]),
            version_id=None,
            version=None,
        ),
        now=_moment(stored["decided_at"]),
    )


def _order_to_json(order: OrderFacts) -> dict[str, Any]:
    coupon, assignment = order.coupon, order.assignment
    return {
        "basket_at": None if order.basket_at is None else order.basket_at.isoformat(),
        "client_paid_before": order.client_paid_before,
        "coupon": None
        if coupon is None
        else {"code": coupon.code, "sender": _sender_to_json(coupon.sender)},
        "assignment": None
        if assignment is None
        else {
            "sender": None
            if assignment.sender is None
            else _sender_to_json(assignment.sender),
            "reason": assignment.reason,
            "at": assignment.at.isoformat(),
        },
    }


def _order(stored: Mapping[str, Any]) -> OrderFacts:
    basket_at = stored["basket_at"]
    coupon, assignment = stored["coupon"], stored["assignment"]
    return OrderFacts(
        basket_at=None if basket_at is None else _moment(basket_at),
        client_paid_before=stored["client_paid_before"],
        coupon=None
        if coupon is None
        else Coupon(code=coupon["code"], sender=_sender(coupon["sender"])),
        assignment=None
        if assignment is None
        else Assignment(
            sender=None
            if assignment["sender"] is None
            else _sender(assignment["sender"]),
            reason=assignment["reason"],
            at=_moment(assignment["at"]),
        ),
    )


def _sender_to_json(sender: Sender) -> dict[str, Any]:
    return {
        "affiliate_id": sender.affiliate_id,
        "affiliate_code": sender.affiliate_code,
        "status": sender.status,
        "is_self": sender.is_self,
    }


def _sender(stored: Mapping[str, Any]) -> Sender:
    return Sender(
        affiliate_id=stored["affiliate_id"],
        affiliate_code=stored["affiliate_code"],
        status=AffiliateStatus(stored["status"]),
        is_self=stored["is_self"],
    )


def _candidate_to_json(candidate: Candidate) -> dict[str, Any]:
    touch = candidate.touch
    return {
        "verdict": candidate.verdict,
        "rule": candidate.rule,
        "carrier": touch.carrier,
        "click_id": None if touch.click_id is None else str(touch.click_id),
        "touched_at": touch.touched_at.isoformat(),
        "affiliate_id": touch.affiliate_id,
        "affiliate_code": touch.affiliate_code,
        "status_at_visit": touch.status_at_visit,
        "status_at_order": touch.status_now,
        "program_on_at_visit": touch.program_on_at_visit,
        "is_bot": touch.is_bot,
        "is_repeat": touch.is_repeat,
        "is_self": touch.is_self,
    }


def _touches(candidates: Sequence[Mapping[str, Any]]) -> tuple[Touch, ...]:
    """The clicks; a coupon or staff's word is the order's."""
    return tuple(
        Touch(
            carrier=Carrier(one["carrier"]),
            click_id=UUID(one["click_id"]),
            touched_at=_moment(one["touched_at"]),
            affiliate_id=one["affiliate_id"],
            affiliate_code=one["affiliate_code"],
            status_at_visit=AffiliateStatus(one["status_at_visit"]),
            status_now=AffiliateStatus(one["status_at_order"]),
            program_on_at_visit=one["program_on_at_visit"],
            is_bot=one["is_bot"],
            is_repeat=one["is_repeat"],
            is_self=one["is_self"],
        )
        for one in candidates
        if one["carrier"] in (Carrier.COOKIE, Carrier.BINDING)
    )


def _external_to_json(touch: ExternalTouch) -> dict[str, Any]:
    return {
        "carrier": touch.carrier,
        "integration_id": touch.integration_id,
        "has_identifier": touch.visitor_id != "",
        "click_id": None if touch.click_id is None else str(touch.click_id),
        "touched_at": touch.touched_at.isoformat(),
        "affiliate": touch.affiliate,
        "is_bot": touch.is_bot,
    }


def _older_external(stored: Mapping[str, Any]) -> ExternalTouch:
    has_identifier = stored["verdict"] != ExternalVerdict.NO_IDENTIFIER
    return _external({**stored, "has_identifier": has_identifier})


def _external(stored: Mapping[str, Any]) -> ExternalTouch:
    click_id = stored["click_id"]
    return ExternalTouch(
        carrier=Carrier(stored["carrier"]),
        integration_id=stored["integration_id"],
        visitor_id=SOME_IDENTIFIER if stored["has_identifier"] else "",
        click_id=None if click_id is None else UUID(click_id),
        touched_at=_moment(stored["touched_at"]),
        affiliate=stored["affiliate"],
        is_bot=stored["is_bot"],
        ip="",
        user_agent="",
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
