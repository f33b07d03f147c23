"""The decisions of staff on runs and on the answers of banks and PayPal."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html_join

from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.columns import money_text, page_link
from affiliates.admin_tools.confirmation import (
    Listing,
    Question,
    answer_of,
    list_rows,
    totals_of,
)
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision, already
from affiliates.contrib.payout_runs.forms import AnswerForm, BrandForm, DiscardForm
from affiliates.contrib.payout_runs.models import PayoutRun
from affiliates.contrib.payout_runs.rules import RunStatus
from affiliates.contrib.payout_runs.selectors import paid_groups
from affiliates.contrib.payout_runs.services.answers import (
    apply_answer,
    begin_answer,
    keep_answer,
)
from affiliates.contrib.payout_runs.services.approvals import approve_run, discard_run
from affiliates.contrib.payout_runs.services.drafts import (
    READY,
    draft,
    run_of_payouts,
    start_run,
)
from affiliates.errors import AffiliatesError
from affiliates.payouts.admin_actions import counted, waiting

# The longest that a page works; the worker continues with the rest.
PATIENCE_SECONDS = 15.0
DRAFTS = tuple(status for status in RunStatus if status.is_draft)


def patient() -> Callable[[], bool]:
    """Returns a function: whether the page has worked for that long."""
    end = time.monotonic() + PATIENCE_SECONDS
    return lambda: time.monotonic() > end


def due_text(run: PayoutRun) -> str:
    return date_format(run.period) if run.period else "Made by hand"


def _listing(chosen: Chosen, **more: Callable[[Any], object]) -> Listing:
    groups = {run.pk: paid_groups(run) for run in chosen.rows}
    return list_rows(
        chosen.rows.select_related("brand").order_by("pk"),
        {
            "Run": page_link,
            "Brand": lambda run: run.brand,
            "Due on": due_text,
            "Pays": lambda run: format_html_join(
                "",
                "<div>{}: {}, {}</div>",
                (
                    (
                        group.label,
                        counted(group.count),
                        money_text(group.total, group.currency),
                    )
                    for group in groups[run.pk]
                ),
            ),
            **more,
        },
        totals=totals_of(
            (group.currency, group.total) for of in groups.values() for group in of
        ),
    )


def _each(chosen: Chosen, ids: Sequence[int], act: Callable[[int], str]) -> None:
    """Shows the refusal of one run in its form; of several, beside what was done."""
    for run_id in ids:
        try:
            chosen.report(act(run_id), is_success=True)
        except AffiliatesError as refusal:
            if chosen.row is not None:
                raise
            chosen.report(f"Run {run_id}: {refusal.detail}", is_success=False)


def _approve(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    def approve(run_id: int) -> str:
        run = approve_run(run_id=run_id, actor_id=chosen.actor_id, now=timezone.now())
        if run.status == RunStatus.DRAFT:
            return f"{run}: you have looked at it. A second person approves it now."
        return f"{run} is approved. Its files are on its page."

    _each(chosen, chosen.ids, approve)


def _discard(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    def discard(run_id: int, reason: str) -> str:
        run = discard_run(
            run_id=run_id,
            reason=reason,
            actor_id=chosen.actor_id,
            now=timezone.now(),
        )
        return f"{run} is discarded."

    for reason, ids in chosen.by_reason(answers["reason"]).items():
        _each(chosen, ids, partial(discard, reason=reason))


def _apply(chosen: Chosen, answers: Mapping[str, Any]) -> str | None:
    begin_answer(answer_id=chosen.row.pk, actor_id=chosen.actor_id)
    done = apply_answer(
        answer_id=chosen.row.pk, clock=timezone.now, should_stop=patient()
    )
    if done.applied_at is not None:
        return f"{done} is applied."
    text = "It takes longer: the worker goes on with what is left."
    chosen.report(text, is_success=False)
    return None


def _make_run(chosen: Chosen, answers: Mapping[str, Any]) -> HttpResponse:
    run = run_of_payouts(
        payout_ids=chosen.ids, actor_id=chosen.actor_id, now=timezone.now()
    )
    page = "admin:affiliates_payout_runs_payoutrun_change"
    return HttpResponseRedirect(reverse(page, args=[run.pk]))


def _is_late(run: PayoutRun) -> str:
    if run.status == RunStatus.DRAFTING:
        return f"{run} is still being drafted. Look again in a minute."
    return already(run, RunStatus(run.status), run.approved_by)


APPROVE = StaffDecision(
    name="approve",
    permission="approve",
    title="Approve {rows}?",
    button="Approve",
    paragraphs=[
        "The payouts are released, and a file is written for each method and currency. "
        "The files are not changed again. Where the brand asks for a second person, the "
        "first approval of a scheduled run only prepares it."
    ],
    listing=_listing,
    waiting=lambda rows: rows.filter(status=RunStatus.DRAFT),
    is_open=lambda run: run.status == RunStatus.DRAFT,
    is_late=_is_late,
    nothing="None of these is a draft.",
    write=_approve,
)
DISCARD = StaffDecision(
    name="discard",
    permission="approve",
    title="Discard {rows}?",
    button="Discard",
    paragraphs=[
        "The money that was set aside is payable again. What affiliates or staff had "
        "started before stays requested."
    ],
    form=lambda chosen: DiscardForm(chosen.data),
    listing=lambda chosen: _listing(chosen, **chosen.own_reason()),
    waiting=lambda rows: rows.filter(status__in=DRAFTS),
    is_open=lambda run: run.status in DRAFTS,
    is_late=_is_late,
    nothing="None of these is a draft.",
    write=_discard,
)
APPLY = StaffDecision(
    name="apply",
    permission="pay",
    title="Apply {rows}?",
    button="Apply",
    paragraphs=[
        "Each line does what the preview says, judged anew at that moment. Unmatched "
        "lines do nothing."
    ],
    is_open=lambda answer: answer.applied_at is None,
    is_late=lambda answer: f"{answer}: Applied already by {answer.applied_by}.",
    write=_apply,
)
MAKE_RUN = StaffDecision(
    name="make-run",
    permission="run",
    title="Make a payout run of {rows}?",
    button="Make a draft",
    paragraphs=[
        "They become a draft, which is approved and paid as a whole. A run pays "
        "affiliates of one brand."
    ],
    write=_make_run,
    **waiting(READY),
)


class RunActions(Decides):
    """The actions on the list of runs and on the page of each."""

    has_pay_permission = requires("affiliates.confirm_payout")
    has_approve_permission = requires("affiliates.approve_payout")

    approve_selected, approve = APPROVE.on_both("Approve…")
    discard_selected, discard = DISCARD.on_both("Discard…")

    @action(description="Make a run", url_path="make", permissions=["pay"])
    def make(self, request: HttpRequest) -> HttpResponse:
        form = BrandForm(answer_of(request))
        question = Question(
            title="Make a payout run?",
            paragraphs=[
                "Everybody who can be paid now has the payable balance set aside; what "
                "affiliates asked for is taken as it is. Nothing is paid before the run "
                "is approved, and a draft can be discarded."
            ],
            button="Make a draft",
            form=form,
        )

        def write() -> HttpResponse:
            run = start_run(
                brand_id=form.cleaned_data["brand"].pk,
                period=None,
                actor_id=request.user.pk,
                now=timezone.now(),
            )
            run = draft(run, clock=timezone.now, should_stop=patient())
            return HttpResponseRedirect(self.page_of(run))

        return self.ask_or_do(request, question, write)


class AnswerActions(Decides):
    has_pay_permission = requires("affiliates.confirm_payout")

    apply = APPLY.on_row("Apply")

    @action(description="Read a file", url_path="upload", permissions=["pay"])
    def upload(self, request: HttpRequest) -> HttpResponse:
        form = AnswerForm(answer_of(request), request.FILES or None)
        question = Question(
            title="Read a file of the bank's or PayPal's?",
            paragraphs=["You see what each line would do before anything is done."],
            button="Read it",
            form=form,
        )

        def write() -> HttpResponse:
            file = form.cleaned_data["file"]
            answer = keep_answer(
                brand_id=form.cleaned_data["brand"].pk,
                name=str(file.name),
                content=file.read(),
                actor_id=request.user.pk,
                now=timezone.now(),
            )
            return HttpResponseRedirect(self.page_of(answer))

        return self.ask_or_do(request, question, write)


class PayoutsIntoRun:
    """The bulk action in the list of payouts that makes a run of the chosen ones."""

    has_run_permission = requires("affiliates.confirm_payout")

    make_run = MAKE_RUN.on_list("Make a payout run…")
