"""Whether the keys can be used, and open what was encrypted before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from affiliates.conf import conf
from affiliates.core.secrets.sealing import unseal
from affiliates.encrypted.columns import EncryptedColumn, encrypted_columns
from affiliates.encrypted.selectors import key_counts, opens
from affiliates.operations.health.findings import Finding, error
from affiliates.operations.health.registry import Needs, register
from affiliates.referrals.models import OrderReferral

ORDERS = 1_000


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
    """A key that is missing or wrong is wrong for all that it encrypted."""
    for column in encrypted_columns():
        counts = key_counts(column)
        for key_id, count in sorted(counts.items(), key=str):
            what = f"{count:,} of {counts.total():,} texts of {column}"
            yield from _unreadable(column, key_id, what)


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
    column: EncryptedColumn, key_id: int | None, what: str
) -> Iterator[Finding]:
    if key_id is None:
        yield error(
            "D009",
            f"{what} were not encrypted by this product.",
            "Something else wrote them: restore them from a backup, or enter them anew.",
        )
    elif conf.secret_keys.root(key_id) is None:
        yield error(
            "D009",
            f"{what} need key {key_id}, which this server does not have.",
            f"Put key {key_id} back at the end of AFFILIATES_SECRET_KEYS.",
        )
    elif not opens(column, key_id):
        yield error(
            "D009",
            f"{what} were encrypted with another key {key_id} than this server's.",
            f"Put the right key {key_id} into AFFILIATES_SECRET_KEYS: compare with your "
            "other servers, or with your backup of the keys.",
        )
