from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils import timezone

from affiliates.admin_tools.base import ReadOnlyAdmin, requires
from affiliates.admin_tools.columns import coloured_column, column, moment, row_column
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.stripe.models import StripeEvent, StripeEventState
from affiliates.contrib.stripe.services import OPEN, apply_again

STATE_COLOURS = {
    StripeEventState.APPLIED: "success",
    StripeEventState.WAITING: "warning",
    StripeEventState.REFUSED: "danger",
    StripeEventState.IGNORED: "info",
}


def _apply(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    count = apply_again(event_ids=list(chosen.ids), now=timezone.now())
    chosen.report(f"Applied: {count:,}.", is_success=count == len(chosen.ids))


TRY_AGAIN = StaffDecision(
    name="try-again",
    permission="change_state_of",
    title="Try {rows} again?",
    button="Try again",
    paragraphs=["An invoice that waits for an earlier one is applied without it."],
    waiting=lambda rows: rows.filter(state__in=OPEN),
    is_open=lambda row: row.state in OPEN,
    write=_apply,
)


@register_page(StripeEvent)
class StripeEventAdmin(Decides, ReadOnlyAdmin):
    about = "Signed events of Stripe and what came of them, newest first."
    nothing_yet = "Events appear here by themselves once Stripe calls the webhook."
    list_display = ("shown_id", "brand", "type", "current_state", "cause", "received")
    list_filter = (("received_at", DaysFilter), "brand", "state", "type")
    list_select_related = ("brand",)
    sortable_by = ()
    search_fields = (search.exactly("event_id", "waits_for"),)
    search_help_text = "A whole id of an event, or of what it waits for"
    actions: ClassVar = ("try_again",)
    actions_detail: ClassVar = ("try_this_again",)
    fields = (
        ("brand", "event_id"),
        ("type", "state"),
        ("waits_for", "reason"),
        ("created", "received"),
        "payload",
    )
    has_change_state_of_permission = requires("affiliates_stripe.change_stripeevent")

    shown_id = row_column("Event", str)
    current_state = coloured_column("state", "State", STATE_COLOURS)
    cause = row_column("Cause", lambda row: row.reason or row.waits_for or "-")
    created = column("created_at", "Created at Stripe", show=moment)
    received = column("received_at", "Received", show=moment)

    try_again = TRY_AGAIN.on_list("Try selected again")
    try_this_again = TRY_AGAIN.on_row("Try again")
