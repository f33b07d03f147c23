from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from affiliates.admin_tools.base import ReadOnlyAdmin
from affiliates.admin_tools.columns import (
    coloured_column,
    column,
    moment,
    page_link,
    row_column,
)
from affiliates.admin_tools.confirmation import totals_of
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.payout_runs import run_admin
from affiliates.contrib.payout_runs.admin_actions import (
    AnswerActions,
    PayoutsIntoRun,
)
from affiliates.contrib.payout_runs.forms import RunTermsForm
from affiliates.contrib.payout_runs.models import (
    PayoutAnswer,
    PayoutAnswerLine,
)
from affiliates.contrib.payout_runs.rules import Step
from affiliates.contrib.payout_runs.services.answers import STATUS_AFTER, preview_answer
from affiliates.errors import AffiliatesError
from affiliates.payouts.admin import PayoutAdmin
from affiliates.payouts.batch_admin import PayoutBatchAdmin
from affiliates.payouts.models import Payout, PayoutBatch, PayoutTerms
from affiliates.payouts.selectors import grouped
from affiliates.payouts.terms_admin import PayoutTermsAdmin

__all__ = ["run_admin"]

SHOWN = 50
STEP_COLOURS = {
    Step.CONFIRM: "success",
    Step.REJECT: "danger",
    Step.RETURN: "danger",
    Step.UNMATCHED: "warning",
}


@register_page(Payout)
class PayoutWithRunsAdmin(PayoutsIntoRun, PayoutAdmin):
    actions: ClassVar = (*PayoutAdmin.actions[:1], "make_run", *PayoutAdmin.actions[1:])


@register_page(PayoutAnswer)
class PayoutAnswerAdmin(AnswerActions, ReadOnlyAdmin):
    about = (
        "What the bank and PayPal say became of payouts. Read a file, look at what each "
        "line would do, apply it. The same file twice changes nothing."
    )
    nothing_yet = "Read a file of the bank's or PayPal's."
    list_display = ("name", "brand", "kind", "entry_count", "uploaded", "applied")
    list_filter = ("kind", "brand")
    list_select_related = ("brand",)
    actions_list: ClassVar = ("upload",)
    actions_detail: ClassVar = ("apply",)
    change_form_outer_before_template = "affiliates/admin/payout_answer.html"
    fields = (
        ("brand", "kind"),
        ("uploaded", "uploaded_by"),
        ("applied", "applied_by"),
        "fingerprint",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[PayoutAnswer]:
        """Excludes the files and their entries: only a preview needs them."""
        answers: QuerySet[PayoutAnswer] = super().get_queryset(request)
        return answers.defer("content", "entries")

    def beside(self, row: PayoutAnswer) -> dict[str, Any]:
        shown: dict[str, Any] = {"answer": row, "shown": SHOWN}
        if row.applied_at is not None or row.applied_by_id is not None:
            steps = Counter(row.lines.values_list("step", flat=True))
            return shown | {"counts": _counts(steps)}
        try:
            lines = list(preview_answer(row))
        except AffiliatesError as error:
            return shown | {"fault": error.detail}
        steps = Counter(verdict.step for _, _, verdict in lines)
        # Lines that staff must check come first.
        lines.sort(key=lambda line: list(Step).index(line[2].step), reverse=True)
        return shown | {
            "counts": _counts(steps),
            "lines": [
                (entry, payout, verdict, STEP_COLOURS.get(verdict.step, "default"))
                for entry, payout, verdict in islice(lines, SHOWN)
            ],
            "sums": [
                (step.label, totals)
                for step in STATUS_AFTER
                if (
                    totals := totals_of(
                        (payout.currency, payout.amount)
                        for _, payout, verdict in lines
                        if payout and verdict.step is step
                    )
                )
            ],
        }

    fingerprint = row_column("SHA-256", lambda row: grouped(row.digest))
    uploaded = column("uploaded_at", "Read", show=moment, ordering="id")
    applied = column("applied_at", "Applied", show=moment)


@register_page(PayoutAnswerLine)
class PayoutAnswerLineAdmin(ReadOnlyAdmin):
    about = "What each line of an answer said, and what it did."
    nothing_yet = "Rows appear when an answer is applied."
    list_display = (
        "position",
        "answer",
        "reference",
        "worth",
        "said",
        "coloured_step",
        "reason",
        "paid_by",
    )
    list_filter = ("step", "said", "answer__brand")
    list_select_related = ("answer", "payout")
    search_fields = ("=reference", "=remote_ref")
    search_help_text = "Reference, ours or theirs"
    fields = (
        ("answer", "position"),
        ("reference", "remote_ref"),
        ("worth", "said"),
        ("step", "reason"),
        "paid_by",
    )

    worth = row_column("Amount", lambda row: f"{row.amount} {row.currency}".strip())
    coloured_step = coloured_column("step", "Did", STEP_COLOURS)
    paid_by = column("payout", "Payout", show=page_link)


@register_page(PayoutTerms)
class RunTermsAdmin(PayoutTermsAdmin):
    form = RunTermsForm
    fieldsets = (
        *PayoutTermsAdmin.fieldsets[:-1],
        ("Payout runs", {"fields": ("first_run_on", "runs_approve_themselves")}),
        *PayoutTermsAdmin.fieldsets[-1:],
    )


def _counts(steps: Counter[str]) -> list[tuple[str, Step, int]]:
    return [(step.label, step, steps[step]) for step in Step if steps[step]]


@register_page(PayoutBatch)
class RunFileAdmin(PayoutBatchAdmin):
    list_display = (
        *PayoutBatchAdmin.list_display[:4],
        "of_run",
        *PayoutBatchAdmin.list_display[4:],
    )
    list_select_related = (*PayoutBatchAdmin.list_select_related, "in_run__run")
    fields: ClassVar[tuple[Any, ...]] = (*PayoutBatchAdmin.fields, "of_run")

    @admin.display(description="Run")
    def of_run(self, batch: PayoutBatch) -> str:
        link = getattr(batch, "in_run", None)
        return "-" if link is None else page_link(link.run)
