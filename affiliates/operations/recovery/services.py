"""Makes the rows of a promoted or restored database safe to work on.

Such a database lacks its last transactions, but not what they caused outside: sales at
providers, e-mails, printed numbers, files at the bank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from affiliates.emails.services import doubt_emails
from affiliates.operations.health.findings import counted
from affiliates.operations.recovery.models import Recovery
from affiliates.operations.recovery.selectors import to_reconcile
from affiliates.outbox.doubt import doubt_deliveries
from affiliates.payouts.sending.decisions import doubt_batches, hold_accounts
from affiliates.payouts.services.skipping import skip_statement_numbers
from affiliates.signals import database_restored


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """``by_hand`` names what only a person can compare. ``ran_at`` is set if done before."""

    done: Sequence[str]
    by_hand: Sequence[str]
    ran_at: datetime | None = None


def recover(
    *, restored_at: datetime, numbers: int, now: datetime, is_dry: bool
) -> Recovered:
    """Puts everything that may have left the house in doubt, in one transaction.

    Concerns rows from before ``restored_at``, the moment at which this database began
    to be written again. Changes nothing for a moment that was recovered from before, or
    if ``is_dry``.
    """
    with transaction.atomic():
        known = Recovery.objects.filter(restored_at__gte=restored_at).first()
        if known is not None:
            return Recovered(ran_at=known.ran_at, **known.report)
        # Before the changes: afterwards nothing is open.
        by_hand = list(to_reconcile())
        done = list(_recover(restored_at=restored_at, numbers=numbers, now=now))
        Recovery.objects.create(
            restored_at=restored_at,
            numbers=numbers,
            report={"done": done, "by_hand": by_hand},
            ran_at=now,
        )
        transaction.set_rollback(is_dry)
    return Recovered(done=done, by_hand=by_hand)


def _recover(*, restored_at: datetime, numbers: int, now: datetime) -> Iterator[str]:
    sales = doubt_deliveries(restored_at=restored_at, now=now)
    yield f"{counted(sales.looked_up, 'delivery', 'deliveries')} to be looked up."
    yield (
        f"{counted(sales.held, 'delivery', 'deliveries')} unclear, for a person to "
        "look up."
    )
    emails = doubt_emails(restored_at=restored_at, now=now)
    yield f"{counted(emails, 'e-mail', 'e-mails')} unclear: not sent again by itself."
    accounts = hold_accounts(restored_at=restored_at)
    yield (
        f"{counted(accounts, 'payout account sends', 'payout accounts send')} nothing "
        "new, until a person has compared and says so on its page."
    )
    batches = doubt_batches(restored_at=restored_at)
    yield (
        f"{counted(batches, 'payout batch', 'payout batches')} unclear, for a person to "
        "look up."
    )
    series = skip_statement_numbers(numbers, restored_at=restored_at)
    yield (
        f"{counted(numbers, 'number', 'numbers')} of payout statements left out in "
        f"{counted(series, 'series', 'series')}."
    )
    for _, said in database_restored.send(Recovery, numbers=numbers, now=now):
        yield from said or ()
