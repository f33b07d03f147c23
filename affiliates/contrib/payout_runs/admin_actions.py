"""Staff's actions on runs and answers: each asks first, then calls a service."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.base import OnlyWhatIsPossible, action, requires
from affiliates.admin_tools.columns import money_text
from affiliates.admin_tools.confirmation import (
    AsksFirst,
    JudgedOnce,
    Question,
    answer_of,
    first_ids,
)
from affiliates.contrib.payout_runs.forms import AnswerForm, BrandForm, DiscardForm
from affiliates.contrib.payout_runs.models import PayoutAnswer, PayoutRun
from affiliates.contrib.payout_runs.rules import RunStatus
from affiliates.contrib.payout_runs.selectors import paid_groups
from affiliates.contrib.payout_runs.services.answers import (
    apply_answer,
    begin_answer,
    keep_answer,
)
from affiliates.contrib.payout_runs.services.approvals import approve_run, discard_run
from affiliates.contrib.payout_runs.services.drafts import (
    draft,
    run_of_payouts,
    start_run,
)

# The longest that a page works; the worker continues with the rest.
PATIENCE_SECONDS = 15.0
PAY = ["pay"]


def patient() -> Callable[[], bool]:
    """Returns a function: whether the page has worked for that long."""
    end = time.monotonic() + PATIENCE_SECONDS
    return lambda: time.monotonic() > end


class RunActions(JudgedOnce):
    """The buttons of the list of runs, and of a run's page while it is a draft."""

    judged_already = "This run is no draft any more."

    has_pay_permission = requires("affiliates.confirm_payout")
    has_approve_permission = requires("affiliates.approve_payout")

    def is_open(self, row: PayoutRun) -> bool:
        return RunStatus(row.status).is_draft

    @action(description="Make a run", url_path="make", permissions=PAY)
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

    @action(description="Approve", url_path="approve", permissions=["approve"])
    def approve(self, request: HttpRequest, object_id: str) -> HttpResponse:
        run = self.row_of(request, object_id)
        if run.status != RunStatus.DRAFT:
            return self.refuse(request, run)
        question = Question(
            title=f"Approve {run}?",
            paragraphs=[
                "Its payouts are released, and a file is written for each method. The "
                "files are not changed again."
            ],
            facts=_sums(run),
            button="Approve",
            row=run,
        )

        def write() -> str:
            approved = approve_run(
                run_id=run.pk, actor_id=request.user.pk, now=timezone.now()
            )
            if approved.status == RunStatus.DRAFT:
                return "You have looked at it: a second person approves it now."
            return f"{approved} is approved. Its files are below."

        return self.ask_or_do(request, question, write)

    @action(description="Discard", url_path="discard", permissions=["approve"])
    def discard(self, request: HttpRequest, object_id: str) -> HttpResponse:
        run = self.row_of(request, object_id)
        if not self.is_open(run):
            return self.refuse(request, run)
        form = DiscardForm(answer_of(request))
        question = Question(
            title=f"Discard {run}?",
            paragraphs=[
                "What it set aside is payable again. What affiliates asked for "
                "themselves stays asked for."
            ],
            button="Discard",
            form=form,
            row=run,
        )

        def write() -> str:
            discard_run(
                run_id=run.pk,
                reason=form.cleaned_data["reason"],
                actor_id=request.user.pk,
                now=timezone.now(),
            )
            return f"{run} is discarded."

        return self.ask_or_do(request, question, write)


class AnswerActions(OnlyWhatIsPossible, AsksFirst):
    has_pay_permission = requires("affiliates.confirm_payout")

    @action(description="Read a file", url_path="upload", permissions=PAY)
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

    @action(description="Apply", url_path="apply", permissions=PAY)
    def apply(self, request: HttpRequest, object_id: str) -> HttpResponse:
        answer: PayoutAnswer = self.row_of(request, object_id)
        question = Question(
            title=f"Apply {answer}?",
            paragraphs=[
                "Each line does what the preview says, judged anew at that moment. "
                "Unmatched lines do nothing."
            ],
            button="Apply",
            row=answer,
        )

        def write() -> HttpResponse | None:
            begin_answer(answer_id=answer.pk, actor_id=request.user.pk)
            done = apply_answer(
                answer_id=answer.pk, clock=timezone.now, should_stop=patient()
            )
            if done.applied_at is None:
                text = "It takes longer: the worker goes on with what is left."
                self.message_user(request, text, messages.WARNING)
            else:
                self.message_user(request, f"{answer} is applied.", messages.SUCCESS)
            return None

        return self.ask_or_do(request, question, write)

    def is_possible(self, row: PayoutAnswer, path: str) -> bool:
        return row.applied_at is None


class PayoutsIntoRun:
    """The bulk action in the list of payouts that makes a run of the chosen ones."""

    has_run_permission = requires("affiliates.confirm_payout")

    @action(description="Make a payout run…", permissions=["run"])
    def make_run(self, request: HttpRequest, queryset: Any) -> HttpResponse:
        page: Any = self
        ids = first_ids(queryset)
        question = Question(
            title="Make a payout run of these?",
            paragraphs=["Requested and approved ones of one brand become a draft."],
            button="Make a draft",
            selected=ids,
        )

        def write() -> HttpResponse:
            run = run_of_payouts(
                payout_ids=ids, actor_id=request.user.pk, now=timezone.now()
            )
            address = reverse(
                "admin:affiliates_payout_runs_payoutrun_change", args=[run.pk]
            )
            return HttpResponseRedirect(address)

        answer: HttpResponse = page.ask_or_do(request, question, write)
        return answer


def _sums(run: PayoutRun) -> dict[str, object]:
    return {
        group.label: f"{group.count:,}, {money_text(group.total, group.currency)}"
        for group in paid_groups(run)
    }
