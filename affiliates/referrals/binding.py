"""Binds a client who registers to the sender in their cookie, permanently."""

from __future__ import annotations

from datetime import datetime

from affiliates.contracts import Client
from affiliates.db.accounts import key_of
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.services import queue_deliveries
from affiliates.outbox.types import ConversionFacts, NewDelivery, Operation
from affiliates.referrals import evidence
from affiliates.referrals.evidence import Evidence
from affiliates.referrals.models import ClientReferral
from affiliates.referrals.row_fields import external_fields
from affiliates.referrals.rules.identity import RegistrationStep
from affiliates.referrals.rules.types import ExternalTouch
from affiliates.referrals.selectors import binding_of
from affiliates.webhooks.announce import Fact, FactKind, announce


def bind_client(
    client: Client,
    referral_cookie: str | None,
    *,
    step: RegistrationStep,
    may_be_bound: bool = False,
    at: datetime,
    now: datetime,
) -> None:
    """Binds the client, who registered ``at``; queues a full client as a lead.

    Nothing happens while the brand is inactive: a later call may still bind the client.
    Nor for a guest without an account: the cookie counts at the order.
    ``may_be_bound``: by an earlier step, or by an earlier call of the same. That
    binding stays, and its sender is considered for the lead too.
    """
    known = evidence.gather(
        client, brand_id=client.brand_id, referral_cookie=referral_cookie, now=at
    )
    if not known.brand.is_active or key_of(client.id) is None:
        return
    _bind_to_sender(known, step=step, at=at, now=now)
    if not client.is_guest:
        _tell_of_first(known, at=at, now=now)
    if known.integration_id is not None and not client.is_guest:
        binding = None
        if may_be_bound:
            binding = binding_of(client, brand_id=client.brand_id)
        sender = evidence.external_sender(known, binding=binding, now=at)
        if sender is not None:
            _notify_lead(client, sender, at=at, now=now)


def _bind_to_sender(
    known: Evidence, *, step: RegistrationStep, at: datetime, now: datetime
) -> None:
    own = evidence.own_sender(known, now=at)
    external = evidence.external_sender(known, now=at)
    if known.cookie is None or (own is None and external is None):
        return
    # A client who is bound already keeps that binding.
    ClientReferral.objects.bulk_create(
        [
            ClientReferral(
                brand_id=known.brand.id,
                client_id=known.client.id,
                affiliate_id=None if own is None else own.affiliate_id,
                click_id=None if own is None else own.click_id,
                visitor_id=known.cookie.visitor_id,
                touched_at=None if own is None else own.touched_at,
                bound_at=at,
                step=step,
                **external_fields(external),
            )
        ],
        ignore_conflicts=True,
    )
    if own is not None:
        bound = ClientReferral.objects.get(client__pk=known.client.id)
        if (bound.affiliate_id, bound.bound_at) == (own.affiliate_id, at):
            _announce(bound, code=own.affiliate_code, now=now)


def _announce(referral: ClientReferral, *, code: str, now: datetime) -> None:
    subject = f"client:{referral.pk}"
    fact = Fact(
        kind=FactKind.CLIENT_REFERRED,
        brand_id=referral.brand_id,
        affiliate_id=referral.affiliate_id,
        subject=subject,
        key=subject,
        data={
            "referral_id": referral.pk,
            "client_ref": str(referral.client_id),
            "affiliate": code,
            "step": referral.step,
            "registered_at": referral.bound_at.isoformat(),
        },
    )
    announce([fact], now=now)


def _tell_of_first(known: Evidence, *, at: datetime, now: datetime) -> None:
    own = evidence.own_sender(known, now=at)
    if own is None:
        return
    sent = ClientReferral.objects.filter(affiliate_id=own.affiliate_id)
    if [
        str(client_id) for client_id in sent.values_list("client_id", flat=True)[:2]
    ] == [known.client.id]:
        news = News(
            kind=EmailKind.FIRST_REFERRAL,
            brand_id=known.brand.id,
            affiliate_id=own.affiliate_id,
            # Per client: keyed by affiliate, two first ones would wait for each other.
            fact=f"{own.affiliate_id}:{known.client.id}",
        )
        notify_affiliates([news], now=now)


def _notify_lead(
    client: Client, sender: ExternalTouch, *, at: datetime, now: datetime
) -> None:
    lead = ConversionFacts(
        kind=Operation.LEAD,
        order_ref=client.id,
        occurred_at=at,
        customer_ref=client.id,
        ip=sender.ip,
        user_agent=sender.user_agent,
        affiliate=sender.affiliate,
    )
    queue_deliveries(
        TrackingIntegration.objects.get(pk=sender.integration_id),
        [NewDelivery(lead, reference=client.id)],
        visitor_ref=sender.visitor_id,
        known_since=at,
        now=now,
    )
