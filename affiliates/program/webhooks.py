"""An active affiliate's own webhook, similar to a brand's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from affiliates.program.services import lock_active
from affiliates.webhooks import services as webhooks
from affiliates.webhooks.models import Webhook


@sensitive_variables()
@transaction.atomic
def set_webhook(
    *,
    affiliate_id: int,
    address: str,
    kinds: Sequence[str],
    is_active: bool,
    now: datetime,
) -> tuple[Webhook, str]:
    """Calls set_webhook_of. Raises StateConflict unless the affiliate is active."""
    affiliate = lock_active(affiliate_id)
    return webhooks.set_webhook_of(
        affiliate_id,
        brand_id=affiliate.brand_id,
        address=address,
        kinds=kinds,
        is_active=is_active,
        now=now,
    )


@sensitive_variables()
@transaction.atomic
def rotate_webhook_secret(*, affiliate_id: int, now: datetime) -> str:
    """Calls rotate_secret_of. Raises StateConflict unless the affiliate is active."""
    lock_active(affiliate_id)
    return webhooks.rotate_secret_of(affiliate_id, now=now)


@transaction.atomic
def send_test(*, affiliate_id: int, now: datetime) -> None:
    """Calls send_test_of. Raises StateConflict unless the affiliate is active."""
    lock_active(affiliate_id)
    webhooks.send_test_of(affiliate_id, now=now)
