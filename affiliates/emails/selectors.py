"""An affiliate's e-mails, the kinds it wants, and the client of an e-mail."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Q, QuerySet

from affiliates.adapter import get_adapter
from affiliates.contracts import ClientDetails
from affiliates.emails.kinds import KINDS
from affiliates.emails.models import Email, EmailChoice
from affiliates.emails.types import EmailKind
from affiliates.queue.rules import NEEDS_A_PERSON, QueueState

# A failed one is listed too: its text can still be read.
WAS_TRIED = (QueueState.SENT, *NEEDS_A_PERSON)


class Choice(NamedTuple):
    """``label`` says when the kind is sent, in the viewer's language.

    ``always`` says why a kind cannot be turned off, if so.
    """

    kind: EmailKind
    label: str
    always: str
    is_wanted: bool


def choices_of(affiliate_id: int) -> list[Choice]:
    """Every kind that affiliates get, in the order of an affiliate's life."""
    chosen = dict(
        EmailChoice.objects.filter(affiliate_id=affiliate_id).values_list(
            "kind", "is_wanted"
        )
    )
    return [
        Choice(
            kind,
            str(known.about),
            str(known.always),
            chosen.get(kind, True) or not known.is_optional,
        )
        for kind, known in KINDS.items()
        if not known.is_for_staff
    ]


def refusals_of(email: Email) -> QuerySet[EmailChoice]:
    """The affiliate's choice against its kind; empty if it may be sent."""
    kind, affiliate_id = email.kind, email.affiliate_id
    is_optional = bool(kind) and KINDS[EmailKind(kind)].is_optional
    if affiliate_id is None or not is_optional:
        return EmailChoice.objects.none()
    return EmailChoice.objects.filter(
        affiliate_id=affiliate_id, kind=kind, is_wanted=False
    )


def emails_to(affiliate_id: int) -> QuerySet[Email]:
    """E-mails to the client, newest first, without those to another address."""
    sent = Email.objects.filter(affiliate_id=affiliate_id, state__in=WAS_TRIED)
    elsewhere = Q(key__endswith=":paypal") | Q(key__endswith=":former")
    return sent.exclude(elsewhere).order_by("-created_at", "-pk")


def client_of(email: Email) -> ClientDetails:
    """Empty if the affiliate was deleted or the host does not know the client."""
    if email.affiliate is None:
        return ClientDetails()
    client_id = str(email.affiliate.user_id)
    return get_adapter().client_details([client_id]).get(client_id, ClientDetails())
