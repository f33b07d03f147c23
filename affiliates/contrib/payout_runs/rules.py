"""When a run is due, who may approve it, and what a line of an answer does. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

from django.db.models import TextChoices

from affiliates.contrib.payout_runs.types import (
    BatchPayout,
    Entry,
    Known,
    KnownBatch,
    Said,
)
from affiliates.core.money import amount_text, decimal_text, minor_amount
from affiliates.payouts.providers.registry import label_of
from affiliates.payouts.rules import PayoutStatus, Refusal


class RunStatus(TextChoices):
    DRAFTING = "drafting", "Being drafted"
    DRAFT = "draft", "Draft"
    APPROVED = "approved", "Approved"
    CLOSED = "closed", "Closed"
    DISCARDED = "discarded", "Discarded"

    @property
    def is_draft(self) -> bool:
        return self in (RunStatus.DRAFTING, RunStatus.DRAFT)


class LineOutcome(TextChoices):
    """Why a balance is in a run or left out. Includes the codes of the core's refusals."""

    SET_ASIDE = "set_aside", "Paid by schedule"
    ASKED = "asked", "Asked for by the affiliate"
    STARTED = "started", "Started by staff"
    INACTIVE = "affiliate_inactive", "Not active"
    OPEN_PAYOUT = "payout_open", "A payout is under way"
    NO_DESTINATION = "no_destination", "No destination"
    NOT_OFFERED = "kind_not_offered", "The brand does not pay that way"
    NOT_PAID_THERE = "currency_not_paid_there", "The destination takes another currency"
    COOLING_OFF = "destination_cooling_off", "Destination changed recently"
    BELOW_MINIMUM = "below_minimum", "Below the minimum"
    FORFEITED = "balance_forfeited", "Given up or forfeited"
    REQUIREMENT = "requirement", "A requirement is not met"
    HELD = "held", "Held"
    NEGATIVE = "negative_balance", "Negative balance"

    @property
    def is_paid(self) -> bool:
        return self in (LineOutcome.SET_ASIDE, LineOutcome.ASKED, LineOutcome.STARTED)

    @classmethod
    def of_requested(cls, *, is_by_affiliate: bool) -> LineOutcome:
        """The outcome of a payout that was requested before its run."""
        return cls.ASKED if is_by_affiliate else cls.STARTED


class Step(TextChoices):
    """The effect of an answer's line on a payout."""

    CONFIRM = "confirm", "Paid"
    REJECT = "reject", "Failed: payable again"
    RETURN = "return", "Returned: payable again"
    NOTHING = "nothing", "Known already"
    WAIT = "wait", "Not decided yet"
    UNMATCHED = "unmatched", "Unmatched"


class Verdict(NamedTuple):
    step: Step
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A line compared with the last run's, in minor units; 0 if a run lacks it."""

    affiliate: str
    currency: str
    before: int
    now: int


def due_period(*, first_run_on: date | None, today: date) -> date | None:
    """The latest day on which a run was due: monthly, on the day of the first."""
    if first_run_on is None or today < first_run_on:
        return None
    if today.day < first_run_on.day:
        today = today.replace(day=1) - timedelta(days=1)
    return today.replace(day=first_run_on.day)


def judge_left_out(
    *, payable: int, held: int, currency: str, refusal: Refusal
) -> tuple[LineOutcome, str]:
    """The main reason, and its sentence."""
    if payable < 0:
        text = f"{amount_text(-payable, currency)} were taken back after a payout."
        return LineOutcome.NEGATIVE, text
    if payable == 0:
        return LineOutcome.HELD, f"{amount_text(held, currency)} is held."
    is_known = refusal.code in LineOutcome.values
    outcome = LineOutcome(refusal.code) if is_known else LineOutcome.REQUIREMENT
    return outcome, refusal.detail


def differences(
    before: Mapping[tuple[str, str], int], now: Mapping[tuple[str, str], int]
) -> list[Difference]:
    """Each affiliate's difference from the last run, the largest first."""
    groups = [
        Difference(
            affiliate=key[0],
            currency=key[1],
            before=before.get(key, 0),
            now=now.get(key, 0),
        )
        for key in sorted(before.keys() | now.keys())
        if before.get(key, 0) != now.get(key, 0)
    ]
    return sorted(groups, key=lambda row: -abs(row.now - row.before))


def judge_entry(entry: Entry, payout: Known | None, *, kind: str) -> Verdict:
    """Reference, amount and currency must all match the payout, or nothing is done."""
    if payout is None:
        return Verdict(Step.UNMATCHED, _judge_stranger(entry))
    name = f"Payout {payout.number}"
    if payout.kind != kind:
        label = label_of(payout.kind)
        return Verdict(Step.UNMATCHED, f"{name} is paid otherwise: {label}.")
    if not payout.is_in_a_file:
        return Verdict(Step.UNMATCHED, f"{name} was never in a file.")
    amount = minor_amount(entry.amount, entry.currency)
    if amount != payout.amount or entry.currency != payout.currency:
        said = f"{entry.amount} {entry.currency}".strip() or "no amount"
        is_of = amount_text(payout.amount, payout.currency)
        return Verdict(Step.UNMATCHED, f"{name} is of {is_of}, the file says {said}.")
    return _judge_said(entry, payout, name)


def entries_of_batch(entry: Entry, batch: KnownBatch) -> list[Entry]:
    """A line about a whole batch as one for each of its payouts.

    The sum and the number must be those of all its payouts, or of those that were not
    rejected before. Otherwise it stays one line, for a person.
    """
    kept = tuple(payout for payout in batch.payouts if not payout.is_rejected)
    for payouts in (batch.payouts, kept):
        if payouts and _is_of(entry, payouts, batch.currency):
            break
    else:
        text = (
            f"Batch {batch.number} is of {_sum_text(batch.payouts, batch.currency)}, "
            f"the file says {_said_of(entry)}."
        )
        return [replace(entry, said=Said.UNCLEAR, reason=_joined(text, entry.reason))]
    reason = entry.reason
    if entry.said is Said.PAID:
        reason = (
            f"Batch {batch.number}, {_sum_text(payouts, batch.currency)}: sum equal."
        )
    return [
        replace(
            entry,
            reference=payout.reference,
            amount=decimal_text(payout.amount, batch.currency),
            currency=batch.currency,
            reason=reason,
            is_batch=False,
            count=None,
        )
        for payout in payouts
    ]


def offered_batches(entry: Entry, batches: Iterable[KnownBatch]) -> Entry:
    """A booked sum that names nothing, with the open batches that it may pay."""
    if entry.said is not Said.PAID:
        return entry
    texts = []
    for batch in batches:
        kept = tuple(payout for payout in batch.payouts if not payout.is_rejected)
        is_open = any(payout.is_open for payout in kept)
        if (
            is_open
            and entry.currency == batch.currency
            and _is_of(entry, kept, batch.currency)
        ):
            texts.append(f"batch {batch.number}, {_sum_text(kept, batch.currency)}")
    if not texts:
        return entry
    reason = (
        f"The sum equals {' and '.join(texts)}. If this is its booking, choose Confirm "
        "all as paid on the page of the batch."
    )
    return replace(entry, said=Said.UNCLEAR, reason=reason)


def _is_of(entry: Entry, payouts: Sequence[BatchPayout], currency: str) -> bool:
    """Whether the line's sum and number, if it has them, are those of the payouts."""
    total = sum(payout.amount for payout in payouts)
    return (
        (not entry.amount or minor_amount(entry.amount, currency) == total)
        and entry.currency in ("", currency)
        and entry.count in (None, len(payouts))
    )


def _sum_text(payouts: Sequence[BatchPayout], currency: str) -> str:
    total = amount_text(sum(payout.amount for payout in payouts), currency)
    return f"{_counted(len(payouts))}, {total}"


def _counted(count: int) -> str:
    return f"{count} payout" if count == 1 else f"{count} payouts"


def _said_of(entry: Entry) -> str:
    number = "" if entry.count is None else f"{_counted(entry.count)}, "
    amount = f"{entry.amount} {entry.currency}".strip() or "no amount"
    return f"{number}{amount}"


def _joined(*texts: str) -> str:
    return " ".join(filter(None, texts))


def _judge_stranger(entry: Entry) -> str:
    """Why a line is of no payout that we know."""
    if entry.said is Said.UNCLEAR and entry.is_batch:
        return entry.reason
    if not entry.reference:
        return "The line names no payout."
    kind = "payout or batch" if entry.is_batch else "payout"
    text = f"No {kind} of this brand has the reference {entry.reference}."
    return _joined(text, entry.reason)


def _judge_said(entry: Entry, payout: Known, name: str) -> Verdict:
    status = PayoutStatus(payout.status)
    label = status.label.lower()
    match entry.said:
        case Said.WAITING:
            return Verdict(Step.WAIT, entry.reason)
        case Said.UNCLEAR:
            return Verdict(Step.UNMATCHED, entry.reason)
        case Said.PAID if status is PayoutStatus.EXPORTED:
            return Verdict(Step.CONFIRM, entry.reason)
        case Said.PAID if payout.paid_by_this_answer:
            text = f"{name} is paid by an earlier line: was it paid twice?"
            return Verdict(Step.UNMATCHED, text)
        case Said.PAID if status is PayoutStatus.PAID:
            return Verdict(Step.NOTHING)
        case Said.PAID:
            return Verdict(
                Step.UNMATCHED, f"{name} is {label}: was it paid all the same?"
            )
    reason = entry.reason or f"{entry.said.label}, no reason given."
    if status is PayoutStatus.EXPORTED:
        return Verdict(Step.REJECT, reason)
    if status is PayoutStatus.PAID:
        return Verdict(Step.RETURN, reason)
    return Verdict(Step.NOTHING, f"{name} is {label} already.")
