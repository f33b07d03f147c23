from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.db.records import lock
from affiliates.errors import StateConflict
from affiliates.payouts import details
from affiliates.payouts.emails import enqueue_destination_changed
from affiliates.payouts.models import PayoutDestination
from affiliates.payouts.providers.protocol import Details
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.rules import INACTIVE, NOT_OFFERED, usable_from
from affiliates.payouts.selectors import current_destination, terms_of
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus


@transaction.atomic
def change_destination(
    *,
    affiliate_id: int,
    kind: str,
    values: Mapping[str, str],
    now: datetime,
    entered_by_id: Any = None,
) -> PayoutDestination:
    """Changes the destination, with a cool-off unless it is the first.

    ``entered_by_id``: the staff member who does it; None: the affiliate itself.
    The client, and the former PayPal address if it was ever paid to, get an e-mail,
    queued in this transaction. The current destination given again changes nothing.
    Raises InvalidInput with the wrong field, StateConflict for a suspended affiliate or
    a kind that the brand does not offer.
    """
    provider = PROVIDERS.get(kind)
    if provider is None:
        raise StateConflict(*NOT_OFFERED)
    checked = provider.check(values)
    # Serialises an affiliate's changes to its payouts.
    affiliate = lock(Affiliate, affiliate_id)
    if affiliate.status == AffiliateStatus.SUSPENDED:
        raise StateConflict(*INACTIVE)
    terms = terms_of(affiliate.brand_id)
    if kind not in terms.kinds:
        raise StateConflict(*NOT_OFFERED)
    current = current_destination(affiliate_id)
    if current is not None and _is_same(current, kind, checked):
        return current
    destination = PayoutDestination.objects.create(
        affiliate=affiliate,
        kind=kind,
        details=details.ACCOUNTS.seal(checked),
        hint=provider.hint(checked),
        fingerprint=details.fingerprint_of(kind, checked),
        usable_from=usable_from(is_first=current is None, terms=terms, now=now),
        created_at=now,
        entered_by_id=entered_by_id,
    )
    enqueue_destination_changed(destination, now=now)
    return destination


def cool_off(affiliate: Affiliate, *, now: datetime) -> datetime:
    """Restarts the brand's cool-off for the locked affiliate; returns its end."""
    until = now + terms_of(affiliate.brand_id).cool_off
    until = max(until, affiliate.cools_off_until or until)
    affiliate.change(cools_off_until=until)
    return until


def _is_same(current: PayoutDestination, kind: str, checked: Details) -> bool:
    if current.kind != kind:
        return False
    try:
        return details.ACCOUNTS.open(current.details) == checked
    except StateConflict:
        # An unreadable destination cannot be paid to either: it must be given again.
        return False
