"""A bank's or PayPal's answer: stored once, previewed, then applied line by line.

Each line has its own transaction, in which it is judged again under the payout's lock
and writes a row: an interrupted answer continues where it stopped, and no line is
applied twice.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import orjson
from django.db import transaction

from affiliates.contrib.payout_runs.answer_files import limited, read_answer
from affiliates.contrib.payout_runs.models import (
    MAX_SENTENCE,
    MAX_TEXT,
    PayoutAnswer,
    PayoutAnswerLine,
)
from affiliates.contrib.payout_runs.rules import (
    Step,
    Verdict,
    judge_entry,
)
from affiliates.contrib.payout_runs.selectors import known, known_payouts
from affiliates.contrib.payout_runs.services.batches import spread_batches
from affiliates.contrib.payout_runs.types import Entry, Known, Said
from affiliates.db.records import lock
from affiliates.errors import AffiliatesError, InvalidInput
from affiliates.payouts.details import decrypt, encrypt
from affiliates.payouts.models import MAX_REASON, MAX_REMOTE_REF, Payout
from affiliates.payouts.providers.references import payout_number
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import reject_payout
from affiliates.payouts.services.returns import return_payout
from affiliates.payouts.services.steps import lock_payouts

MAX_NAME = 100
STATUS_AFTER = {
    Step.CONFIRM: PayoutStatus.PAID,
    Step.REJECT: PayoutStatus.REJECTED,
    Step.RETURN: PayoutStatus.RETURNED,
}


def keep_answer(
    *, brand_id: int, name: str, content: bytes, actor_id: Any, now: datetime
) -> PayoutAnswer:
    """Stores the file without applying it; returns the stored one if it is the same.

    It is read once, here: reading a large file takes seconds. Raises InvalidInput for
    a file that cannot be read or is beyond the limits.
    """
    digest = hashlib.sha256(content).hexdigest()
    kind, lines = read_answer(content)
    entries = limited(spread_batches(lines, brand_id=brand_id))
    if not entries:
        raise InvalidInput("no_entries", "The file says nothing of any payment.")
    answer, _ = PayoutAnswer.objects.get_or_create(
        brand_id=brand_id,
        digest=digest,
        defaults={
            "kind": kind,
            "name": name[:MAX_NAME] or "answer",
            "content": encrypt(base64.b64encode(content).decode()),
            "entries": encrypt(orjson.dumps(entries).decode()),
            "entry_count": len(entries),
            "uploaded_at": now,
            "uploaded_by_id": actor_id,
        },
    )
    return answer


def preview_answer(
    answer: PayoutAnswer,
) -> Iterator[tuple[Entry, Known | None, Verdict]]:
    """Shows the current effect of applying it, line by line. Writes nothing."""
    entries = entries_of(answer)
    payouts = known_payouts(entries, brand_id=answer.brand_id)
    for entry in entries:
        number = payout_number(entry.reference)
        payout = None if number is None else payouts.get(number)
        verdict = judge_entry(entry, payout, kind=answer.kind)
        if payout is not None and verdict.step in STATUS_AFTER:
            payouts[payout.number] = replace(
                payout,
                status=STATUS_AFTER[verdict.step],
                paid_by_this_answer=verdict.step is Step.CONFIRM,
            )
        yield entry, payout, verdict


def entries_of(answer: PayoutAnswer) -> list[Entry]:
    """The order of application: payments before their returns."""
    read = orjson.loads(decrypt(answer.entries))
    entries = [
        Entry(**{**stored_entry, "said": Said(stored_entry["said"])})
        for stored_entry in read
    ]
    return sorted(entries, key=lambda entry: entry.said is not Said.PAID)


def begin_answer(*, answer_id: int, actor_id: Any) -> PayoutAnswer:
    """Marks the answer as being applied; any process may continue it."""
    with transaction.atomic():
        answer = lock(PayoutAnswer, answer_id)
        if answer.applied_by_id is None:
            answer.change(applied_by_id=actor_id)
    return answer


def apply_answer(
    *,
    answer_id: int,
    clock: Callable[[], datetime],
    should_stop: Callable[[], bool],
) -> PayoutAnswer:
    """Applies the remaining lines until told to stop. A repeat changes nothing."""
    answer = PayoutAnswer.objects.get(pk=answer_id)
    applied = set(answer.lines.values_list("position", flat=True))
    for position, entry in enumerate(entries_of(answer), start=1):
        if position in applied:
            continue
        if should_stop():
            return answer
        _apply(answer_id, position, entry, now=clock())
    with transaction.atomic():
        answer = lock(PayoutAnswer, answer_id)
        if answer.applied_at is None:
            answer.change(applied_at=clock())
    return answer


@transaction.atomic
def _apply(answer_id: int, position: int, entry: Entry, *, now: datetime) -> None:
    answer = lock(PayoutAnswer, answer_id)
    if answer.lines.filter(position=position).exists():
        return
    number = payout_number(entry.reference)
    of_brand = Payout.objects.filter(brand_id=answer.brand_id, pk=number or 0)
    payouts = lock_payouts(list(of_brand.values_list("pk", flat=True)))
    payout = payouts[0] if payouts else None
    facts = known(payout, answer=answer) if payout else None
    verdict = judge_entry(entry, facts, kind=answer.kind)
    if payout is not None and verdict.step in STATUS_AFTER:
        try:
            with transaction.atomic():
                _act(payout.pk, entry, verdict, actor_id=answer.applied_by_id, now=now)
        except AffiliatesError as error:
            verdict = Verdict(Step.UNMATCHED, error.detail)
    PayoutAnswerLine.objects.create(
        answer=answer,
        position=position,
        said=entry.said,
        reference=entry.reference[:MAX_TEXT],
        amount=entry.amount[:40],
        currency=entry.currency[:10],
        remote_ref=entry.remote_ref[:MAX_TEXT],
        step=verdict.step,
        reason=verdict.reason[:MAX_SENTENCE],
        payout=payout if verdict.step is not Step.UNMATCHED else None,
        at=now,
    )


def _act(
    payout_id: int, entry: Entry, verdict: Verdict, *, actor_id: Any, now: datetime
) -> None:
    who = {"payout_id": payout_id, "actor_id": actor_id, "now": now}
    if verdict.step is Step.CONFIRM:
        reference = (entry.remote_ref or entry.reference)[:MAX_REMOTE_REF]
        confirm_payout(reference=reference, **who)
        return
    act = reject_payout if verdict.step is Step.REJECT else return_payout
    act(reason=verdict.reason[:MAX_REASON], **who)
