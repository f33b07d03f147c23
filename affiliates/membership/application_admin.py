"""Approving and declining on the page of an affiliate that waits, beside its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from affiliates.admin_tools.base import OnlyWhatIsPossible, action, requires
from affiliates.admin_tools.confirmation import (
    AsksFirst,
    Question,
    answer_of,
    first_ids,
    list_rows,
)
from affiliates.admin_tools.forms import reason_field
from affiliates.program.admin import SHOWN_OF_AFFILIATE
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status

APPROVE, DECLINE = "approve", "decline"
NOBODY_WAITS = "Nobody here waits for approval."


class DeclineForm(forms.Form):
    reason = reason_field("Each applicant reads it, and it is kept in the history.")


class DecidesApplications(OnlyWhatIsPossible, AsksFirst):
    """Mixed into the page of an affiliate."""

    # Of program's AffiliateAdmin: says what was done, and keeps it in the history.
    report: Any

    has_decide_permission = requires("affiliates.change_affiliate")

    def is_possible(self, row: Affiliate, path: str) -> bool:
        if path in (APPROVE, DECLINE):
            return row.status == AffiliateStatus.PENDING
        return super().is_possible(row, path)

    @action(description="Approve", url_path=APPROVE, permissions=["decide"])
    def approve_this(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        waiting = _waiting([affiliate.pk])
        question = Question(
            title=f"Approve {affiliate}?",
            button="Approve",
            listing=lambda: list_rows(waiting, SHOWN_OF_AFFILIATE),
            nothing=NOBODY_WAITS,
            row=affiliate,
        )
        return self.ask_or_do(
            request,
            question,
            lambda: self._decide(request, waiting, AffiliateStatus.ACTIVE),
        )

    @action(description="Decline", url_path=DECLINE, permissions=["decide"])
    def decline_this(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        return self._decline(request, _waiting([affiliate.pk]), row=affiliate)

    @admin.action(description="Decline…", permissions=["change"])
    def decline(
        self, request: HttpRequest, queryset: QuerySet[Affiliate]
    ) -> HttpResponse:
        ids = first_ids(queryset.filter(status=AffiliateStatus.PENDING))
        return self._decline(request, _waiting(ids), selected=ids)

    def _decline(
        self,
        request: HttpRequest,
        waiting: QuerySet[Affiliate],
        *,
        selected: Sequence[int] = (),
        row: Affiliate | None = None,
    ) -> HttpResponse:
        form = DeclineForm(answer_of(request))
        question = Question(
            title="Decline applications?",
            button="Decline",
            paragraphs=["They become suspended: their links credit nobody."],
            form=form,
            listing=lambda: list_rows(waiting, SHOWN_OF_AFFILIATE),
            nothing=NOBODY_WAITS,
            selected=selected,
            row=row,
        )
        return self.ask_or_do(
            request,
            question,
            lambda: self._decide(
                request,
                waiting,
                AffiliateStatus.SUSPENDED,
                reason=form.cleaned_data["reason"],
            ),
        )

    def _decide(
        self,
        request: HttpRequest,
        waiting: QuerySet[Affiliate],
        status: AffiliateStatus,
        *,
        reason: str = "",
    ) -> None:
        rows = list(waiting)
        chosen = Affiliate.objects.filter(pk__in=[row.pk for row in rows])
        change_status(chosen, status=status, reason=reason)
        self.report(request, rows, rows, status, reason)


def _waiting(ids: Sequence[int]) -> QuerySet[Affiliate]:
    waiting = Affiliate.objects.filter(pk__in=ids, status=AffiliateStatus.PENDING)
    return waiting.select_related("brand", "user")
