"""Staff's actions on commissions; each asks for a reason on its own page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.admin_tools.base import requires
from affiliates.admin_tools.columns import money_text, row_link
from affiliates.admin_tools.confirmation import (
    AsksFirst,
    Listing,
    Question,
    answer_of,
    by_reason,
    first_ids,
    list_and_row,
    list_rows,
    own_reason,
    totals_of,
)
from affiliates.admin_tools.forms import reason_field
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import MAX_NOTE, StaffAction
from affiliates.commissions.selectors import with_taken_back
from affiliates.commissions.services.staff import act, allows, waits

DOES_NOT_FIT = "No: its status does not allow it"
TOGETHER = "With the commission that it is a share of"
WAITS = "No: the commission that it is a share of is not approved yet"
EXPLANATIONS = {
    StaffAction.APPROVE: "What is approved becomes payable. Only commissions that wait "
    "for approval can be approved, and a share only with its commission or after it.",
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
    reason = reason_field(
        "Kept with every commission, for whoever asks later.", max_length=MAX_NOTE
    )


def _actions(what: StaffAction) -> tuple[Any, Any]:
    label = f"{what.label}…"
    return list_and_row(what, what, on_list=label, on_row=label)


class CommissionActions(AsksFirst):
    """The actions on the list of commissions and on the page of each."""

    approve, approve_one = _actions(StaffAction.APPROVE)
    hold, hold_one = _actions(StaffAction.HOLD)
    release, release_one = _actions(StaffAction.RELEASE)
    reject, reject_one = _actions(StaffAction.REJECT)

    has_judge_permission = requires("affiliates.judge_commission")

    def judge(
        self,
        request: HttpRequest,
        found: QuerySet[Commission],
        what: StaffAction,
        *,
        row: Commission | None = None,
    ) -> HttpResponse:
        ids = first_ids(found)
        form = ReasonForm(answer_of(request))
        question = Question(
            title=f"{what.label} commissions?",
            button=what.label,
            paragraphs=[EXPLANATIONS[what]],
            form=form,
            listing=lambda: _listing(request, ids, what),
            selected=ids,
            row=row,
        )
        return self.ask_or_do(
            request, question, lambda: self._do(request, ids, what, form)
        )

    def _do(
        self, request: HttpRequest, ids: list[int], what: StaffAction, form: ReasonForm
    ) -> None:
        now, done = timezone.now(), 0
        given = by_reason(request, ids, form.cleaned_data["reason"])
        with transaction.atomic():
            for reason, of_reason in given.items():
                done += act(
                    what,
                    commission_ids=of_reason,
                    actor_id=request.user.pk,
                    reason=reason,
                    now=now,
                )
        level = messages.SUCCESS if done else messages.WARNING
        self.message_user(request, _outcome(what, done, len(ids) - done), level)


def _listing(request: HttpRequest, ids: list[int], what: StaffAction) -> Listing:
    rows = with_taken_back(Commission.objects.filter(pk__in=ids))
    is_each = what is StaffAction.REJECT and len(ids) > 1
    return list_rows(
        rows.select_related("affiliate", "sale", "share_of").order_by("pk"),
        {
            "Invoice": lambda row: row_link(
                "commission", row.pk, row.sale.invoice_number
            ),
            "Affiliate": lambda row: row.affiliate,
            "After refunds": left_text,
            "Status": lambda row: row.get_status_display(),
            what.label: lambda row: _fits(what, row, ids),
            **(own_reason(request) if is_each else {}),
        },
        totals=totals_of((row.currency, row.amount + row.taken_back) for row in rows),
        is_possible=lambda row: allows(what, row),
        invoice_path="sale.invoice_ref",
    )


def _fits(what: StaffAction, row: Commission, chosen: list[int]) -> str:
    if allows(what, row):
        return "Yes"
    if not waits(what, row):
        return DOES_NOT_FIT
    return TOGETHER if row.share_of_id in chosen else WAITS


def left_text(commission: Any) -> str:
    """The amount that refunds left of a commission read with ``with_taken_back``."""
    left = commission.amount + commission.taken_back
    return money_text(left, commission.currency)


def _outcome(what: StaffAction, done: int, skipped: int) -> str:
    commissions = "1 commission" if done == 1 else f"{done:,} commissions"
    text = f"{commissions} {DONE[what]}."
    if skipped:
        text += f" {skipped:,} left as they are: their status does not allow it"
        if what is StaffAction.APPROVE:
            text += ", or they are shares of commissions that are not approved yet"
        text += "."
    return text
