"""The balances a run considers, what it pays, and how it differs from the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.utils.functional import Promise

from affiliates.contrib.payout_runs.models import PayoutAnswer, PayoutRun, PayoutRunLine
from affiliates.contrib.payout_runs.rules import (
    Difference,
    LineOutcome,
    RunStatus,
    differences,
)
from affiliates.contrib.payout_runs.types import (
    BatchPayout,
    Entry,
    Known,
    KnownBatch,
)
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import account_balances
from affiliates.payouts.models import OPEN_STATUSES, Payout, PayoutBatch
from affiliates.payouts.providers.bank import BankTransfer
from affiliates.payouts.providers.references import (
    batch_number,
    payout_number,
    payout_reference,
)
from affiliates.payouts.providers.registry import label_of
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.selectors import needs_second_person

PAID_OUTCOMES = tuple(outcome for outcome in LineOutcome if outcome.is_paid)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Lines of a run grouped by a common value: their number and sum."""

    label: str | Promise
    currency: str
    count: int
    total: int
    filter: str


def balances_to_look_at(run: PayoutRun) -> list[tuple[int, str]]:
    """Balances that the run has not considered yet, in the order of the affiliates.

    Those with money payable or held, or with an open payout.
    """
    of_brand = Q(affiliate__brand_id=run.brand_id)
    money = (
        account_balances()
        .filter(of_brand, account__in=[Account.PAYABLE, Account.HELD])
        .exclude(balance=0)
    )
    waiting = Payout.objects.filter(of_brand, status__in=OPEN_STATUSES)
    pair = ("affiliate_id", "currency")
    seen = run.lines.order_by().values_list(*pair)
    entries = {
        *money.order_by().values_list(*pair),
        *waiting.order_by().values_list(*pair),
    }
    return sorted(entries - set(seen))


def is_in_a_run(payout: Payout) -> bool:
    lines = PayoutRunLine.objects.filter(payout=payout)
    return lines.exclude(run__status=RunStatus.DISCARDED).exists()


def paid_lines(run: PayoutRun) -> QuerySet[PayoutRunLine]:
    """The largest payment of each currency first."""
    lines = run.lines.filter(payout__isnull=False)
    related = ("affiliate", "destination", "payout")
    return lines.select_related(*related).order_by("currency", "-amount", "pk")


def is_for_two(run: PayoutRun) -> bool:
    """Whether a second person approves it: asked for then, or by the brand now."""
    return run.is_for_two or needs_second_person(run.brand_id)


def payout_ids_of(run: PayoutRun, *statuses: PayoutStatus) -> list[int]:
    payouts = Payout.objects.filter(run_lines__run=run, status__in=statuses)
    return list(payouts.order_by("pk").values_list("pk", flat=True))


def has_open_payouts(run: PayoutRun) -> bool:
    return Payout.objects.filter(run_lines__run=run, status__in=OPEN_STATUSES).exists()


def difference_to_last(run: PayoutRun) -> tuple[PayoutRun | None, list[Difference]]:
    earlier = PayoutRun.objects.filter(brand_id=run.brand_id, pk__lt=run.pk)
    kept = earlier.filter(status__in=[RunStatus.APPROVED, RunStatus.CLOSED])
    last = kept.order_by("-pk").first()
    return last, differences(_paid_by(last) if last else {}, _paid_by(run))


def paid_groups(run: PayoutRun) -> list[Group]:
    """The run's payouts, by method and currency."""
    lines = paid_lines(run)
    return _groups(run, lines, "payout__destination__kind", label_of)


def left_out_groups(run: PayoutRun) -> list[Group]:
    lines = run.lines.exclude(outcome__in=PAID_OUTCOMES)
    return _groups(run, lines, "outcome", lambda code: LineOutcome(code).label)


def progress_of(run: PayoutRun) -> list[tuple[str, str, int, int]]:
    """Progress of the run's payouts: status, currency, number and sum."""
    payouts = Payout.objects.filter(run_lines__run=run).order_by("status", "currency")
    rows = payouts.values_list("status", "currency")
    return list(rows.annotate(Count("pk"), Sum("amount")))


def known_payouts(entries: list[Entry], *, brand_id: int) -> dict[int, Known]:
    """The brand's payouts that the entries name, by number."""
    named = (payout_number(entry.reference) for entry in entries)
    numbers = {number for number in named if number is not None}
    rows = Payout.objects.filter(brand_id=brand_id, pk__in=numbers)
    return {
        payout.pk: known(payout)
        for payout in rows.select_related("affiliate", "destination")
    }


def known(payout: Payout, *, answer: PayoutAnswer | None = None) -> Known:
    return Known(
        number=payout.pk,
        status=payout.status,
        affiliate=payout.affiliate.code,
        kind=payout.destination.kind,
        amount=payout.amount,
        currency=payout.currency,
        is_in_a_file=payout.batch_id is not None,
        paid_by_this_answer=answer is not None
        and answer.lines.filter(payout=payout, step="confirm").exists(),
    )


def known_batch(reference: str, *, brand_id: int) -> KnownBatch | None:
    """The brand's batch that a bank calls by this reference of ours."""
    number = batch_number(reference) or 0
    batches = PayoutBatch.objects.filter(
        brand_id=brand_id, pk=number, reference=reference
    )
    return next(_known_batches(batches), None)


def open_batches(*, brand_id: int) -> list[KnownBatch]:
    """Files for the bank with payouts that wait for its answer."""
    batches = PayoutBatch.objects.filter(
        Exists(
            Payout.objects.filter(batch=OuterRef("pk"), status=PayoutStatus.EXPORTED)
        ),
        brand_id=brand_id,
        kind=BankTransfer.code,
    )
    return list(_known_batches(batches))


def _known_batches(batches: QuerySet[PayoutBatch]) -> Iterator[KnownBatch]:
    for batch in batches.defer("content").order_by("pk").prefetch_related("payouts"):
        yield KnownBatch(
            number=batch.pk,
            currency=batch.currency,
            payouts=tuple(
                BatchPayout(
                    reference=payout_reference(payout.pk),
                    amount=payout.amount,
                    is_open=payout.status == PayoutStatus.EXPORTED,
                    is_rejected=payout.status == PayoutStatus.REJECTED,
                )
                for payout in sorted(batch.payouts.all(), key=lambda payout: payout.pk)
            ),
        )


def _groups(
    run: PayoutRun,
    lines: QuerySet[PayoutRunLine],
    by: str,
    label: Callable[[str], str | Promise],
) -> list[Group]:
    rows = lines.order_by(by, "currency").values_list(by, "currency")
    return [
        Group(
            label=label(value),
            currency=currency,
            count=count,
            total=total,
            filter=f"run__id__exact={run.pk}&{by}__exact={value}&currency={currency}",
        )
        for value, currency, count, total in rows.annotate(Count("pk"), Sum("amount"))
    ]


def _paid_by(run: PayoutRun) -> dict[tuple[str, str], int]:
    rows = paid_lines(run).exclude(payout__status=PayoutStatus.REJECTED).order_by()
    return {
        (code, currency): amount
        for code, currency, amount in rows.values_list(
            "affiliate__code", "currency", "amount"
        )
    }
