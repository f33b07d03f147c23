"""An affiliate's e-mails, the kinds it wants, and the client of an e-mail."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from affiliates.adapter import get_adapter
from affiliates.contracts import ClientDetails
from affiliates.emails.kinds import KINDS, chosen_kinds, is_optional
from affiliates.emails.models import Email, EmailChoice
from affiliates.emails.types import EmailDelivery, EmailKind
from affiliates.outbox.queue.rules import NEEDS_A_PERSON, QueueState

# A failed one is listed too: its text can still be read.
WAS_TRIED = (QueueState.SENT, *NEEDS_A_PERSON)


class Readers(NamedTuple):
    """The affiliates of several e-mails: their clients, and the kinds they turned off.
    ``clients`` is by the host's id, ``refused`` has pairs of affiliate and kind."""

    clients: Mapping[str, ClientDetails]
    refused: frozenset[tuple[int, str]]


class Choice(NamedTuple):
    """``label`` says when the kind is sent, in the viewer's language.

    ``always`` says why a kind cannot be turned off, if so.
    """

    kind: EmailKind
    label: str
    always: str
    delivery: EmailDelivery
    deliveries: Sequence[EmailDelivery]


def choices_of(affiliate_id: int) -> list[Choice]:
    """Every kind that affiliates get, in the order of an affiliate's life."""
    chosen = dict(
        EmailChoice.objects.filter(affiliate_id=affiliate_id).values_list(
            "kind", "delivery"
        )
    )
    return [
        Choice(
            kind,
            str(KINDS[kind].about),
            str(KINDS[kind].always),
            _delivery(kind, chosen.get(kind)),
            KINDS[kind].deliveries,
        )
        for kind in chosen_kinds()
    ]


def delivery_of(affiliate_id: int, kind: EmailKind) -> EmailDelivery:
    chosen = EmailChoice.objects.filter(affiliate_id=affiliate_id, kind=kind)
    return _delivery(kind, chosen.values_list("delivery", flat=True).first())


def _delivery(kind: EmailKind, chosen: str | None) -> EmailDelivery:
    offered = KINDS[kind].deliveries
    return next((language for language in offered if language == chosen), offered[0])


def refusals_of(email: Email) -> QuerySet[EmailChoice]:
    """The affiliate's choices against its kind, or against kinds of a digest."""
    kind, affiliate_id = email.kind, email.affiliate_id
    if affiliate_id is None or not is_optional(kind):
        return EmailChoice.objects.none()
    kinds = list(email.values or {}) if kind == EmailKind.DIGEST else [kind]
    return EmailChoice.objects.filter(
        affiliate_id=affiliate_id, kind__in=kinds, delivery=EmailDelivery.NEVER
    )


def wanted_sums(digest: Email) -> dict[str, Any]:
    """The sums of a digest, without those of kinds turned off in the meantime."""
    refused = set(refusals_of(digest).values_list("kind", flat=True))
    sums: dict[str, Any] = digest.values or {}
    return {kind: value for kind, value in sums.items() if kind not in refused}


def emails_to(affiliate_id: int) -> QuerySet[Email]:
    """E-mails to the client, newest first, without those to another address."""
    sent = Email.objects.filter(affiliate_id=affiliate_id, state__in=WAS_TRIED)
    elsewhere = Q(key__endswith=":paypal") | Q(key__endswith=":former")
    return sent.exclude(elsewhere).order_by("-created_at", "-pk")


def amounts_of(email: Email) -> list[dict[str, Any]]:
    """The figure of a written e-mail, one amount for each currency."""
    figure = KINDS[EmailKind(email.kind)].figure if email.kind else None
    kept = (email.facts or {}).get(figure.value) if figure else None
    return kept if isinstance(kept, list) else [kept] if kept else []


def readers_of(emails: Collection[Email]) -> Readers:
    """Asks the host and the choices once for all these e-mails."""
    affiliates = [email.affiliate for email in emails if email.affiliate is not None]
    refused = EmailChoice.objects.filter(
        affiliate__in=affiliates, delivery=EmailDelivery.NEVER
    )
    ids = {str(affiliate.user_id) for affiliate in affiliates}
    return Readers(
        clients=get_adapter().client_details(ids) if ids else {},
        refused=frozenset(refused.values_list("affiliate_id", "kind")),
    )


def client_of(email: Email, *, readers: Readers | None = None) -> ClientDetails:
    """Empty if the affiliate was deleted or the host does not know the client.

    Of staff only the language is asked for. ``readers`` are those of a batch; without
    them the host is asked.
    """
    if email.kind and KINDS[EmailKind(email.kind)].is_for_staff:
        return ClientDetails(language=get_adapter().staff_language(email.recipient))
    if email.affiliate is None:
        return ClientDetails()
    client_id = str(email.affiliate.user_id)
    asked = get_adapter().client_details
    clients = asked([client_id]) if readers is None else readers.clients
    return clients.get(client_id, ClientDetails())
