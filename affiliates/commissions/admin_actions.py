"""Staff's actions on commissions; each asks on its own page, most for a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django import forms
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from affiliates.admin_tools.base import requires
from affiliates.admin_tools.columns import moment, money_text, row_link
from affiliates.admin_tools.confirmation import (
    MAX_SELECTED,
    Listing,
    list_rows,
    totals_of,
)
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.forms import reason_field
from affiliates.commissions.models import Commission, CommissionEvent
from affiliates.commissions.rules import MAX_NOTE, CommissionStatus, StaffAction
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
DECIDED = {
    CommissionStatus.APPROVED: "approved",
    CommissionStatus.HELD: "held",
    CommissionStatus.REJECTED: "rejected",
}


class ReasonForm(forms.Form):
    reason = reason_field(
        "Kept with every commission, for later questions.", max_length=MAX_NOTE
    )

    def __init__(self, data: Any, *, what: StaffAction) -> None:
        super().__init__(data)
        self.fields["reason"].required = what is not StaffAction.APPROVE


class AnnouncedForm(ReasonForm):
    """For a decision that the affiliate reads of."""

    for_affiliate = forms.CharField(
        label="Reason for the affiliate",
        required=False,
        max_length=MAX_NOTE,
        help_text="Shown to the affiliate as it is, on pages, in e-mails and by the API. "
        "Empty: “Decided by staff.”",
    )


def _write(what: StaffAction, chosen: Chosen, answers: Mapping[str, Any]) -> None:
    now, done = timezone.now(), 0
    with transaction.atomic():
        for reason, ids in chosen.by_reason(answers["reason"]).items():
            done += act(
                what,
                commission_ids=ids,
                actor_id=chosen.actor_id,
                reason=reason,
                for_affiliate=answers.get("for_affiliate", ""),
                now=now,
            )
    chosen.report(_outcome(what, done, len(chosen.ids) - done), is_success=done > 0)


def _listing(what: StaffAction, chosen: Chosen) -> Listing:
    rows = with_taken_back(Commission.objects.filter(pk__in=chosen.ids))
    return list_rows(
        rows.select_related("affiliate", "sale", "share_of").order_by("pk"),
        {
            "Invoice": lambda row: row_link(
                "commission", row.pk, row.sale.invoice_number
            ),
            "Affiliate": lambda row: row.affiliate,
            "After refunds": left_text,
            "Status": lambda row: row.get_status_display(),
            what.label: lambda row: _fits(what, row, chosen.ids),
            **(chosen.own_reason() if what is StaffAction.REJECT else {}),
        },
        totals=totals_of((row.currency, row.amount + row.taken_back) for row in rows),
        is_possible=lambda row: allows(what, row),
        invoice_path="sale.invoice_ref",
    )


def _decided(
    what: StaffAction, selected: QuerySet[Commission], ids: Sequence[Any]
) -> list[str]:
    """Says who gave the rows that cannot be changed so their status, and when."""
    rows = selected.select_related("share_of").order_by("pk")[:MAX_SELECTED]
    late = [
        row.pk
        for row in rows
        if row.pk not in ids or _fits(what, row, ()) == DOES_NOT_FIT
    ]
    events = CommissionEvent.objects.filter(commission__in=late).order_by("id")
    last = {row.commission_id: row for row in events.select_related("actor")}
    decisions = Counter(
        (
            DECIDED.get(CommissionStatus(row.after), "released"),
            moment(row.at),
            row.actor,
        )
        for row in last.values()
        if row.actor is not None
    )
    return [
        f"{count:,} {'was' if count == 1 else 'were'} {decided} on {at} by {actor}."
        for (decided, at, actor), count in decisions.items()
    ]


def _actions(what: StaffAction, form: type[ReasonForm] = ReasonForm) -> tuple[Any, Any]:
    decision = StaffDecision(
        name=what,
        permission="judge",
        title=f"{what.label} commissions?",
        button=what.label,
        paragraphs=[EXPLANATIONS[what]],
        form=lambda chosen: form(chosen.data, what=what),
        listing=partial(_listing, what),
        write=partial(_write, what),
        were_late=partial(_decided, what),
    )
    return decision.on_both(f"{what.label}…")


class CommissionActions(Decides):
    """The actions on the list of commissions and on the page of each."""

    approve, approve_one = _actions(StaffAction.APPROVE)
    hold, hold_one = _actions(StaffAction.HOLD, AnnouncedForm)
    release, release_one = _actions(StaffAction.RELEASE)
    reject, reject_one = _actions(StaffAction.REJECT, AnnouncedForm)

    has_judge_permission = requires("affiliates.judge_commission")

    def is_possible(self, request: HttpRequest, row: Commission, path: str) -> bool:
        """A commission that is in a payout offers nothing that would be refused."""
        return path not in StaffAction or allows(StaffAction(path), row)


def _fits(what: StaffAction, row: Commission, chosen: Sequence[Any]) -> str:
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
