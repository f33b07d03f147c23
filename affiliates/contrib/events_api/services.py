"""Makes and ends the keys of brands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.views.decorators.debug import sensitive_variables
from standardwebhooks import Webhook, WebhookVerificationError

from affiliates.commissions.models import Adjustment, Commission
from affiliates.commissions.rules import JOINING_KEY
from affiliates.commissions.services.adjusting import NewAdjustment, adjust
from affiliates.commissions.services.locks import lock_affiliates
from affiliates.commissions.services.staff import hold
from affiliates.contrib.events_api.models import BrandKey
from affiliates.contrib.events_api.rules import KEY_PREFIX, SIGNATURE_HEADERS
from affiliates.contrib.events_api.selectors import commissions_made
from affiliates.core.secrets.keys import new_key
from affiliates.db.records import lock
from affiliates.encrypted.columns import Credentials, register_column
from affiliates.errors import NotAllowed
from affiliates.webhooks.services import new_signing_secret

_SIGNING = Credentials(b"affiliates.brand_keys.v1")
_SECRET = "signing"  # noqa: S105 - the name of a secret

register_column("affiliates_events_api.BrandKey", "secrets", purpose=_SIGNING)


class GivenKey(NamedTuple):
    """Shown only now. ``signing_secret`` is "" for a key whose bodies are not signed."""

    key: str
    signing_secret: str


@sensitive_variables()
def give_brand_key(
    key: BrandKey, *, is_signed: bool = False, actor_id: Any, now: datetime
) -> GivenKey:
    """Stores a new key of which name, brand and scopes are filled in."""
    made = new_key(KEY_PREFIX)
    signing = new_signing_secret() if is_signed else ""
    key.secrets = _SIGNING.seal({_SECRET: signing} if signing else {})
    key.digest, key.hint = made.digest, made.hint
    key.created_at, key.made_by_id = now, actor_id
    key.save()
    return GivenKey(made.secret, signing)


@sensitive_variables()
def require_signature(
    key: BrandKey, *, headers: Mapping[str, str], body: bytes
) -> None:
    """Raises NotAllowed unless the body is signed as the key asks.

    The signature is that of Standard Webhooks, and at most five minutes old.
    """
    if not key.is_signed:
        return
    signed = {name: headers.get(name, "") for name in SIGNATURE_HEADERS}
    try:
        Webhook(_SIGNING.open(key.secrets)[_SECRET]).verify(
            body, signed, json_parse=False
        )
    # ValueError: the library decodes the body and the signature without a guard.
    except (WebhookVerificationError, ValueError):
        raise NotAllowed(
            "invalid_signature", "The body's signature is missing, wrong or too old."
        ) from None


@transaction.atomic
def hold_above_cap(
    key: BrandKey,
    *,
    order_ref: str = "",
    invoice_ref: str = "",
    refund_ref: str = "",
    now: datetime,
) -> None:
    """Holds for staff what the event of this moment earned above the key's cap.

    Called last in the transaction of the event: the key's other events wait from here.
    """
    cap = key.daily_cap
    if cap is None:
        return
    made = commissions_made(
        brand_id=key.brand_id,
        order_ref=order_ref,
        invoice_ref=invoice_ref,
        refund_ref=refund_ref,
        at=now,
    )
    # Before the key: a sale of a recruited affiliate has its earners before the key too.
    lock_affiliates({commission.affiliate_id for commission in made})
    key = lock(BrandKey, key.pk)
    # An event that began before midnight does not begin the ended day again.
    day = max(now.astimezone(UTC).date(), key.credited_on or date.min)
    credited = key.credited if key.credited_on == day else 0
    above = []
    for commission in made:
        is_within = (
            commission.currency == key.cap_currency
            and credited + commission.amount <= cap
        )
        credited += commission.amount if is_within else 0
        above += [] if is_within else [commission.pk]
    key.change(credited_on=day, credited=credited)
    if above:
        reason = f"Above the daily cap of {key.cap_text} of the key {key}."
        hold(commission_ids=above, actor_id=None, reason=reason, now=now)
        _hold_bonuses(made, above, reason=reason, now=now)


def _hold_bonuses(
    made: Collection[Commission], above: Collection[int], *, reason: str, now: datetime
) -> None:
    """Holds the joining bonuses that these commissions brought: staff release them."""
    owners = {row.affiliate_id for row in made if row.pk in above}
    keys = [JOINING_KEY.format(owner) for owner in owners]
    for bonus in Adjustment.objects.filter(key__in=keys, at=now):
        taken = NewAdjustment(
            bonus.affiliate_id,
            bonus.currency,
            -bonus.amount,
            reason,
            key=f"{bonus.key}:taken",
        )
        held = taken._replace(
            amount=bonus.amount, is_held=True, key=f"{bonus.key}:held"
        )
        adjust([taken, held], brand_id=bonus.brand_id, actor_id=None, now=now)


def revoke_brand_key(key: BrandKey, *, now: datetime) -> None:
    """Ends the key from the next call on; an ended key stays unchanged."""
    BrandKey.objects.filter(pk=key.pk, ended_at=None).update(ended_at=now)
