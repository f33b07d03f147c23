"""Staff's actions on payouts: each asks first, then calls a service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.columns import money_text, row_link
from affiliates.admin_tools.confirmation import (
    SHOWN,
    AsksFirst,
    Listing,
    Question,
    answer_of,
    by_reason,
    first_ids,
    list_rows,
    own_reason,
    totals_of,
)
from affiliates.errors import AffiliatesError, StateConflict
from affiliates.payouts.forms import ConfirmForm, RejectForm, UncreditedForm
from affiliates.payouts.models import Payout, PayoutBatch
from affiliates.payouts.rules import DestinationKind
from affiliates.payouts.selectors import batch_file, export_groups
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import confirm_batch, confirm_payouts
from affiliates.payouts.services.decisions import approve_payouts, reject_payouts
from affiliates.payouts.services.returns import return_payouts
from affiliates.payouts.services.steps import BulkOutcome

REJECTED = "rejected; the money is payable again"
RETURNED = "returned; the money is payable again"
# The form fields that are passed to the services.
SERVICES_TAKE = {"reason", "reference"}


class MayPay(AsksFirst):
    """Permissions to decide on payouts, and to pay them and see the files."""

    has_approve_permission = requires("affiliates.approve_payout")
    has_pay_permission = requires("affiliates.confirm_payout")

    def report(self, request: HttpRequest, outcome: BulkOutcome, done: str) -> None:
        """Shows the number done as a success, and the refusals as warnings."""
        if outcome.done:
            text = f"{_payouts(outcome.done)} {done}."
            self.message_user(request, text, messages.SUCCESS)
        if outcome.prepared:
            them = "it" if outcome.prepared == 1 else "them"
            text = f"{_payouts(outcome.prepared)} prepared: a second person approves {them}."
            self.message_user(request, text, messages.SUCCESS)
        for text in outcome.refused[:SHOWN]:
            self.message_user(request, text, messages.WARNING)


class PayoutActions(MayPay):
    """The bulk actions of the list of payouts."""

    @action(description="Approve…", permissions=["approve"])
    def approve(self, request: HttpRequest, queryset: QuerySet[Payout]) -> HttpResponse:
        question = Question(
            title="Approve payouts?",
            paragraphs=[
                "Only requested ones can be approved. They can be paid then. Where the "
                "brand asks for a second person, the first approval of what an affiliate "
                "asked for only prepares it."
            ],
            button="Approve",
        )
        service = partial(approve_payouts, now=timezone.now())
        return self.step(request, queryset, question, service, "approved")

    @action(description="Export for PayPal or the bank…", permissions=["pay"])
    def export(self, request: HttpRequest, queryset: QuerySet[Payout]) -> HttpResponse:
        question = Question(
            title="Export payouts?",
            paragraphs=[
                "The approved ones that go to PayPal or a bank are written into a file "
                "for each brand and currency. Download it from the list of payout "
                "batches."
            ],
            button="Export",
        )
        ids = first_ids(queryset)
        return self.ask_or_do(
            request, _about(ids, question), lambda: self._export_all(request, ids)
        )

    @action(description="Confirm payment…", permissions=["pay"])
    def confirm(self, request: HttpRequest, queryset: QuerySet[Payout]) -> HttpResponse:
        elsewhere = queryset.exclude(destination__kind=DestinationKind.WALLET)
        form = ConfirmForm(answer_of(request), needs_reference=elsewhere.exists())
        question = Question(
            title="Confirm that these are paid?",
            paragraphs=[
                "Approved and exported ones become paid. Account credit is added now "
                "and cannot be taken back."
            ],
            button="They are paid",
            form=form,
        )
        service = partial(confirm_payouts, clock=timezone.now)
        return self.step(request, queryset, question, service, "confirmed as paid")

    @action(description="Reject…", permissions=["approve"])
    def reject(self, request: HttpRequest, queryset: QuerySet[Payout]) -> HttpResponse:
        question = Question(
            title="Reject payouts?",
            paragraphs=[
                "Reject an exported one only when the bank or PayPal has returned it, or "
                "never got the file."
            ],
            button="Reject",
            form=RejectForm(answer_of(request)),
        )
        service = partial(reject_payouts, now=timezone.now())
        return self.step(request, queryset, question, service, REJECTED)

    @action(description="Reject as not credited…", permissions=["pay"])
    def reject_uncredited(
        self, request: HttpRequest, queryset: QuerySet[Payout]
    ) -> HttpResponse:
        """Rejects account credit that the portal refuses permanently."""
        question = Question(
            title="Reject account credit that was never added?",
            paragraphs=[
                "Only for account credit that is being paid and that the portal refuses "
                "each time you confirm it. Look at the client's account first, for the "
                "payout's number: what was credited all the same would be paid twice."
            ],
            button="Reject",
            form=UncreditedForm(answer_of(request)),
        )
        service = partial(reject_payouts, now=timezone.now(), is_uncredited=True)
        return self.step(request, queryset, question, service, REJECTED)

    @action(description="It came back…", permissions=["pay"])
    def came_back(
        self, request: HttpRequest, queryset: QuerySet[Payout]
    ) -> HttpResponse:
        question = Question(
            title="Did the money of these come back?",
            paragraphs=[
                "Paid ones become returned, by postings: nothing is edited. The money is "
                "payable again, and a credit note takes the statement back."
            ],
            button="It came back",
            form=RejectForm(answer_of(request)),
        )
        service = partial(return_payouts, now=timezone.now())
        return self.step(request, queryset, question, service, RETURNED)

    def step(
        self,
        request: HttpRequest,
        queryset: QuerySet[Payout],
        question: Question,
        service: Callable[..., BulkOutcome],
        done: str,
    ) -> HttpResponse:
        ids = first_ids(queryset)
        more: Any = {}
        if isinstance(question.form, RejectForm) and len(ids) > 1:
            more = own_reason(request)

        def write() -> None:
            answers = {} if question.form is None else question.form.cleaned_data
            given = {name: answers[name] for name in SERVICES_TAKE & answers.keys()}
            actor_id = request.user.pk
            if "reason" in given:
                outcomes = [
                    service(payout_ids=some, actor_id=actor_id, reason=reason)
                    for reason, some in by_reason(request, ids, **given).items()
                ]
            else:
                outcomes = [service(payout_ids=ids, actor_id=actor_id, **given)]
            self.report(
                request,
                BulkOutcome(
                    done=sum(one.done for one in outcomes),
                    prepared=sum(one.prepared for one in outcomes),
                    refused=tuple(text for one in outcomes for text in one.refused),
                ),
                done,
            )

        return self.ask_or_do(request, _about(ids, question, more), write)

    def _export_all(
        self, request: HttpRequest, payout_ids: list[int]
    ) -> HttpResponse | None:
        groups = export_groups(payout_ids)
        for group in groups:
            self.message_user(request, *_exported(group, actor_id=request.user.pk))
        left = len(payout_ids) - sum(map(len, groups))
        if left:
            text = f"{left} not exported: not approved, or paid without a file."
            self.message_user(request, text, messages.WARNING)
        if not groups:
            return None
        return HttpResponseRedirect(reverse("admin:affiliates_payoutbatch_changelist"))


class BatchActions(MayPay):
    """The buttons of an exported file."""

    @action(description="Download the file", url_path="download", permissions=["pay"])
    def download(self, request: HttpRequest, object_id: str) -> HttpResponse:
        batch: PayoutBatch = self.row_of(request, object_id)
        try:
            file = batch_file(batch)
        except StateConflict as error:
            self.message_user(request, error.detail, messages.ERROR)
            return HttpResponseRedirect(self.page_of(batch))
        answer = HttpResponse(file.text, content_type=file.content_type)
        answer["Content-Disposition"] = f'attachment; filename="{file.name}"'
        add_never_cache_headers(answer)
        return answer

    @action(description="Confirm all as paid", url_path="confirm", permissions=["pay"])
    def confirm_all(self, request: HttpRequest, object_id: str) -> HttpResponse:
        batch: PayoutBatch = self.row_of(request, object_id)
        form = ConfirmForm(answer_of(request), needs_reference=True)
        question = Question(
            title=f"Confirm that {batch} is paid?",
            paragraphs=[
                "All of it that is still being paid becomes paid. To go by the bank's own "
                "word on each, read its file under Payout answers."
            ],
            button="All are paid",
            form=form,
            listing=lambda: _listing(Payout.objects.filter(batch=batch)),
            row=batch,
        )

        def write() -> None:
            outcome = confirm_batch(
                batch_id=batch.pk,
                reference=form.cleaned_data["reference"],
                actor_id=request.user.pk,
                now=timezone.now(),
            )
            self.report(request, outcome, "confirmed as paid")
            if not outcome.done and not outcome.refused:
                text = "Nothing of it is waiting for a confirmation."
                self.message_user(request, text, messages.WARNING)

        return self.ask_or_do(request, question, write)


def _payouts(count: int) -> str:
    return "1 payout" if count == 1 else f"{count:,} payouts"


def _exported(payout_ids: list[int], *, actor_id: Any) -> tuple[str, int]:
    """The message about the export, and its level."""
    try:
        batch = export_batch(
            payout_ids=payout_ids, actor_id=actor_id, now=timezone.now()
        )
    except AffiliatesError as error:
        return error.detail, messages.ERROR
    text = f"{batch}: {len(payout_ids)} exported. Download it below."
    return text, messages.SUCCESS


def _about(ids: list[int], question: Question, more: Any = None) -> Question:
    payouts = Payout.objects.filter(pk__in=ids)
    listing = partial(_listing, payouts, more or {})
    return replace(question, listing=listing, selected=ids)


def _listing(payouts: QuerySet[Payout], more: Any = MappingProxyType({})) -> Listing:
    return list_rows(
        payouts.select_related("affiliate", "brand", "destination").order_by("pk"),
        {
            "Payout": lambda row: row_link("payout", row.pk, row),
            "Brand": lambda row: row.brand,
            "Affiliate": lambda row: row.affiliate,
            "Amount": lambda row: money_text(row.amount, row.currency),
            "Destination": lambda row: row.destination,
            "Status": lambda row: row.get_status_display(),
            **more,
        },
        totals=totals_of(payouts.order_by().values_list("currency", "amount")),
    )
