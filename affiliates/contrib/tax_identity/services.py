"""Identities are given by affiliates or staff; a background job asks VIES."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction

from affiliates.contrib.tax_identity import details
from affiliates.contrib.tax_identity.models import TaxIdentity, ViesAnswer
from affiliates.contrib.tax_identity.rules import ViesAnswerKind
from affiliates.contrib.tax_identity.selectors import (
    identity_on,
    readable_details,
    today_of,
)
from affiliates.contrib.tax_identity.vies import ask_vies
from affiliates.db.records import lock
from affiliates.errors import StateConflict
from affiliates.outbox.http.client import Transport
from affiliates.outbox.sending.exchange import CallSender
from affiliates.payouts.rules import INACTIVE
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

ASKED_AGAIN_AFTER = timedelta(hours=1)
FINAL = (ViesAnswerKind.VALID, ViesAnswerKind.INVALID)


@transaction.atomic
def change_identity(
    *,
    affiliate_id: int,
    values: Mapping[str, str],
    valid_from: date | None = None,
    now: datetime,
    entered_by_id: Any = None,
) -> TaxIdentity:
    """Adds a version that is valid from the day, or from today.

    ``entered_by_id``: the staff member who does it; None: the affiliate itself.
    The version of that day given again changes nothing. Raises InvalidInput with the
    wrong field, StateConflict for a suspended affiliate.
    """
    checked = details.check_details(values)
    affiliate = lock(Affiliate, affiliate_id)
    if affiliate.status == AffiliateStatus.SUSPENDED:
        raise StateConflict(*INACTIVE)
    day = valid_from or today_of(affiliate, now=now)
    current = identity_on(affiliate_id, day)
    if current is not None and readable_details(current) == checked:
        return current
    return TaxIdentity.objects.create(
        affiliate=affiliate,
        valid_from=day,
        details=details.IDENTITIES.seal(checked),
        hint=details.hint_of(checked),
        is_for_vies=details.is_for_vies(checked),
        created_at=now,
        entered_by_id=entered_by_id,
    )


@register(
    "vies",
    every=timedelta(minutes=10),
    does="Asks VIES whether new VAT IDs are valid, and again after an hour where it "
    "could not be asked.",
    needs="Outgoing HTTPS to ec.europa.eu.",
)
def ask_about_new(now: Clock, should_stop: ShouldStop) -> str:
    return ask_waiting(clock=now, should_stop=should_stop)


def ask_waiting(
    *,
    clock: Callable[[], datetime],
    should_stop: Callable[[], bool],
    sender: CallSender | None = None,
) -> str:
    """Outside any transaction: an answer may take seconds. Returns a summary."""
    waiting = _waiting(now=clock())
    if not waiting:
        return ""
    carrier: AbstractContextManager[CallSender]
    carrier = Transport() if sender is None else nullcontext(sender)
    count = 0
    with carrier as opened:
        for identity in waiting:
            if should_stop():
                break
            count += _ask(identity, sender=opened, now=clock())
    return f"Answers of VIES stored: {count}." if count else ""


def _waiting(*, now: datetime) -> list[TaxIdentity]:
    answered = ViesAnswer.objects.filter(kind__in=FINAL)
    lately = ViesAnswer.objects.filter(asked_at__gt=now - ASKED_AGAIN_AFTER)
    asked_about = TaxIdentity.objects.filter(
        is_for_vies=True, affiliate__brand__identity_terms__asks_vies=True
    )
    return list(
        asked_about.exclude(details="")
        .exclude(pk__in=answered.values("identity"))
        .exclude(pk__in=lately.values("identity"))
        .select_related("affiliate__brand__identity_terms")
        .order_by("pk")
    )


def _ask(identity: TaxIdentity, *, sender: CallSender, now: datetime) -> bool:
    """Whether the identity could be read, and an answer was stored."""
    opened = readable_details(identity)
    if opened is None:
        return False
    requester = identity.affiliate.brand.identity_terms.own_vat_id
    reply = ask_vies(opened["vat_id"], requester=requester, sender=sender)
    ViesAnswer.objects.create(
        identity=identity, kind=reply.kind, reference=reply.reference, asked_at=now
    )
    return True
