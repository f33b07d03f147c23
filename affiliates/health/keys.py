"""Whether the keys can be used, and open what was sealed before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Manager, QuerySet

from affiliates.conf import conf
from affiliates.core.secrets.sealing import unseal
from affiliates.emails.links import LinkUnreadable, open_link
from affiliates.emails.models import Email
from affiliates.errors import StateConflict
from affiliates.health.findings import Finding, error
from affiliates.health.registry import Needs, register
from affiliates.outbox import secrets
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.payouts import details
from affiliates.payouts.models import PayoutBatch, PayoutDestination
from affiliates.referrals.models import OrderReferral

# Of the oldest rows and of the newest: a key is removed for all that it sealed.
ROWS = 200
# These bring a whole file along.
FILES = 10
ORDERS = 1_000
# Encrypted columns, what opens one, and how many are tried; apps add theirs.
STORED: list[tuple[Manager[Any], str, Callable[[str], Any], int]] = [
    (PayoutDestination.objects, "details", details.decrypt, ROWS),
    (PayoutBatch.objects, "content", details.decrypt, FILES),
    (TrackingIntegration.objects, "secrets", secrets.decrypt, ROWS),
]


@register(Needs.SETTINGS, reads=("cookie_keys",))
def cookie_keys() -> Iterator[Finding]:
    try:
        _ = conf.cookie_keys
    except ValueError as fault:
        yield error(
            "E002",
            f"AFFILIATES_COOKIE_KEYS cannot be used: {fault}",
            'Write "1:<base64 of 32 random bytes>"; newest first, comma between.',
        )


@register(Needs.SETTINGS, reads=("cookie_keys", "secret_keys"))
def secret_keys() -> Iterator[Finding]:
    with suppress(StopIteration):
        next(cookie_keys())
        return  # These are the default: said once is enough.
    try:
        _ = conf.secret_keys
    except ValueError as fault:
        yield error(
            "E007",
            f"AFFILIATES_SECRET_KEYS cannot be used: {fault}",
            "Leave it out to use the cookie keys here as well.",
        )


@register(Needs.DATABASE)
def stored_secrets(now: datetime) -> Iterator[Finding]:
    for kept in STORED:
        yield from _unreadable(*kept)
    waiting = Email.objects.filter(next_at__isnull=False)
    yield from _unreadable(waiting, "link", open_link, ROWS)


@register(Needs.DATABASE)
def cookies_in_use(now: datetime) -> Iterator[Finding]:
    """The cookies themselves are with the visitors; converted orders keep theirs."""
    closed = 0
    newest = OrderReferral.objects.order_by("-pk").select_related("brand")[:ORDERS]
    for order in newest.only("referral_cookie", "converted_at", "brand"):
        lifetime = timedelta(days=order.brand.cookie_lifetime_days)
        if not order.referral_cookie or order.converted_at + lifetime < now:
            continue
        token, brand_id = order.referral_cookie, order.brand_id
        closed += unseal(token, ring=conf.cookie_keys, brand_id=brand_id) is None
    if closed:
        yield error(
            "D010",
            f"{closed:,} of the last orders came with a cookie whose key is gone: "
            "visitors who carry such a cookie are credited to nobody.",
            "Put the removed key back at the end of AFFILIATES_COOKIE_KEYS until the "
            "cookies' lifetime has passed.",
        )


def _unreadable(
    rows: Manager[Any] | QuerySet[Any],
    column: str,
    read: Callable[[str], Any],
    limit: int,
) -> Iterator[Finding]:
    kept = rows.exclude(**{column: ""})
    ends = (kept.order_by(order)[:limit] for order in ("pk", "-pk"))
    tokens = {pk: text for end in ends for pk, text in end.values_list("pk", column)}
    closed = sum(not _opens(text, read) for text in tokens.values())
    if closed:
        named = rows.model._meta.verbose_name_plural
        yield error(
            "D009",
            f"{closed:,} of {len(tokens):,} {named} cannot be read with the keys of "
            "this server.",
            "Put the key that encrypted them back at the end of "
            "AFFILIATES_SECRET_KEYS.",
        )


def _opens(text: str, read: Callable[[str], Any]) -> bool:
    try:
        read(text)
    except (StateConflict, secrets.SecretsUnreadable, LinkUnreadable):
        return False
    return True
