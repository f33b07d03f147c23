"""What persons, providers that call and a restore decide about batches that are sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from affiliates.errors import StateConflict, required_text
from affiliates.outbox.queue import services as queue
from affiliates.outbox.queue.rules import QueueState, TryResult
from affiliates.payouts.models import MAX_REASON, Payout
from affiliates.payouts.sending.services import give_back
from affiliates.payouts.sending_models import PayoutAccount, PayoutSending

NOT_SENT = "Not sent, as a person has found at the provider."
RESTORED = "The database was restored: look for the reference at the provider."


def look_up_now(sendings: QuerySet[PayoutSending], *, now: datetime) -> bool:
    """Makes sendings due that are not under way and whose payouts were not given back.

    Also wakes those that were wholly decided: money may have come back since. What was
    never answered is sent again, as long as ``rules.next_step`` allows it.
    """
    given_back = Q(state=QueueState.NOT_SENT) | Q(state=QueueState.FAILED)
    rows = sendings.exclude(state=QueueState.SENDING).exclude(given_back, remote_id="")
    return bool(queue.queue_again(rows, state=QueueState.UNCLEAR, now=now))


def wake(*, provider: str, remote_id: str, now: datetime) -> bool:
    """Looks a batch up because its provider calls, whose words are not trusted.

    ``remote_id`` is the provider's number of the batch, or of a paid payout.
    """
    paid = Payout.objects.filter(remote_ref=remote_id, batch__isnull=False)
    known = PayoutSending.objects.filter(
        Q(remote_id=remote_id) | Q(batch__in=paid.values("batch")),
        account__provider=provider,
    )
    return look_up_now(known, now=now)


@transaction.atomic
def resolve_unsent(
    sending_id: int, *, reason: str, actor_id: Any, now: datetime
) -> int:
    """Records that a person found nothing of the batch at the provider.

    Its payouts can be sent anew. Returns their number. Raises StateConflict for a batch
    that a process may be sending, or that the provider is known to have.
    """
    reason = required_text(reason, field="reason", most=MAX_REASON)
    rows = PayoutSending.objects.select_for_update(of=("self",), no_key=True)
    sending = rows.select_related("batch").get(pk=sending_id)
    if sending.remote_id or sending.next_at or sending.state != QueueState.UNCLEAR:
        raise StateConflict(
            "batch_not_unclear", "Only a batch that waits for a person can be unsent."
        )
    queue.finish(
        sending,
        TryResult(QueueState.NOT_SENT, NOT_SENT),
        now=now,
        rows=PayoutSending.objects.filter(pk=sending.pk),
    )
    return give_back(sending.batch, reason=reason, actor_id=actor_id, now=now)


def release_account(account_id: int) -> None:
    """Sends new payouts again: a person has compared what was sent before the restore."""
    PayoutAccount.objects.filter(pk=account_id).update(held_since=None)


def hold_accounts(*, restored_at: datetime) -> int:
    """Sends nothing new after a restore until a person has compared."""
    return PayoutAccount.objects.filter(created_at__lte=restored_at).update(
        held_since=restored_at
    )


def doubt_batches(*, restored_at: datetime) -> int:
    """Leaves batches to a person that may have been sent since the backup.

    They may also have been refused since, and their payouts sent in another batch. A
    first try may be as old as the batch, and no refusal is final. Returns their number.
    """
    rows = PayoutSending.objects.filter(
        created_at__lte=restored_at, next_at__isnull=False, remote_id=""
    )
    return rows.update(
        state=QueueState.UNCLEAR,
        next_at=None,
        detail=RESTORED,
        sent_at=Coalesce("sent_at", "created_at"),
    )
