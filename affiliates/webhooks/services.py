"""Writes webhooks and their secrets."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from affiliates.brands.models.change import ConfigChange
from affiliates.brands.rules import ChangeKind
from affiliates.brands.services import record_changes
from affiliates.conf import conf
from affiliates.core.network import check_address
from affiliates.encrypted.columns import SecretUnreadable
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.outbox import payload
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import MAX_ADDRESS
from affiliates.outbox.rules import WebhookEnd
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.outbox.services import resume_deliveries
from affiliates.outbox.types import KINDS, WEBHOOK, Operation
from affiliates.webhooks.models import Webhook
from affiliates.webhooks.provider import PING, PREVIOUS_SECRET, PREVIOUS_UNTIL, SECRET

SECRET_PREFIX = "whsec_"  # noqa: S105 - the standard's mark of a secret
SECRET_BYTES = 32
# Time to give the new secret to the receiver; both secrets sign meanwhile.
OVERLAP = timedelta(days=1)
MAX_AGE_DAYS = 7


@sensitive_variables()
def add_webhook(webhook: Webhook) -> str:
    """Stores a new webhook. Returns its secret, which is never shown again."""
    secret = new_signing_secret()
    webhook.provider = WEBHOOK
    webhook.secrets = CREDENTIALS.seal({SECRET: secret})
    webhook.save()
    return secret


@sensitive_variables()
@transaction.atomic
def rotate_secret(webhook_id: int, *, now: datetime) -> str:
    """Gives the webhook a new secret, returned only now; the old one signs for a day
    too.

    Call it twice to stop signing with a leaked secret at once.
    """
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=webhook_id)
    secret, old = new_signing_secret(), _secret_of(webhook)
    config = {**webhook.config, PREVIOUS_UNTIL: (now + OVERLAP).isoformat()}
    if not old:
        del config[PREVIOUS_UNTIL]
    webhook.config = config
    webhook.secrets = CREDENTIALS.seal(
        {SECRET: secret, PREVIOUS_SECRET: old} if old else {SECRET: secret}
    )
    webhook.save(update_fields=["config", "secrets"])
    resume_deliveries(webhook, now=now)
    return secret


@sensitive_variables()
@transaction.atomic
def set_webhook_of(
    affiliate_id: int,
    *,
    brand_id: int,
    address: str,
    kinds: Sequence[str],
    is_active: bool,
    now: datetime,
) -> tuple[Webhook, str]:
    """Sets the affiliate's webhook. Returns the secret if it is new, else "".

    The caller has locked the affiliate's row and checked that it is active. Raises
    InvalidInput, with the correction, for an address that must not be called.
    """
    if len(address) > MAX_ADDRESS:
        raise InvalidInput(
            "max_length", f"At most {MAX_ADDRESS} characters are kept.", field="address"
        )
    try:
        check_address(address, allowed_hosts=conf.tracking_allowed_hosts)
    except ValueError as fault:
        raise InvalidInput("address", str(fault), field="address") from None
    webhook = _webhook_of(affiliate_id) or Webhook(
        brand_id=brand_id, affiliate_id=affiliate_id, sale_max_age_days=MAX_AGE_DAYS
    )
    webhook.address = address
    webhook.is_active, webhook.end = is_active, ""
    webhook.config = {**webhook.config, KINDS: list(kinds)}
    secret = ""
    if webhook.secrets:
        webhook.save()
    else:
        secret = add_webhook(webhook)
    resume_deliveries(webhook, now=now)
    return webhook, secret


@transaction.atomic
def forget_webhook_of(affiliate_id: int) -> None:
    """Clears its address, secret and choices. The row stays: a process may be about to
    write a delivery for it."""
    webhook = _webhook_of(affiliate_id)
    if webhook is not None:
        webhook.address, webhook.secrets, webhook.config = "", "", {}
        webhook.is_active, webhook.end = False, ""
        webhook.save()


def rotate_secret_of(affiliate_id: int, *, now: datetime) -> str:
    """Calls ``rotate_secret``. Raises NotFound if the affiliate has no webhook."""
    return rotate_secret(_required(affiliate_id).pk, now=now)


@transaction.atomic
def send_test_of(affiliate_id: int, *, now: datetime) -> None:
    """Queues an event of the type ping, sent like all others.

    Raises StateConflict while the webhook is off or an earlier ping is being sent.
    """
    webhook = _required(affiliate_id)
    if not webhook.is_active:
        raise StateConflict("webhook_off", "Switch the webhook on first.")
    waiting = Delivery.objects.filter(
        integration=webhook, visitor_ref=PING, next_at__isnull=False
    )
    if waiting.exists():
        raise StateConflict("test_waiting", "An earlier test is still on its way.")
    message_id = f"msg_{secrets.token_hex(16)}"
    Delivery.objects.create(
        brand_id=webhook.brand_id,
        integration=webhook,
        operation=Operation.EVENT,
        key=f"{PING}:{message_id}",
        visitor_ref=PING,
        payload=payload.event(
            message_id=message_id,
            kind=PING,
            occurred_at=now.astimezone(UTC),
            data={},
        ),
        next_at=now,
        created_at=now,
    )


def end_webhooks(affiliate_ids: Collection[int], *, end: WebhookEnd) -> int:
    """Turns them off until the affiliate, who must be active, turns them on."""
    active = Webhook.objects.filter(affiliate__in=affiliate_ids, is_active=True)
    count = active.update(is_active=False, end=end)
    if count:
        record_changes([ConfigChange(kind=ChangeKind.INTEGRATION)])
    return count


def _webhook_of(affiliate_id: int) -> Webhook | None:
    own = Webhook.objects.filter(affiliate=affiliate_id)
    return own.select_for_update(of=("self",), no_key=True).first()


def _required(affiliate_id: int) -> Webhook:
    webhook = _webhook_of(affiliate_id)
    if webhook is None or not webhook.address:
        raise NotFound("no_webhook", "There is no webhook.")
    return webhook


def new_signing_secret() -> str:
    """A secret in the form of Standard Webhooks."""
    key = base64.b64encode(secrets.token_bytes(SECRET_BYTES))
    return f"{SECRET_PREFIX}{key.decode()}"


@sensitive_variables()
def _secret_of(webhook: Webhook) -> str:
    """The current secret; "" if the keys that decrypt it are gone."""
    try:
        return CREDENTIALS.open(webhook.secrets).get(SECRET, "")
    except SecretUnreadable:
        return ""
