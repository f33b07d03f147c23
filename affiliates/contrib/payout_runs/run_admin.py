"""The page of a run: who is paid, its files, and how it differs from the last."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import HttpRequest

from affiliates.admin_tools.base import ReadOnlyAdmin
from affiliates.admin_tools.columns import (
    coloured_column,
    column,
    moment,
    money_text,
    page_link,
    row_column,
    row_money,
)
from affiliates.admin_tools.confirmation import totals_of
from affiliates.admin_tools.heads import HasHead, Head
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.payout_runs.admin_actions import RunActions, due_text
from affiliates.contrib.payout_runs.models import PayoutRun, PayoutRunLine
from affiliates.contrib.payout_runs.rules import LineOutcome, RunStatus
from affiliates.contrib.payout_runs.selectors import (
    difference_to_last,
    is_for_two,
    left_out_groups,
    paid_groups,
    paid_lines,
    progress_of,
)
from affiliates.payouts.rules import PayoutStatus

SHOWN = 50
RUN_COLOURS = {
    RunStatus.DRAFTING: "info",
    RunStatus.DRAFT: "warning",
    RunStatus.APPROVED: "info",
    RunStatus.CLOSED: "success",
    RunStatus.DISCARDED: "danger",
}
OUTCOME_COLOURS = {
    outcome: "success" if outcome.is_paid else "warning" for outcome in LineOutcome
}


@register_page(PayoutRun)
class PayoutRunAdmin(HasHead, RunActions, ReadOnlyAdmin):
    about = (
        "All that a brand pays at once: drafted by schedule or by hand, approved, put into "
        "files, confirmed. Open one to see who is paid and why others are not."
    )
    nothing_yet = "Make a run, or set the day of the first in the payout terms."
    list_display = (
        "number",
        "brand",
        "due",
        "coloured_status",
        "line_count",
        "created",
        "prepared_by",
        "approved_by",
    )
    list_filter = ("status", "brand")
    list_select_related = ("brand", "prepared_by", "approved_by")
    actions: ClassVar = ("approve_selected", "discard_selected")
    actions_list: ClassVar = ("make",)
    actions_detail: ClassVar = ("approve", "discard")
    change_form_outer_before_template = "affiliates/admin/payout_run.html"
    fields = (
        "reason",
        ("created", "prepared_by"),
        ("approved", "approved_by"),
        ("closed", "is_for_two"),
    )

    def head_of(self, request: HttpRequest, row: PayoutRun) -> Head:
        return Head(
            name=row,
            status=row.get_status_display(),
            colour=RUN_COLOURS[RunStatus(row.status)],
            amount=", ".join(
                totals_of((group.currency, group.total) for group in paid_groups(row))
            ),
            facts=[("Brand", row.brand), ("Due on", due_text(row))],
            note=_note(request, row),
        )

    def is_possible(self, request: HttpRequest, row: PayoutRun, path: str) -> bool:
        is_refused = path == "approve" and _is_prepared_by(request, row)
        return not is_refused and super().is_possible(request, row, path)

    def beside(self, row: PayoutRun) -> dict[str, Any]:
        last, changes = difference_to_last(row)
        groups = paid_groups(row)
        return {
            "run": row,
            "payee_count": sum(group.count for group in groups),
            "payees": [
                (
                    page_link(line.affiliate),
                    money_text(line.amount, line.currency),
                    line.destination or "-",
                    line.payout and page_link(line.payout),
                    line.payout and line.payout.get_status_display(),
                )
                for line in paid_lines(row)[:SHOWN]
            ],
            "paid": [(group, _sum(group)) for group in groups],
            "left_out": [(group, _sum(group)) for group in left_out_groups(row)],
            "files": row.files.defer("content").order_by("pk"),
            "progress": [
                (PayoutStatus(status).label, count, money_text(total, currency))
                for status, currency, count, total in progress_of(row)
            ],
            "last": last,
            "change_count": len(changes),
            "changes": [
                (
                    change.affiliate,
                    money_text(change.before, change.currency),
                    money_text(change.now, change.currency),
                )
                for change in changes[:SHOWN]
            ],
        }

    number = row_column("Run", str, ordering="pk")
    due = row_column("Due on", due_text, ordering="period")
    coloured_status = coloured_column("status", "Status", RUN_COLOURS)
    created = column("created_at", "Drafted", show=moment, ordering="id")
    approved = column("approved_at", "Approved", show=moment)
    closed = column("closed_at", "Closed", show=moment)


@register_page(PayoutRunLine)
class PayoutRunLineAdmin(ReadOnlyAdmin):
    about = "Everybody whom a run looked at: what it pays them, or why nothing."
    nothing_yet = "A row appears for each balance that a run looks at."
    list_display = (
        "affiliate",
        "run",
        "worth",
        "coloured_outcome",
        "detail",
        "where",
        "payout_status",
    )
    list_filter = ("outcome", "payout__status", "payout__destination__kind", "currency")
    list_select_related = ("affiliate", "run", "payout", "destination")
    search_fields = ("affiliate__code",)
    search_help_text = "Affiliate's code"
    fields = (
        ("run", "affiliate"),
        ("worth", "outcome"),
        "detail",
        ("paid_by", "where"),
    )

    worth = row_column("Amount", row_money)
    coloured_outcome = coloured_column("outcome", "Why", OUTCOME_COLOURS)
    where = column("destination", "Destination")
    payout_status = row_column(
        "Payout", lambda row: row.payout.get_status_display() if row.payout else "-"
    )
    paid_by = column("payout", "Payout", show=page_link)


def _is_prepared_by(request: HttpRequest, run: PayoutRun) -> bool:
    """Whether somebody else has to approve the draft."""
    is_draft = run.status == RunStatus.DRAFT
    return is_draft and run.prepared_by_id == request.user.pk and is_for_two(run)


def _note(request: HttpRequest, run: PayoutRun) -> str:
    if run.status == RunStatus.DRAFTING:
        return (
            "It is being drafted: the worker goes on with it. Look again in a minute."
        )
    if _is_prepared_by(request, run):
        return "You prepared it, so a second person has to approve it."
    if run.status == RunStatus.DRAFT and is_for_two(run):
        first = f"not {run.prepared_by}" if run.prepared_by else "after a first one"
        return f"A second person approves it: {first}, and nobody who is paid by it."
    return ""


def _sum(group: Any) -> str:
    return money_text(group.total, group.currency)
