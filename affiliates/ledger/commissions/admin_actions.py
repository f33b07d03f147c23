"""What staff do to commissions: each action asks for a reason on a page of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import action
from affiliates.admin_tools.columns import money_text
from affiliates.errors import AffiliatesError
from affiliates.ledger.commissions import services
from affiliates.ledger.commissions.models import Commission
from affiliates.ledger.commissions.rules import MAX_NOTE, CommissionStatus, StaffAction
from affiliates.ledger.commissions.selectors import with_taken_back

SHOWN = 50
# As fields of a form, of which Django takes 1,000.
MAX_SELECTED = 900
PAGE = "affiliates/admin/commission_action.html"
SERVICES: dict[StaffAction, Callable[..., int]] = {
    StaffAction.APPROVE: services.approve,
    StaffAction.HOLD: services.hold,
    StaffAction.RELEASE: services.release,
    StaffAction.REJECT: services.reject,
}
EXPLANATIONS = {
    StaffAction.APPROVE: "What is approved becomes payable. Only commissions that wait "
    "for approval can be approved.",
    StaffAction.HOLD: "What is held is not paid until you release it.",
    StaffAction.RELEASE: "What is released goes on where it was: it waits for the end "
    "of its hold, or is approved at once where that is over.",
    StaffAction.REJECT: "What is rejected is gone for good. To credit such an order all "
    "the same, assign it to the affiliate.",
}
DONE = {
    StaffAction.APPROVE: "approved",
    StaffAction.HOLD: "held",
    StaffAction.RELEASE: "released",
    StaffAction.REJECT: "rejected",
}


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=MAX_NOTE,
        widget=widgets.TextInput,
        help_text="Kept with every commission, for whoever asks later.",
    )


class CommissionActions:
    """The actions on the list of commissions and on the page of each."""

    def has_judge_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return bool(request.user.has_perm("affiliates.change_commission"))

    @action(description="Approve…", permissions=["judge"])
    def approve(
        self, request: HttpRequest, queryset: QuerySet[Commission]
    ) -> HttpResponse:
        return self._ask_or_do(request, queryset, StaffAction.APPROVE)

    @action(description="Hold…", permissions=["judge"])
    def hold(
        self, request: HttpRequest, queryset: QuerySet[Commission]
    ) -> HttpResponse:
        return self._ask_or_do(request, queryset, StaffAction.HOLD)

    @action(description="Release…", permissions=["judge"])
    def release(
        self, request: HttpRequest, queryset: QuerySet[Commission]
    ) -> HttpResponse:
        return self._ask_or_do(request, queryset, StaffAction.RELEASE)

    @action(description="Reject…", permissions=["judge"])
    def reject(
        self, request: HttpRequest, queryset: QuerySet[Commission]
    ) -> HttpResponse:
        return self._ask_or_do(request, queryset, StaffAction.REJECT)

    @action(description="Approve…", url_path="approve", permissions=["judge"])
    def approve_one(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._ask_or_do_one(request, object_id, StaffAction.APPROVE)

    @action(description="Hold…", url_path="hold", permissions=["judge"])
    def hold_one(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._ask_or_do_one(request, object_id, StaffAction.HOLD)

    @action(description="Release…", url_path="release", permissions=["judge"])
    def release_one(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._ask_or_do_one(request, object_id, StaffAction.RELEASE)

    @action(description="Reject…", url_path="reject", permissions=["judge"])
    def reject_one(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._ask_or_do_one(request, object_id, StaffAction.REJECT)

    def _ask_or_do(
        self,
        request: HttpRequest,
        found: QuerySet[Commission],
        what: StaffAction,
        *,
        back: str | None = None,
    ) -> HttpResponse:
        is_confirmed = "confirmed" in request.POST
        form = ReasonForm(request.POST if is_confirmed else None)
        if is_confirmed and form.is_valid():
            self._do(request, found, what, form.cleaned_data["reason"])
            return HttpResponseRedirect(
                back or reverse("admin:affiliates_commission_changelist")
            )
        return self._ask(request, found, what, form)

    def _ask_or_do_one(
        self, request: HttpRequest, object_id: str, what: StaffAction
    ) -> HttpResponse:
        page: Any = self
        commission = page.get_object(request, object_id)
        if commission is None:
            raise Http404
        return self._ask_or_do(
            request,
            Commission.objects.filter(pk=commission.pk),
            what,
            back=reverse("admin:affiliates_commission_change", args=[commission.pk]),
        )

    def _do(
        self,
        request: HttpRequest,
        found: QuerySet[Commission],
        what: StaffAction,
        reason: str,
    ) -> None:
        page: Any = self
        ids = _first_ids(found)
        try:
            done = SERVICES[what](
                commission_ids=ids,
                actor_id=request.user.pk,
                reason=reason,
                now=timezone.now(),
            )
        except AffiliatesError as refusal:
            page.message_user(request, str(refusal), messages.ERROR)
            return
        level = messages.SUCCESS if done else messages.WARNING
        page.message_user(request, _outcome(what, done, len(ids) - done), level)

    def _ask(
        self,
        request: HttpRequest,
        found: QuerySet[Commission],
        what: StaffAction,
        form: ReasonForm,
    ) -> HttpResponse:
        page: Any = self
        # What is shown is what is done: nothing that was recorded meanwhile.
        selected = _first_ids(found)
        found = found.filter(pk__in=selected)
        rows = with_taken_back(found).select_related("affiliate", "sale")
        context = {
            **page.admin_site.each_context(request),
            "title": f"{what.label} commissions?",
            "opts": page.opts,
            "explanation": EXPLANATIONS[what],
            "button": what.label,
            "form": form,
            "rows": [(row, left_text(row), _fits(row, what)) for row in rows[:SHOWN]],
            "shown": SHOWN,
            "count": found.count(),
            "action": request.POST.get("action", ""),
            "selected": selected,
            "select_across": "0",
        }
        return TemplateResponse(request, PAGE, context)


def _first_ids(commissions: QuerySet[Commission]) -> list[int]:
    return list(commissions.order_by("pk").values_list("pk", flat=True)[:MAX_SELECTED])


def left_text(commission: Any) -> str:
    """What refunds left of a commission that was read with ``with_taken_back``."""
    left = commission.amount + commission.taken_back
    return money_text(left, commission.currency)


def _fits(commission: Commission, what: StaffAction) -> bool:
    return what.allows(
        CommissionStatus(commission.status),
        is_in_payout=commission.payout_id is not None,
    )


def _outcome(what: StaffAction, done: int, skipped: int) -> str:
    commissions = "1 commission" if done == 1 else f"{done:,} commissions"
    text = f"{commissions} {DONE[what]}."
    if skipped:
        text += f" {skipped:,} left as they are: their status does not allow it."
    return text
