from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from affiliates.errors import StateConflict
from affiliates.payouts import details
from affiliates.payouts.details import Details
from affiliates.payouts.emails import enqueue_destination_changed
from affiliates.payouts.models import PayoutDestination
from affiliates.payouts.rules import INACTIVE, NOT_OFFERED, DestinationKind, usable_from
from affiliates.payouts.selectors import current_destination, terms_of
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.records import lock


@transaction.atomic
def change_destination(
    *, affiliate_id: int, kind: DestinationKind, given: Mapping[str, str], now: datetime
) -> PayoutDestination:
    """Pay the affiliate there from now on, after the cool-off unless it is the first.

    The client, and the PayPal address until now if it was ever paid to, get an
    e-mail, queued in this transaction.
    The destination that holds already changes nothing. Raises InvalidInput with the
    field at fault, StateConflict for a suspended affiliate or a kind that the brand
    does not offer.
    """
    checked = details.check_details(kind, given)
    # What one affiliate does to its payouts waits for each other.
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
        details=details.seal_details(checked),
        hint=details.hint_of(kind, checked),
        fingerprint=details.fingerprint_of(kind, checked),
        usable_from=usable_from(is_first=current is None, terms=terms, now=now),
        created_at=now,
    )
    enqueue_destination_changed(destination, now=now)
    return destination


def _is_same(
    current: PayoutDestination, kind: DestinationKind, checked: Details
) -> bool:
    if current.kind != kind:
        return False
    try:
        return details.open_details(current.details) == checked
    except StateConflict:
        # What cannot be read cannot be paid to either: it is given anew.
        return False
