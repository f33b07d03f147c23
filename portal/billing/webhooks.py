"""Messages of payment gateways, signed as Standard Webhooks describe.

An unsigned message is refused and leaves no trace. A signed one is stored before it
is believed; what became of it stays on its row.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from django.db import transaction
from standardwebhooks import Webhook, WebhookVerificationError

from affiliates.errors import AffiliatesError, InvalidInput, NotFound, StateConflict
from affiliates.extending import insert_once
from portal import gateways
from portal.billing import services
from portal.billing.models import RefundKind
from portal.billing.payment_events import EventOutcome, PaymentEvent
from portal.billing.rules import NoticeType, PaymentNotice, read_notice, readable_part

logger = logging.getLogger("portal.security")

ID_HEADER = "webhook-id"
TIMESTAMP_HEADER = "webhook-timestamp"
SIGNATURE_HEADER = "webhook-signature"
EVENT_ID = re.compile(r"[\x21-\x7e]{1,255}")
MAX_EVENT_BYTES = 65_536
# Comes right when the payment's own event arrives: the gateway is to send it again.
PASSING_FAILURES = frozenset({"not_paid"})
FINAL_OUTCOMES = frozenset(
    {EventOutcome.PROCESSED, EventOutcome.IGNORED, EventOutcome.REJECTED}
)


def receive_webhook(
    *, gateway: str, headers: Mapping[str, str], body: bytes, now: datetime
) -> PaymentEvent:
    """Store the event and do what it says, once however often it is sent.

    Raises NotFound for an unknown gateway, InvalidInput for a wrong signature, and
    StateConflict for a refund that overtook its payment.
    """
    secret = gateways.webhook_secret(gateway)
    if secret is None:
        raise NotFound
    event_id = _verify(secret, headers, body)
    event = _store(gateway=gateway, event_id=event_id, body=body, now=now)
    if event.outcome not in FINAL_OUTCOMES:
        process_event(event, now=now)
    if event.outcome == EventOutcome.DEFERRED:
        raise StateConflict(event.failure, event.failure_detail)
    return event


def process_event(event: PaymentEvent, *, now: datetime) -> None:
    """Do what a stored event says. Its outcome, or why it failed, stays on its row."""
    event.failure, event.failure_detail, event.processed_at = "", "", now
    try:
        with transaction.atomic():
            notice = read_notice(event.body)
            event.outcome = EventOutcome.IGNORED
            if notice is not None:
                _record(notice, gateway=event.gateway, now=now)
                event.outcome = EventOutcome.PROCESSED
            _keep_outcome(event)
    except AffiliatesError as error:
        is_passing = error.code in PASSING_FAILURES
        event.outcome = EventOutcome.DEFERRED if is_passing else EventOutcome.REJECTED
        event.failure, event.failure_detail = error.code, error.detail
        _keep_outcome(event)


def _keep_outcome(event: PaymentEvent) -> None:
    event.save(update_fields=["outcome", "failure", "failure_detail", "processed_at"])


def sign(*, secret: str, event_id: str, body: bytes, now: datetime) -> dict[str, str]:
    """The headers with which a gateway sends ``body``."""
    signature = Webhook(secret).sign(event_id, now, body.decode())
    return {
        ID_HEADER: event_id,
        TIMESTAMP_HEADER: str(int(now.timestamp())),
        SIGNATURE_HEADER: signature,
    }


def _verify(secret: str, headers: Mapping[str, str], body: bytes) -> str:
    """The event's id, once the signature is found right."""
    signed = {
        name: headers.get(name, "")
        for name in (ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER)
    }
    try:
        Webhook(secret).verify(body, signed, json_parse=False)
        if EVENT_ID.fullmatch(signed[ID_HEADER]) is None:
            raise ValueError("The event's id cannot be stored.")
    # ValueError: the library decodes the body and the signature without a guard.
    except (WebhookVerificationError, ValueError) as error:
        logger.warning("Signature refused")
        raise InvalidInput(
            "invalid_signature", "The webhook signature is missing, wrong or too old."
        ) from error
    return signed[ID_HEADER]


def _store(*, gateway: str, event_id: str, body: bytes, now: datetime) -> PaymentEvent:
    """Committed at once: the event is kept even when processing it breaks."""
    event = PaymentEvent(
        gateway=gateway,
        event_id=event_id,
        body=readable_part(body.decode()),
        received_at=now,
    )
    if insert_once(event):
        return event
    return PaymentEvent.objects.get(gateway=gateway, event_id=event_id)


def _record(notice: PaymentNotice, *, gateway: str, now: datetime) -> None:
    record: Callable[..., object] = services.write_payment
    if notice.type is NoticeType.REFUNDED:
        record = partial(services.write_refund, kind=RefundKind.REFUND)
    elif notice.type is NoticeType.CHARGED_BACK:
        record = partial(services.write_refund, kind=RefundKind.CHARGEBACK)
    record(
        invoice_id=notice.invoice_id,
        gateway=gateway,
        reference=notice.reference,
        amount=notice.amount,
        now=now,
    )
