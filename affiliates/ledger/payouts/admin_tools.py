"""What staff do to payouts: each action asks on a page of its own, then calls a service."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from affiliates.admin_tools.base import action
from affiliates.admin_tools.columns import money_text
from affiliates.errors import AffiliatesError, StateConflict
from affiliates.ledger.payouts import services
from affiliates.ledger.payouts.forms import ConfirmForm, RejectForm
from affiliates.ledger.payouts.models import Payout, PayoutBatch
from affiliates.ledger.payouts.rules import DestinationKind
from affiliates.ledger.payouts.selectors import batch_file, export_groups
from affiliates.ledger.payouts.services import BulkOutcome

# As fields of a form, of which Django takes 1,000.
MAX_SELECTED = 900
SHOWN = 100
WALLET = DestinationKind.WALLET.value
PAGE = "affiliates/admin/payout_action.html"


class MayPay:
    """Whoever may change payouts may take their steps and see the files."""

    def has_pay_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return bool(request.user.has_perm("affiliates.change_payout"))

    def tell(self, request: HttpRequest, outcome: BulkOutcome, done: str) -> None:
        """What was done in green, why the rest was not in yellow."""
        page: Any = self
        if outcome.done:
            payouts = "1 payout" if outcome.done == 1 else f"{outcome.done:,} payouts"
            page.message_user(request, f"{payouts} {done}.", messages.SUCCESS)
        for text in outcome.refused[:SHOWN]:
            page.message_user(request, text, messages.WARNING)

    def ask(
        self,
        request: HttpRequest,
        payouts: QuerySet[Payout],
        *,
        title: str,
        explanation: str,
        button: str,
        form: forms.Form | None = None,
    ) -> HttpResponse:
        """The page that shows what it would be done to."""
        page: Any = self
        selected: list[int] = []
        if "action" in request.POST:
            # What is shown is what is done: nothing that was requested meanwhile.
            selected = _first_ids(payouts)
            payouts = payouts.filter(pk__in=selected)
        rows = payouts.select_related("affiliate", "brand", "destination")
        context = {
            **page.admin_site.each_context(request),
            "title": title,
            "opts": page.opts,
            "explanation": explanation,
            "button": button,
            "form": form,
            "payouts": [
                (row, money_text(row.amount, row.currency))
                for row in rows.order_by("pk")[:SHOWN]
            ],
            "shown": SHOWN,
            "totals": _totals(payouts),
            "count": payouts.count(),
            "action": request.POST.get("action", ""),
            "selected": selected,
            "select_across": "0",
        }
        return TemplateResponse(request, PAGE, context)


class PayoutActions(MayPay):
    """The bulk actions of the list of payouts."""

    @action(description="Approve…", permissions=["pay"])
    def approve(
        self, request: HttpRequest, queryset: QuerySet[Payout]
    ) -> HttpResponse | None:
        payout_ids = self._confirmed(request, queryset)
        if payout_ids is None:
            return self.ask(
                request,
                queryset,
                title="Approve payouts?",
                explanation="Only requested ones can be approved. They can be paid then.",
                button="Approve",
            )
        outcome = services.approve_payouts(
            payout_ids=payout_ids, actor_id=request.user.pk, now=timezone.now()
        )
        return self._back(request, outcome, "approved")

    @action(description="Export for PayPal or the bank…", permissions=["pay"])
    def export(
        self, request: HttpRequest, queryset: QuerySet[Payout]
    ) -> HttpResponse | None:
        payout_ids = self._confirmed(request, queryset)
        if payout_ids is None:
            return self.ask(
                request,
                queryset,
                title="Export payouts?",
                explanation="The approved ones that go to PayPal or a bank are written "
                "into a file for each brand and currency. Download it from the list of "
                "payout batches.",
                button="Export",
            )
        groups = export_groups(payout_ids)
        for group in groups:
            self._export(request, group)
        left = len(payout_ids) - sum(map(len, groups))
        if left:
            text = f"{left} not exported: not approved, or paid without a file."
            self._message(request, text, messages.WARNING)
        page = "payoutbatch" if groups else "payout"
        return HttpResponseRedirect(reverse(f"admin:affiliates_{page}_changelist"))

    @action(description="Confirm payment…", permissions=["pay"])
    def confirm(
        self, request: HttpRequest, queryset: QuerySet[Payout]
    ) -> HttpResponse | None:
        payout_ids = self._confirmed(request, queryset)
        form = ConfirmForm(
            None if payout_ids is None else request.POST,
            needs_reference=queryset.exclude(destination__kind=WALLET).exists(),
        )
        if payout_ids is None or not form.is_valid():
            return self.ask(
                request,
                queryset,
                title="Confirm that these are paid?",
                explanation="Approved and exported ones become paid. This cannot be "
                "taken back.",
                button="They are paid",
                form=form,
            )
        outcome = services.confirm_payouts(
            payout_ids=payout_ids,
            reference=form.cleaned_data["reference"],
            actor_id=request.user.pk,
            clock=timezone.now,
        )
        return self._back(request, outcome, "confirmed as paid")

    @action(description="Reject…", permissions=["pay"])
    def reject(
        self, request: HttpRequest, queryset: QuerySet[Payout]
    ) -> HttpResponse | None:
        payout_ids = self._confirmed(request, queryset)
        form = RejectForm(None if payout_ids is None else request.POST)
        if payout_ids is None or not form.is_valid():
            return self.ask(
                request,
                queryset,
                title="Reject payouts?",
                explanation="Reject an exported one only when the bank or PayPal has "
                "returned it, or never got the file.",
                button="Reject",
                form=form,
            )
        outcome = services.reject_payouts(
            payout_ids=payout_ids,
            reason=form.cleaned_data["reason"],
            actor_id=request.user.pk,
            now=timezone.now(),
        )
        return self._back(request, outcome, "rejected; the money is payable again")

    def _confirmed(
        self, request: HttpRequest, queryset: QuerySet[Payout]
    ) -> list[int] | None:
        """The chosen ones, once the page that asks is answered."""
        if "confirmed" not in request.POST:
            return None
        return _first_ids(queryset)

    def _export(self, request: HttpRequest, payout_ids: list[int]) -> None:
        try:
            batch = services.export_batch(
                payout_ids=payout_ids, actor_id=request.user.pk, now=timezone.now()
            )
        except AffiliatesError as error:
            self._message(request, error.detail, messages.ERROR)
            return
        self._message(
            request, f"{batch}: {len(payout_ids)} exported. Download it below."
        )

    def _back(
        self, request: HttpRequest, outcome: BulkOutcome, done: str
    ) -> HttpResponse:
        self.tell(request, outcome, done)
        return HttpResponseRedirect(reverse("admin:affiliates_payout_changelist"))

    def _message(
        self, request: HttpRequest, text: str, level: int = messages.SUCCESS
    ) -> None:
        page: Any = self
        page.message_user(request, text, level)


class BatchActions(MayPay):
    """The buttons of an exported file."""

    @action(description="Download the file", url_path="download", permissions=["pay"])
    def download(self, request: HttpRequest, object_id: str) -> HttpResponse:
        page: Any = self
        batch: PayoutBatch | None = page.get_object(request, object_id)
        try:
            file = None if batch is None else batch_file(batch)
        except StateConflict as error:
            page.message_user(request, error.detail, messages.ERROR)
            file = None
        if file is None:
            return self._to_batch(object_id)
        answer = HttpResponse(file.text, content_type=file.content_type)
        answer["Content-Disposition"] = f'attachment; filename="{file.name}"'
        add_never_cache_headers(answer)
        return answer

    @action(description="Confirm all as paid", url_path="confirm", permissions=["pay"])
    def confirm_all(self, request: HttpRequest, object_id: str) -> HttpResponse:
        page: Any = self
        batch: PayoutBatch | None = page.get_object(request, object_id)
        if batch is None:
            return self._to_batch(object_id)
        answered = request.POST if request.method == "POST" else None
        form = ConfirmForm(answered, needs_reference=True)
        if not form.is_valid():
            return self.ask(
                request,
                Payout.objects.filter(batch=batch),
                title=f"Confirm that {batch} is paid?",
                explanation="All of it that is still being paid becomes paid. This "
                "cannot be taken back.",
                button="All are paid",
                form=form,
            )
        outcome = services.confirm_batch(
            batch_id=batch.pk,
            reference=form.cleaned_data["reference"],
            actor_id=request.user.pk,
            now=timezone.now(),
        )
        self.tell(request, outcome, "confirmed as paid")
        if not outcome.done and not outcome.refused:
            text = "Nothing of it is waiting for a confirmation."
            page.message_user(request, text, messages.WARNING)
        return self._to_batch(object_id)

    def _to_batch(self, object_id: str) -> HttpResponse:
        return HttpResponseRedirect(
            reverse("admin:affiliates_payoutbatch_change", args=[object_id])
        )


def _first_ids(payouts: QuerySet[Payout]) -> list[int]:
    return list(payouts.order_by("pk").values_list("pk", flat=True)[:MAX_SELECTED])


def _totals(payouts: QuerySet[Payout]) -> list[str]:
    sums: Counter[str] = Counter()
    for currency, amount in payouts.order_by().values_list("currency", "amount"):
        sums[currency] += amount
    return [money_text(amount, currency) for currency, amount in sorted(sums.items())]
