"""The decisions of staff on payouts, on one or on several of the list."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.base import requires
from affiliates.admin_tools.columns import money_text, row_link
from affiliates.admin_tools.confirmation import SHOWN, Listing, list_rows, totals_of
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.errors import AffiliatesError
from affiliates.payouts.forms import ConfirmForm, RejectForm, UncreditedForm
from affiliates.payouts.models import OPEN_STATUSES, Payout
from affiliates.payouts.providers.protocol import Way
from affiliates.payouts.providers.registry import codes_of
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.selectors import export_groups, last_step
from affiliates.payouts.sending.selectors import sending_of
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import (
    PAYABLE_STATUSES,
    confirm_payouts,
)
from affiliates.payouts.services.decisions import approve_payouts, reject_payouts
from affiliates.payouts.services.returns import return_payouts
from affiliates.payouts.services.steps import BulkOutcome, way_of

ELSEWHERE = tuple(way for way in Way if way is not Way.CREDIT)
NOTHING: Mapping[str, Any] = MappingProxyType({})
REJECTED = "rejected; the money is payable again"
RETURNED = "returned; the money is payable again"


def report(chosen: Chosen, outcomes: Iterable[BulkOutcome], done: str) -> None:
    """Shows the number done as a success, and the refusals as warnings."""
    moves = list(outcomes)
    if moved := sum(move.done for move in moves):
        chosen.report(f"{counted(moved)} {done}.", is_success=True)
    if prepared := sum(move.prepared for move in moves):
        them = "it" if prepared == 1 else "them"
        text = f"{counted(prepared)} prepared: a second person approves {them}."
        chosen.report(text, is_success=True)
    for text in [text for move in moves for text in move.refused][:SHOWN]:
        chosen.report(text, is_success=False)


def waiting(
    statuses: Collection[PayoutStatus],
    ways: Collection[Way] = tuple(Way),
    *,
    has_reasons: bool = False,
) -> dict[str, Any]:
    """The options of a ``StaffDecision`` on payouts of these statuses and ways."""
    return {
        "listing": _with_reasons if has_reasons else _listing,
        "waiting": lambda rows: rows.filter(
            status__in=statuses, destination__kind__in=codes_of(*ways)
        ),
        "is_open": lambda row: row.status in statuses and way_of(row) in ways,
        "is_late": lambda row: f"{row}: {last_step(row)}",
        "nothing": "None of these can be changed so: see their status.",
    }


def _approve(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    outcome = approve_payouts(
        payout_ids=chosen.ids, actor_id=chosen.actor_id, now=timezone.now()
    )
    report(chosen, [outcome], "approved")


def _confirm(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    outcome = confirm_payouts(
        payout_ids=chosen.ids,
        reference=answers["reference"],
        actor_id=chosen.actor_id,
        clock=timezone.now,
    )
    report(chosen, [outcome], "confirmed as paid")


def _for_reasons(
    service: Callable[..., BulkOutcome],
    done: str,
    chosen: Chosen,
    answers: Mapping[str, Any],
) -> None:
    now = timezone.now()
    outcomes = [
        service(payout_ids=ids, reason=reason, actor_id=chosen.actor_id, now=now)
        for reason, ids in chosen.by_reason(answers["reason"]).items()
    ]
    report(chosen, outcomes, done)


def _export(chosen: Chosen, answers: Mapping[str, Any]) -> HttpResponse | None:
    groups = export_groups(chosen.ids)
    for group in groups:
        chosen.page.message_user(
            chosen.request, *_exported(group, actor_id=chosen.actor_id)
        )
    if not groups:
        return None
    return HttpResponseRedirect(reverse("admin:affiliates_payoutbatch_changelist"))


def _to_confirm(chosen: Chosen) -> ConfirmForm:
    elsewhere = chosen.rows.exclude(destination__kind__in=codes_of(Way.CREDIT))
    return ConfirmForm(chosen.data, needs_reference=elsewhere.exists())


def _listing(chosen: Chosen) -> Listing:
    return list_payouts(chosen.rows)


def _with_reasons(chosen: Chosen) -> Listing:
    return list_payouts(chosen.rows, chosen.own_reason())


def list_payouts(
    payouts: QuerySet[Payout], more: Mapping[str, Callable[[Any], object]] = NOTHING
) -> Listing:
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


APPROVE = StaffDecision(
    name="approve",
    permission="approve",
    title="Approve {rows}?",
    button="Approve",
    paragraphs=[
        "The money is released: it can be exported, or confirmed as paid. Where the "
        "brand asks for a second person, the first approval of what an affiliate asked "
        "for only prepares it."
    ],
    write=_approve,
    **waiting((PayoutStatus.REQUESTED,)),
)
EXPORT = StaffDecision(
    name="export",
    permission="pay",
    title="Pay {rows}?",
    button="Pay",
    paragraphs=[
        "What the brand has a payout account for is sent at once, and its results are "
        "read by themselves. For the others, one file is written for each brand, method "
        "and currency: download it from the list of payout batches, send it, and confirm "
        "it there once the money is paid. All of them count as being paid."
    ],
    write=_export,
    **waiting((PayoutStatus.APPROVED,), (Way.FILE,)),
)
CONFIRM = StaffDecision(
    name="confirm",
    permission="pay",
    title="Confirm that the money of {rows} is paid?",
    button="It is paid",
    paragraphs=[
        "A statement is issued, and the affiliate gets an e-mail. Account credit is "
        "added now and cannot be taken back."
    ],
    form=_to_confirm,
    write=_confirm,
    # Account credit is added in steps that commit separately.
    is_atomic=False,
    **waiting(PAYABLE_STATUSES),
)
REJECT = StaffDecision(
    name="reject",
    permission="approve",
    title="Reject {rows}?",
    button="Reject",
    paragraphs=[
        "The money becomes payable again, and the affiliate gets an e-mail with your "
        "reason. Reject what is being paid only when the bank or PayPal has returned "
        "it, or never got the file."
    ],
    form=lambda chosen: RejectForm(chosen.data),
    write=partial(_for_reasons, reject_payouts, REJECTED),
    **waiting(OPEN_STATUSES, has_reasons=True),
)
REJECT_UNCREDITED = StaffDecision(
    name="reject-uncredited",
    permission="pay",
    title="Reject account credit that was never added?",
    button="Reject",
    paragraphs=[
        "Only for account credit that is being paid and that the portal refuses each "
        "time you confirm it. Look at the client's account first, for the payout's "
        "number: what was credited all the same would be paid twice."
    ],
    form=lambda chosen: UncreditedForm(chosen.data),
    write=partial(_for_reasons, partial(reject_payouts, is_uncredited=True), REJECTED),
    **waiting((PayoutStatus.EXPORTED,), (Way.CREDIT,), has_reasons=True),
)
CAME_BACK = StaffDecision(
    name="came-back",
    permission="pay",
    title="Did the money of {rows} come back?",
    button="It came back",
    paragraphs=[
        "The money becomes payable again, and a credit note takes the statement back. "
        "Nothing is edited: it is a posting of its own. The affiliate sees your reason."
    ],
    form=lambda chosen: RejectForm(chosen.data),
    write=partial(_for_reasons, return_payouts, RETURNED),
    **waiting((PayoutStatus.PAID,), ELSEWHERE, has_reasons=True),
)


class MayPay(Decides):
    """Permissions to decide on payouts, and to pay them and see the files."""

    has_approve_permission = requires("affiliates.approve_payout")
    has_pay_permission = requires("affiliates.confirm_payout")


class PayoutActions(MayPay):
    """The actions on the list of payouts and on the page of each."""

    approve, approve_this = APPROVE.on_both("Approve…")
    export, export_this = EXPORT.on_both("Pay by PayPal or the bank…")
    confirm, confirm_this = CONFIRM.on_both("Confirm payment…")
    reject, reject_this = REJECT.on_both("Reject…")
    reject_uncredited, reject_uncredited_this = REJECT_UNCREDITED.on_both(
        "Reject as not credited…"
    )
    came_back, came_back_this = CAME_BACK.on_both("It came back…")


def counted(count: int) -> str:
    return "1 payout" if count == 1 else f"{count:,} payouts"


def _exported(payout_ids: list[int], *, actor_id: Any) -> tuple[str, int]:
    """The message about the export, and its level."""
    try:
        batch = export_batch(
            payout_ids=payout_ids, actor_id=actor_id, now=timezone.now()
        )
    except AffiliatesError as error:
        return error.detail, messages.ERROR
    is_sent = sending_of(batch) is not None
    end = "It is being sent." if is_sent else "Download it below."
    text = f"{batch}: {counted(len(payout_ids))} being paid. {end}"
    return text, messages.SUCCESS
