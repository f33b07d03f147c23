"""The writers of webhooks and their secrets."""

from __future__ import annotations

import base64
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from affiliates.integrations.delivery.services import resume_deliveries
from affiliates.integrations.models import Webhook
from affiliates.integrations.providers.webhook import (
    PREVIOUS_SECRET,
    PREVIOUS_UNTIL,
    SECRET,
    WEBHOOK,
)
from affiliates.integrations.secrets import SecretsUnreadable, decrypt, encrypt

SECRET_PREFIX = "whsec_"  # noqa: S105 - the standard's mark of a secret
SECRET_BYTES = 32
# Time to give the new secret to the receiver; both sign meanwhile.
OVERLAP = timedelta(days=1)


@sensitive_variables()
def add_webhook(webhook: Webhook) -> str:
    """Store a new webhook. Returns its secret, which nobody can read again."""
    secret = _new_secret()
    webhook.provider = WEBHOOK
    webhook.secrets = encrypt({SECRET: secret})
    webhook.save()
    return secret


@sensitive_variables()
@transaction.atomic
def rotate_secret(webhook_id: int, *, now: datetime) -> str:
    """Give the webhook a new secret, returned this once; the old one signs for a day too.

    Done twice, nothing is signed with a secret that has leaked.
    """
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=webhook_id)
    secret, old = _new_secret(), _secret_of(webhook)
    config = {**webhook.config, PREVIOUS_UNTIL: (now + OVERLAP).isoformat()}
    if not old:
        del config[PREVIOUS_UNTIL]
    webhook.config = config
    webhook.secrets = encrypt(
        {SECRET: secret, PREVIOUS_SECRET: old} if old else {SECRET: secret}
    )
    webhook.save(update_fields=["config", "secrets"])
    resume_deliveries(webhook, now=now)
    return secret


def _new_secret() -> str:
    key = base64.b64encode(secrets.token_bytes(SECRET_BYTES))
    return f"{SECRET_PREFIX}{key.decode()}"


@sensitive_variables()
def _secret_of(webhook: Webhook) -> str:
    """The present one; "" where the keys that could read it are gone."""
    try:
        return decrypt(webhook.secrets).get(SECRET, "")
    except SecretsUnreadable:
        return ""
