"""Registration and conversion: the host does its part, and the referral is kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from affiliates.adapter import get_adapter
from affiliates.contracts import (
    Client,
    ClientRegistered,
    ClientRegistration,
    ConvertedOrder,
    EventResult,
    GuestRegistration,
    Order,
    OrderConversion,
    OrderPlaced,
    RegisteredClient,
    RegistrationCompletion,
)
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
from affiliates.referrals.models import MAX_REASON, DecisionOverride, OrderReferral
from affiliates.referrals.row_fields import decision_fields, external_fields
from affiliates.referrals.rules.identity import RegistrationStep
from affiliates.referrals.rules.types import Assignment


@transaction.atomic
def register_client(
    *, registration: ClientRegistration, referral_cookie: str | None, now: datetime
) -> RegisteredClient:
    """Create the client and bind it to whoever its cookie names."""
    registered = get_adapter().register_client(registration, now=now)
    bind_client(
        registered.client,
        referral_cookie,
        step=RegistrationStep.REGISTER,
        at=now,
        now=now,
    )
    return registered


@transaction.atomic
def register_guest(
    *, registration: GuestRegistration, referral_cookie: str | None, now: datetime
) -> RegisteredClient:
    """Create the guest and bind it to whoever its cookie names."""
    registered = get_adapter().register_guest(registration, now=now)
    bind_client(
        registered.client, referral_cookie, step=RegistrationStep.GUEST, at=now, now=now
    )
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
    """Bind the client, who registered with the host, as of that moment.

    Raises NotFound for an unknown client or inactive brand, NotAllowed for a client of
    another brand.
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


def placed_order(event: OrderPlaced) -> Order:
    """The order that the host tells of.

    Raises NotFound for an unknown client, NotAllowed for a client of another brand.
    """
    return Order(
        order_ref=event.order_ref,
        brand_id=event.brand_id,
        client=_client_of_brand(event.client_id, brand_id=event.brand_id),
        created_at=event.created_at or event.placed_at,
        client_paid_before=event.client_paid_before,
        coupon_codes=event.coupon_codes,
    )


def placed_invoice(event: OrderPlaced, *, now: datetime) -> ConvertedOrder:
    """Its initial invoice; whatever the host's clock says, it is of now at the latest."""
    return ConvertedOrder(
        brand_id=event.brand_id,
        order_ref=event.order_ref,
        invoice_ref=event.invoice_ref,
        converted_at=min(event.placed_at, now),
        data={},
    )


def is_placed(order: Order, invoice: ConvertedOrder) -> bool:
    """Whether the order is known, of that client and with that initial invoice.

    Raises StateConflict where it, or the invoice, is known as another.
    """
    known = OrderReferral.objects.filter(
        Q(order_ref=order.order_ref) | Q(invoice_ref=invoice.invoice_ref),
        brand_id=order.brand_id,
    )
    placed = {(one.order_ref, one.invoice_ref, str(one.client_id)) for one in known}
    if placed <= {(order.order_ref, invoice.invoice_ref, order.client.id)}:
        return bool(placed)
    raise StateConflict(
        "order_placed_otherwise",
        "This order has another initial invoice or client, or this invoice is of "
        "another order.",
    )


@transaction.atomic
def attribute_order(
    order: Order,
    *,
    make_invoice: Callable[[], ConvertedOrder],
    referral_cookie: str | None,
    ip_prefix: str,
    at: datetime,
    now: datetime,
) -> ConvertedOrder:
    """Decide whom the order, placed ``at``, is credited to, and store the decision.

    The caller has locked the order and knows that it has no referral. ``ip_prefix`` is
    the network of the request, where there is one. All is read before ``make_invoice``
    has the host number the invoice: what its other orders may wait for then is held by
    inserts alone.
    """
    known = evidence.gather(
        order.client,
        brand_id=order.brand_id,
        referral_cookie=referral_cookie,
        order=order,
        now=at,
    )
    decision = evidence.decide(known, order, now=at)
    converted = make_invoice()
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
    record_candidates(referral)
    announce_referral(referral, winner=decision.winner, now=now)
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
    before_id = referral.affiliate_id
    for name, value in fields.items():
        setattr(referral, name, value)
    referral.save(update_fields=[*fields, "seal"])
    record_candidates(referral, before_id=before_id)
    announce_referral(referral, winner=named, sequence=str(override.pk), now=now)
    return referral


def _client_of_brand(client_id: str, *, brand_id: int) -> Client:
    client = get_adapter().get_client(client_id)
    if client is None:
        raise NotFound("client_not_found", "The portal knows no such client.")
    if client.brand_id != brand_id:
        raise NotAllowed(
            "client_of_another_brand", "This client belongs to another brand."
        )
    return client


def _require_same_brand(brand_id: int, origin_brand_id: int | None) -> None:
    if origin_brand_id is not None and origin_brand_id != brand_id:
        raise NotAllowed(
            "origin_of_another_brand",
            "This belongs to another brand than the request's Origin.",
        )
