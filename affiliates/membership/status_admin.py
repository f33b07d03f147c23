"""Approving, declining, suspending and activating affiliates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.utils import timezone

from affiliates.admin_tools.base import requires
from affiliates.admin_tools.columns import row_link
from affiliates.admin_tools.confirmation import Listing, list_rows
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision, already
from affiliates.admin_tools.forms import reason_field
from affiliates.membership.suspension_admin import (
    SuspendForm,
    SuspendWithPendingForm,
    what_suspending_means,
)
from affiliates.membership.suspensions import WhatIsPending, suspend
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus

WAITING: dict[str, Any] = {
    "waiting": lambda rows: rows.filter(status=AffiliateStatus.PENDING),
    "is_open": lambda row: row.status == AffiliateStatus.PENDING,
    "is_late": lambda row: already(row, AffiliateStatus(row.status)),
    "nothing": "Nobody here waits for approval.",
}


SHOWN: dict[str, Callable[[Affiliate], object]] = {
    "Affiliate": lambda row: row_link("affiliate", row.pk, row.code),
    "Client": lambda row: row.user,
    "Brand": lambda row: row.brand,
    "Status": lambda row: row.get_status_display(),
}


class DeclineForm(forms.Form):
    reason = reason_field("Each applicant reads it, and it is kept in the history.")


def _listing(chosen: Chosen) -> Listing:
    return list_rows(chosen.rows.select_related("brand", "user"), SHOWN)


def _activate(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    chosen.page.change_status_of(chosen.request, chosen.rows, AffiliateStatus.ACTIVE)


def _decline(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    chosen.page.change_status_of(
        chosen.request,
        chosen.rows,
        AffiliateStatus.SUSPENDED,
        reason=answers["reason"],
    )


def _suspend(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    """The reason is kept with each affiliate, and with each commission."""
    rows: list[Affiliate] = list(chosen.rows)
    others = [row for row in rows if row.status != AffiliateStatus.SUSPENDED]
    pending = answers.get("pending", WhatIsPending.STAYS)
    reason = answers["reason"]
    done = suspend(
        [row.pk for row in rows],
        pending=pending,
        reason=reason,
        actor_id=chosen.actor_id,
        now=timezone.now(),
    )
    page, request = chosen.page, chosen.request
    page.report(request, rows, others, AffiliateStatus.SUSPENDED, reason)
    if done.commissions:
        said = f"{done.commissions} commissions are {pending}."
        page.message_user(request, said, messages.SUCCESS)


def _may_judge(chosen: Chosen) -> bool:
    return bool(chosen.page.has_judge_permission(chosen.request))


APPROVE = StaffDecision(
    name="approve",
    permission="change",
    title="Approve {rows}?",
    button="Approve",
    listing=_listing,
    write=_activate,
    **WAITING,
)
DECLINE = StaffDecision(
    name="decline",
    permission="change",
    title="Decline {rows}?",
    button="Decline",
    paragraphs=["They become suspended: their links credit nobody."],
    form=lambda chosen: DeclineForm(chosen.data),
    listing=_listing,
    write=_decline,
    **WAITING,
)
SUSPEND = StaffDecision(
    name="suspend",
    permission="change",
    title="Suspend {rows}?",
    button="Suspend",
    details=lambda chosen: {
        "paragraphs": [
            "Their clicks and orders earn nothing from then on. A renewal of an "
            "earlier order is held for review when it is paid.",
            *what_suspending_means(chosen.ids, may_choose=_may_judge(chosen)),
        ]
    },
    form=lambda chosen: (
        SuspendWithPendingForm(chosen.data)
        if _may_judge(chosen)
        else SuspendForm(chosen.data)
    ),
    listing=_listing,
    is_open=lambda row: AffiliateStatus(row.status).is_paid,
    write=_suspend,
)
ACTIVATE = StaffDecision(
    name="activate",
    permission="change",
    title="Make {rows} active?",
    button="Make active",
    paragraphs=[
        "Clicks and orders earn again from now on. API keys stay revoked, and the "
        "affiliate has to switch its webhook on again. What an affiliate gave up or "
        "forfeited by leaving stays deducted."
    ],
    listing=_listing,
    is_open=lambda row: (
        row.status in (AffiliateStatus.SUSPENDED, AffiliateStatus.LEFT)
        and row.merged_into_id is None
    ),
    nothing="It is not suspended, or it was merged into another.",
    write=_activate,
)


class ChangesStatus(Decides):
    """Mixed into the page of an affiliate, over ``AffiliateAdmin``, which reports."""

    has_judge_permission = requires("affiliates.judge_commission")

    approve_this = APPROVE.on_row("Approve")
    approve = APPROVE.on_list("Approve…")
    decline_this = DECLINE.on_row("Decline")
    decline = DECLINE.on_list("Decline…")
    suspend_this = SUSPEND.on_row("Suspend…")
    suspend = SUSPEND.on_list("Suspend…")
    activate_this = ACTIVATE.on_row("Make active")
