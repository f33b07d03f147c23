"""The only writer of affiliates' choices of e-mails."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from affiliates.emails.kinds import KINDS, optional_kinds
from affiliates.emails.models import Email, EmailChoice
from affiliates.emails.selectors import choices_of
from affiliates.emails.types import EmailDelivery, EmailKind
from affiliates.errors import InvalidInput


@transaction.atomic
def set_choices(
    affiliate_id: int, choices: Mapping[str, str], *, now: datetime
) -> None:
    """Sets when the affiliate gets which kinds of e-mail from now on.

    Applies to waiting e-mails too. Raises InvalidInput for an unknown kind, one that
    cannot be turned off, and a delivery that the kind does not have.
    """
    for kind in sorted(choices.keys() - optional_kinds()):
        raise InvalidInput(
            "kind_not_optional", "This is no kind that can be chosen.", field=kind
        )
    for kind, delivery in sorted(choices.items()):
        if delivery not in KINDS[EmailKind(kind)].deliveries:
            raise InvalidInput(
                "delivery_unknown", "This kind is not sent that way.", field=kind
            )
    for kind, delivery in choices.items():
        EmailChoice.objects.update_or_create(
            affiliate_id=affiliate_id,
            kind=kind,
            defaults={"delivery": delivery, "changed_at": now},
        )


def unsubscribe(
    affiliate_id: int, email: Email, *, from_all: bool, now: datetime
) -> None:
    """Turns off the e-mail's kind, those of a digest, or all that may be."""
    kinds = [EmailKind(email.kind)]
    if email.kind == EmailKind.DIGEST:
        choices = choices_of(affiliate_id)
        kinds = [choice.kind for choice in choices if choice.delivery.is_digest]
    chosen = optional_kinds() if from_all else kinds
    set_choices(affiliate_id, dict.fromkeys(chosen, EmailDelivery.NEVER), now=now)
