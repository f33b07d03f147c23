"""Staff's assignment of an order: permitted affiliates and the resulting decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from affiliates.adapter import get_adapter
from affiliates.brands.rules import ClaimPolicy
from affiliates.contracts import Client
from affiliates.errors import InvalidInput, StateConflict
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals import selectors
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.row_fields import decision_fields, external_fields
from affiliates.referrals.rules import decision as rules
from affiliates.referrals.rules import stored
from affiliates.referrals.rules.provider_match import match_beside_staff
from affiliates.referrals.rules.types import Assignment, Inputs, Sender


def named_by_staff(referral: OrderReferral, affiliate_id: int | None) -> Sender | None:
    if affiliate_id is None:
        return None
    client_id = str(referral.client_id)
    client = get_adapter().get_client(client_id) or Client(
        id=client_id, brand_id=referral.brand_id, email="", is_guest=False
    )
    sender = selectors.sender_of(
        affiliate_id, brand_id=referral.brand_id, client=client
    )
    if sender is None or sender.status is not AffiliateStatus.ACTIVE:
        raise InvalidInput(
            "affiliate_not_active",
            "Choose an active affiliate of the order's brand.",
            field="affiliate_id",
        )
    return sender


def replayable_inputs(referral: OrderReferral) -> Inputs:
    try:
        return stored.inputs_of(referral.decision)
    except stored.CannotReplay:
        raise StateConflict(
            "decision_not_replayable",
            "This order's decision does not hold what it was made from.",
        ) from None


def is_assigned(inputs: Inputs, affiliate_id: int | None) -> bool:
    """Whether staff gave the order to this affiliate, or to nobody, before."""
    assignment = inputs.order.assignment
    if assignment is None:
        return False
    sender = assignment.sender
    return affiliate_id == (None if sender is None else sender.affiliate_id)


def leaves_integration(referral: OrderReferral, affiliate_id: int | None) -> bool:
    """Whether the integration would lose its part in the order by this assignment."""
    if referral.integration_id is None:
        return False
    try:
        inputs = stored.inputs_of(referral.decision)
    except stored.CannotReplay:
        return False
    beside = match_beside_staff(inputs, is_credited=affiliate_id is not None)
    return beside is None or not beside.verdict.is_credited


def assigned_fields(
    referral: OrderReferral, inputs: Inputs, assignment: Assignment
) -> dict[str, Any]:
    """The columns of the order's referral after staff's assignment."""
    is_both = inputs.policy.terms.claim_policy is ClaimPolicy.BOTH
    external = inputs.external
    if is_both and referral.integration_id is None:
        # The visitor's id is stored only if the integration was to be notified.
        external = tuple(touch._replace(visitor_id="") for touch in external)
    decision = rules.decide(
        replace(
            inputs,
            external=external,
            order=inputs.order._replace(assignment=assignment),
        )
    )
    fields = decision_fields(decision)
    return (
        fields if decision.notified is not None else {**fields, **external_fields(None)}
    )
