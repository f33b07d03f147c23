"""Registration and conversion: the host does its part, and the referral is stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from affiliates.adapter import get_adapter
from affiliates.brands.selectors import reported_brand
from affiliates.contracts import (
    Client,
    ClientRegistered,
    ClientRegistration,
    GuestRegistration,
    Order,
    OrderConversion,
    OrderPlaced,
    PreparedConversion,
    RegisteredClient,
    RegistrationCompletion,
)
from affiliates.db.transactions import joins_request, joins_transaction
from affiliates.encrypted.addresses import ADDRESS_KEPT
from affiliates.errors import InvalidInput, NotAllowed, NotFound, StateConflict
from affiliates.referrals import evidence
from affiliates.referrals.announcements import announce_referral
from affiliates.referrals.assignments import (
    assigned_fields,
    is_assigned,
    named_by_staff,
    replayable_inputs,
)
from affiliates.referrals.binding import bind_client
from affiliates.referrals.candidates import record_candidates
from affiliates.referrals.models import (
    MAX_REASON,
    ClientReferral,
    DecisionOverride,
    OrderReferral,
)
from affiliates.referrals.row_fields import (
    client_fields,
    decision_fields,
    external_fields,
)
from affiliates.referrals.rules.identity import RegistrationStep
from affiliates.referrals.rules.types import Assignment, EventResult


@joins_request
def register_client(
    *, registration: ClientRegistration, referral_cookie: str | None, now: datetime
) -> RegisteredClient:
    """Creates the client and binds it to its cookie's sender."""
    registered = get_adapter().register_client(registration, now=now)
    step = RegistrationStep.REGISTER
    bind_client(registered.client, referral_cookie, step=step, at=now, now=now)
    return registered


@joins_request
def register_guest(
    *, registration: GuestRegistration, referral_cookie: str | None, now: datetime
) -> RegisteredClient:
    """Creates the guest and binds it to its cookie's sender."""
    registered = get_adapter().register_guest(registration, now=now)
    bind_client(
        registered.client, referral_cookie, step=RegistrationStep.GUEST, at=now, now=now
    )
    return registered


@joins_request
def complete_registration(
    *,
    completion: RegistrationCompletion,
    caller_id: str,
    origin_brand_id: int | None,
    referral_cookie: str | None,
    now: datetime,
) -> RegisteredClient:
    """Makes the guest a client. An existing binding stays; otherwise it may get one.

    Raises NotFound when the caller is another client, and NotAllowed when the request
    comes from another brand's client area.
    """
    if completion.client_id != caller_id:
        raise NotFound
    registered = get_adapter().complete_registration(completion, now=now)
    _require_same_brand(registered.client.brand_id, origin_brand_id)
    bind_client(
        registered.client,
        referral_cookie,
        step=RegistrationStep.COMPLETE,
        may_be_bound=True,
        at=now,
        now=now,
    )
    return registered


@transaction.atomic
def record_registration(
    event: ClientRegistered, *, referral_cookie: str | None, now: datetime
) -> EventResult:
    """Binds a client who registered with the host, as of that moment.

    Raises NotFound for an unknown client or brand, NotAllowed for another brand's.
    """
    client = _client_of_brand(event.client_id, brand_id=event.brand_id)
    at = min(event.registered_at, now)
    is_guest = client.is_guest
    bind_client(
        client,
        referral_cookie,
        step=RegistrationStep.GUEST if is_guest else RegistrationStep.REGISTER,
        may_be_bound=True,
        at=at,
        now=now,
    )
    return evidence.result_of(referral_cookie, brand_id=client.brand_id, at=at)


def prepare_conversion(
    conversion: OrderConversion, *, origin_brand_id: int | None, now: datetime
) -> PreparedConversion:
    """The order, which the host has locked and checked.

    Raises as the host's ``prepare_conversion``, and NotAllowed for another brand's
    Origin.
    """
    prepared = get_adapter().prepare_conversion(conversion, now=now)
    _require_same_brand(prepared.brand_id, origin_brand_id)
    return prepared


def placed_order(event: OrderPlaced, *, now: datetime) -> PreparedConversion:
    """The order that the host has placed, dated ``now`` if the host's clock is ahead.

    Raises NotFound for an unknown client, NotAllowed for a client of another brand.
    """
    order = Order(
        order_ref=event.order_ref,
        brand_id=event.brand_id,
        client=_client_of_brand(event.client_id, brand_id=event.brand_id),
        created_at=event.created_at or event.placed_at,
        client_paid_before=event.client_paid_before,
        coupon_codes=event.coupon_codes,
        affiliate_code=event.affiliate_code,
    )
    return PreparedConversion(
        order=order,
        invoice_ref=event.invoice_ref,
        converted_at=min(event.placed_at, now),
    )


def is_placed(placed: PreparedConversion) -> bool:
    """Whether the order is known, with this client and initial invoice.

    Raises StateConflict if the order or the invoice is known with others.
    """
    known = OrderReferral.objects.filter(
        Q(order_ref=placed.order_ref) | Q(invoice_ref=placed.invoice_ref),
        brand_id=placed.brand_id,
    )
    order = {
        (row.order_ref, row.invoice_ref, row.guest_ref or str(row.client_id))
        for row in known
    }
    if order <= {(placed.order_ref, placed.invoice_ref, placed.order.client.id)}:
        return bool(order)
    raise StateConflict(
        "order_placed_otherwise",
        "This order has another initial invoice or client, or this invoice is of "
        "another order.",
    )


@joins_transaction
def attribute_order(
    prepared: PreparedConversion,
    *,
    binding: ClientReferral | None,
    referral_cookie: str | None,
    ip_prefix: str,
    at: datetime,
    now: datetime,
) -> None:
    """Decides who is credited for the order, placed ``at``; stores the decision.

    The caller has locked the order and knows that it has no referral. ``binding`` is
    the client's, ``ip_prefix`` the network of the request, if there is one.
    """
    order = prepared.order
    known = evidence.gather(
        order.client,
        brand_id=order.brand_id,
        referral_cookie=referral_cookie,
        binding=binding,
        order=order,
        now=at,
    )
    decision = evidence.decide(known, order, now=at)
    referral = OrderReferral.objects.create(
        brand_id=order.brand_id,
        order_ref=order.order_ref,
        invoice_ref=prepared.invoice_ref,
        **client_fields(order.client),
        referral_cookie=(referral_cookie or "") if known.cookie else "",
        # Of an order that is reported late, it would be emptied at once.
        ip_prefix=ip_prefix if now - prepared.converted_at < ADDRESS_KEPT else "",
        policy_version_id=decision.inputs.policy.version_id,
        converted_at=prepared.converted_at,
        **decision_fields(decision),
        **external_fields(decision.notified),
    )
    record_candidates(referral)
    announce_referral(referral, winner=decision.winner, now=now)


@transaction.atomic
def override_order(
    *,
    referral_id: int,
    affiliate_id: int | None,
    reason: str,
    actor_id: Any,
    now: datetime,
) -> OrderReferral:
    """Assigns the order to an affiliate, or with None to nobody. A repeat is harmless.

    The decision is repeated from its own inputs and the assignment; the replaced one is
    stored. Raises NotFound for an absent order, InvalidInput without a reason or for an
    id that is no active affiliate of the brand, and StateConflict if the stored
    decision does not hold its inputs.
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
    # Locked only here: the host was asked for the client before.
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
    before_id = referral.affiliate_id
    for name, value in fields.items():
        setattr(referral, name, value)
    referral.save(update_fields=[*fields, "seal"])
    record_candidates(referral, before_id=before_id)
    announce_referral(referral, winner=named, sequence=str(override.pk), now=now)
    return referral


def _client_of_brand(client_id: str, *, brand_id: int) -> Client:
    reported_brand(brand_id)
    client = get_adapter().get_client(client_id)
    if client is None:
        raise NotFound("client_not_found", "The portal knows no such client.")
    if client.brand_id != brand_id:
        raise NotAllowed(
            "client_of_another_brand",
            f"This client belongs to another brand: get_client names {client.brand_id}, "
            f"the event {brand_id}. Correct BRAND_ID, or where the host keeps that id.",
        )
    return client


def _require_same_brand(brand_id: int, origin_brand_id: int | None) -> None:
    if origin_brand_id is not None and origin_brand_id != brand_id:
        raise NotAllowed(
            "origin_of_another_brand",
            "This belongs to another brand than the request's Origin.",
        )
