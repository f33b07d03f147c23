"""Runs and answers must agree with the payouts that they pay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from affiliates.contrib.payout_runs.models import (
    PayoutAnswer,
    PayoutAnswerLine,
    PayoutRun,
    PayoutRunFile,
    PayoutRunLine,
)
from affiliates.contrib.payout_runs.rules import RunStatus, Step
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.verification.checks import CHECKS
from affiliates.verification.faults import Check, Faults, every, summed
from affiliates.verification.guards import BOTH, GUARDS, Guard
from affiliates.verification.seals import SEALED

STATUS_AFTER: Mapping[str, tuple[PayoutStatus, ...]] = {
    Step.CONFIRM: (PayoutStatus.PAID, PayoutStatus.RETURNED),
    Step.REJECT: (PayoutStatus.REJECTED,),
    Step.RETURN: (PayoutStatus.RETURNED,),
}

_PAID_BY_RUN = every(PayoutRunLine).filter(run=OuterRef("pk"), payout__isnull=False)
_OF_PAYOUT = {
    "payout__brand": F("run__brand"),
    "payout__affiliate": F("affiliate"),
    "payout__currency": F("currency"),
    "payout__amount": F("amount"),
}
_PAID_BY_ANOTHER = (
    every(PayoutRunLine)
    .filter(payout=OuterRef("payout"))
    .exclude(Q(run=OuterRef("run")) | Q(run__status=RunStatus.DISCARDED))
)
_OF_OTHERS_IN_FILES = (
    every(Payout)
    .filter(batch__in_run__run=OuterRef("pk"))
    .exclude(run_lines__run=F("batch__in_run__run"))
)


def _lines_of_run(runs: QuerySet[Any]) -> Any:
    return runs.annotate(kept=summed(every(PayoutRunLine), "run", Count("pk")))


def _lines_of_answer(answers: QuerySet[Any]) -> Any:
    return answers.annotate(kept=summed(every(PayoutAnswerLine), "answer", Count("pk")))


def _payouts(lines: QuerySet[Any]) -> Any:
    return lines.filter(payout__isnull=False)


RUNS = Faults(
    "Payout run {pk}",
    {
        "looked at {line_count} balances, but {kept} are on record.": (
            ~Q(status=RunStatus.DRAFTING) & ~Q(kept=F("line_count"))
        ),
        "pays another brand, affiliate, amount or currency than its payouts.": Exists(
            _PAID_BY_RUN.exclude(**_OF_PAYOUT)
        ),
        "pays a payout that another run pays too.": (
            ~Q(status=RunStatus.DISCARDED)
            & Exists(_PAID_BY_RUN.filter(Exists(_PAID_BY_ANOTHER)))
        ),
        "has a file with payouts that are not in the run.": (
            Exists(_OF_OTHERS_IN_FILES)
        ),
        "had to be approved by a second person, but was not.": (
            Q(status__in=(RunStatus.APPROVED, RunStatus.CLOSED), is_for_two=True)
            & (
                Q(prepared_by__isnull=True)
                | Q(approved_by__isnull=True)
                | Q(prepared_by=F("approved_by"))
            )
        ),
    },
    _lines_of_run,
)
ANSWERS = Faults(
    "Payout answer {pk} ({name})",
    {
        "has {entry_count} lines, but {kept} are on record.": (
            Q(applied_at__isnull=False) & ~Q(kept=F("entry_count"))
        ),
    },
    _lines_of_answer,
)
ANSWER_LINES = Faults(
    "Payout answer {answer_id} ({answer__name})",
    {
        "did something to a payout of another brand.": (
            ~Q(payout__brand=F("answer__brand"))
        ),
        **{
            f"did {step} to a payout that is {{payout__status}}.": (
                Q(step=step) & ~Q(payout__status__in=statuses)
            )
            for step, statuses in STATUS_AFTER.items()
        },
    },
    _payouts,
)

GUARDS += [
    Guard(PayoutRunLine, BOTH, "discard the run, or reject the payout."),
    Guard(PayoutAnswerLine, BOTH, "apply a further answer."),
]
SEALED |= {
    PayoutRun: "brand_id",
    PayoutRunLine: "run__brand_id",
    PayoutRunFile: "run__brand_id",
    PayoutAnswer: "brand_id",
    PayoutAnswerLine: "answer__brand_id",
}
CHECKS += [
    Check(label="payout runs", model=PayoutRun, rules=(RUNS,)),
    Check(label="payout answers", model=PayoutAnswer, rules=(ANSWERS,)),
    Check(
        label="lines of payout answers",
        model=PayoutAnswerLine,
        rules=(ANSWER_LINES,),
        brand="answer__brand_id",
    ),
]
