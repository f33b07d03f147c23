"""Registration and conversion: the host does its part, and the referral is kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.adapter import get_adapter
from affiliates.contracts import (
    Client,
    ClientRegistration,
    ConvertedOrder,
    GuestRegistration,
    Order,
    OrderConversion,
    RegisteredClient,
    RegistrationCompletion,
)
from affiliates.errors import InvalidInput, NotAllowed, NotFound
from affiliates.integrations.delivery.services import queue_conversion
from affiliates.integrations.types import ConversionFacts, Operation
from affiliates.integrations.webhooks.announce import Fact, FactKind, announce
from affiliates.referrals import evidence
from affiliates.referrals.assignments import (
    assigned_fields,
    is_assigned,
    named_by_staff,
    replayable_inputs,
)
from affiliates.referrals.evidence import Evidence
from affiliates.referrals.models import (
    MAX_REASON,
    ClientReferral,
    DecisionOverride,
    OrderReferral,
)
from affiliates.referrals.row_fields import decision_fields, external_fields
from affiliates.referrals.rules.identity import RegistrationStep
from affiliates.referrals.rules.types import Assignment, ExternalTouch, Sender, Touch


@transaction.atomic
def register_client(
    *, registration: ClientRegistration, referral_cookie: str | None, now: datetime
) -> RegisteredClient:
    """Create the client and bind it to whoever its cookie names."""
    registered = get_adapter().register_client(registration, now=now)
    _bind(registered.client, referral_cookie, step=RegistrationStep.REGISTER, now=now)
    return registered


@transaction.atomic
def register_guest(
    *, registration: GuestRegistration, referral_cookie: str | None, now: datetime
) -> RegisteredClient:
    """Create the guest and bind it to whoever its cookie names."""
    registered = get_adapter().register_guest(registration, now=now)
    _bind(registered.client, referral_cookie, step=RegistrationStep.GUEST, now=now)
    return registered


@transaction.atomic
def complete_registration(
    *,
    completion: RegistrationCompletion,
    caller_id: str,
    origin_brand_id: int | None,
    referral_cookie: str | None,
    now: datetime,
) -> RegisteredClient:
    """Make the guest a client. A binding it has stays; without one it gets one.

    Raises NotFound when the caller is somebody else, and NotAllowed when the request
    comes from another brand's client area.
    """
    if completion.client_id != caller_id:
        raise NotFound
    registered = get_adapter().complete_registration(completion, now=now)
    _require_same_brand(registered.client.brand_id, origin_brand_id)
    _bind(registered.client, referral_cookie, step=RegistrationStep.COMPLETE, now=now)
    return registered


def order_to_convert(
    conversion: OrderConversion, *, origin_brand_id: int | None
) -> Order:
    """The host's order, which the host has locked.

    Raises NotFound for an order that is absent or another client's, NotAllowed for
    another brand's Origin.
    """
    order = get_adapter().get_order(
        conversion.order_ref, client_id=conversion.client_id
    )
    if order is None:
        raise NotFound
    _require_same_brand(order.brand_id, origin_brand_id)
    return order


@transaction.atomic
def convert_order(
    order: Order,
    conversion: OrderConversion,
    *,
    referral_cookie: str | None,
    ip_prefix: str = "",
    now: datetime,
) -> ConvertedOrder:
    """Decide whom the order is credited to, convert it, and store the decision.

    The caller has locked the order and knows that it has no referral. ``ip_prefix`` is
    the network of the request, where there is one. All is read before the host numbers
    the invoice: what its other orders may wait for then is held by inserts alone.
    """
    known = evidence.gather(
        order.client,
        brand_id=order.brand_id,
        referral_cookie=referral_cookie,
        order=order,
        now=now,
    )
    decision = evidence.decide(known, order, now=now)
    converted = get_adapter().convert_order(conversion, now=now)
    referral = OrderReferral.objects.create(
        brand_id=order.brand_id,
        order_ref=order.order_ref,
        invoice_ref=converted.invoice_ref,
        client_id=order.client.id,
        referral_cookie=(referral_cookie or "") if known.cookie else "",
        ip_prefix=ip_prefix,
        policy_version_id=decision.inputs.policy.version_id,
        converted_at=converted.converted_at,
        **decision_fields(decision),
        **external_fields(decision.notified),
    )
    _announce(referral, winner=decision.winner, now=now)
    return converted


@transaction.atomic
def override_order(
    *,
    referral_id: int,
    affiliate_id: int | None,
    reason: str,
    actor_id: Any,
    now: datetime,
) -> OrderReferral:
    """Staff give the order to an affiliate, or with None to nobody. A repeat is harmless.

    The decision is made again from its own inputs and theirs; the one it replaces is
    kept. Raises NotFound for an absent order, InvalidInput without a reason or for
    whoever is no active affiliate of the brand, and StateConflict where the stored
    decision does not hold what it was made from.
    """
    reason = reason.strip()
    if not 0 < len(reason) <= MAX_REASON:
        raise InvalidInput(
            "reason_required",
            f"Say why, in at most {MAX_REASON} characters.",
            field="reason",
        )
    referral = OrderReferral.objects.filter(pk=referral_id).first()
    if referral is None:
        raise NotFound
    named = named_by_staff(referral, affiliate_id)
    # Locked only now: the host was asked who the client is.
    referral = OrderReferral.objects.select_for_update(no_key=True).get(pk=referral_id)
    inputs = replayable_inputs(referral)
    if is_assigned(inputs, affiliate_id):
        return referral
    override = DecisionOverride.objects.create(
        referral=referral,
        affiliate_id=affiliate_id,
        reason=reason,
        replaced=referral.decision,
        actor_id=actor_id,
        at=now,
    )
    assignment = Assignment(sender=named, reason=reason, at=now)
    fields = assigned_fields(referral, inputs, assignment)
    for name, value in fields.items():
        setattr(referral, name, value)
    referral.save(update_fields=[*fields, "seal"])
    _announce(referral, winner=named, sequence=str(override.pk), now=now)
    return referral


def _announce(
    referral: OrderReferral,
    *,
    winner: Touch | Sender | None,
    sequence: str = "",
    now: datetime,
) -> None:
    """``sequence`` separates the overrides of one order."""
    subject = f"order:{referral.order_ref}"
    fact = Fact(
        kind=FactKind.REFERRAL_RECORDED,
        brand_id=referral.brand_id,
        subject=subject,
        key=f"{subject}:{sequence}" if sequence else subject,
        data={
            "order_ref": referral.order_ref,
            "invoice_ref": referral.invoice_ref,
            "outcome": referral.outcome,
            "reason": referral.reason,
            "affiliate": "" if winner is None else winner.affiliate_code,
            "converted_at": referral.converted_at.isoformat(),
        },
    )
    announce([fact], now=now)


def _require_same_brand(brand_id: int, origin_brand_id: int | None) -> None:
    if origin_brand_id is not None and origin_brand_id != brand_id:
        raise NotAllowed(
            "origin_of_another_brand",
            "This belongs to another brand than the request's Origin.",
        )


def _bind(
    client: Client,
    referral_cookie: str | None,
    *,
    step: RegistrationStep,
    now: datetime,
) -> None:
    known = evidence.gather(
        client, brand_id=client.brand_id, referral_cookie=referral_cookie, now=now
    )
    _bind_to_sender(known, step=step, now=now)
    if known.integration_id is not None and not client.is_guest:
        is_completion = step is RegistrationStep.COMPLETE
        sender = evidence.external_sender(known, with_binding=is_completion, now=now)
        if sender is not None:
            _notify_lead(client, sender, now=now)


def _bind_to_sender(known: Evidence, *, step: RegistrationStep, now: datetime) -> None:
    own = evidence.own_sender(known, now=now)
    external = evidence.external_sender(known, now=now)
    if known.cookie is None or (own is None and external is None):
        return
    # A guest that completes its registration may be bound already: that stays.
    ClientReferral.objects.bulk_create(
        [
            ClientReferral(
                brand_id=known.brand.id,
                client_id=known.client.id,
                affiliate_id=None if own is None else own.affiliate_id,
                click_id=None if own is None else own.click_id,
                visitor_id=known.cookie.visitor_id,
                touched_at=None if own is None else own.touched_at,
                bound_at=now,
                step=step,
                **external_fields(external),
            )
        ],
        ignore_conflicts=True,
    )


def _notify_lead(client: Client, sender: ExternalTouch, *, now: datetime) -> None:
    lead = ConversionFacts(
        kind=Operation.LEAD,
        order_ref=client.id,
        occurred_at=now,
        customer_ref=client.id,
        ip=sender.ip,
        user_agent=sender.user_agent,
        affiliate=sender.affiliate,
    )
    queue_conversion(
        sender.integration_id, lead, visitor_ref=sender.visitor_id, now=now
    )
