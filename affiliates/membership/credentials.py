"""The consequences for affiliates when the credentials of their client change."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from affiliates.adapter import get_adapter
from affiliates.contracts import CredentialsChange, CredentialsChanged
from affiliates.errors import NotFound
from affiliates.membership.emails import notify_of_change
from affiliates.payouts.services.destinations import cool_off
from affiliates.program.access import AccessEnd, end_access
from affiliates.program.models import Affiliate

# The affiliate is told of them; its keys and payouts go on.
OF_SECOND_FACTOR = frozenset(
    {
        CredentialsChange.SECOND_FACTOR_ON,
        CredentialsChange.SECOND_FACTOR_OFF,
        CredentialsChange.RECOVERY_CODES,
    }
)


@transaction.atomic
def record_change(event: CredentialsChanged, *, now: datetime) -> None:
    """Implements host_events.credentials_changed. Repeats at the same moment are harmless."""
    client = get_adapter().get_client(event.client_id)
    if client is None:
        raise NotFound
    # Keys are made under this lock too: none is made in between and left out.
    known = Affiliate.objects.select_for_update(of=("self",), no_key=True)
    for affiliate in known.filter(user_id=client.id).order_by("pk"):
        keys, paid_from = 0, None
        if event.change not in OF_SECOND_FACTOR:
            keys = end_access([affiliate.pk], why=AccessEnd.CREDENTIALS, now=now)
            if event.change is not CredentialsChange.LOGGED_OUT:
                paid_from = cool_off(affiliate, now=now)
        if keys or paid_from or event.change in OF_SECOND_FACTOR:
            notify_of_change(
                affiliate,
                event,
                recipient=client.email,
                keys=keys,
                paid_from=paid_from,
                now=now,
            )
