"""What happened to an affiliate, the latest of each kind, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType

from affiliates.admin_tools.columns import moment, money_text, row_money
from affiliates.contrib.area.looks.models import AreaLook
from affiliates.payouts.models import PayoutEvent
from affiliates.program.history_models import AffiliateDeparture, AffiliateTransfer
from affiliates.program.models import Affiliate

SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    at: datetime
    title: str
    text: str


def timeline(affiliate: Affiliate) -> list[Step]:
    steps = [
        Step(at=affiliate.created_at, title="Became an affiliate", text=""),
        *(
            Step(at=one.written_at, title="Note", text=f"{one.author}: {one.text}")
            for one in affiliate.notes.select_related("author")[:SHOWN]
        ),
        *_changes(affiliate),
        *_departures(affiliate),
        *_payout_steps(affiliate),
        *_transfers(affiliate),
        *_looks(affiliate),
        *(
            Step(at=one.created_at, title="Destination given", text=str(one))
            for one in affiliate.destinations.all()[:SHOWN]
        ),
        *(
            Step(at=one.created_at, title="Link added", text=one.name)
            for one in affiliate.links.order_by("-pk")[:SHOWN]
        ),
    ]
    return sorted(steps, key=lambda one: one.at, reverse=True)[:SHOWN]


def _changes(affiliate: Affiliate) -> list[Step]:
    said = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Affiliate),
        object_id=str(affiliate.pk),
    ).select_related("user")
    return [
        Step(
            at=one.action_time,
            title="Changed by staff",
            text=f"{one.user}: {one.get_change_message()}",
        )
        for one in said[:SHOWN]
    ]


def _departures(affiliate: Affiliate) -> list[Step]:
    return [
        Step(at=one.left_at, title="Left the program", text=_forfeited(one))
        for one in affiliate.departures.all()[:SHOWN]
    ]


def _forfeited(departure: AffiliateDeparture) -> str:
    if not departure.forfeited:
        return ""
    amounts = ", ".join(
        money_text(amount, currency)
        for currency, amount in sorted(departure.forfeited.items())
    )
    how = "Given up" if departure.is_given_up else "Forfeited"
    return f"{how}: {amounts}"


def _payout_steps(affiliate: Affiliate) -> list[Step]:
    events = PayoutEvent.objects.filter(payout__affiliate=affiliate)
    return [
        Step(
            at=one.at,
            title=one.get_after_display(),
            text=f"{one.payout}, {row_money(one.payout)}. {one.reason}".rstrip(),
        )
        for one in events.select_related("payout").order_by("-pk")[:SHOWN]
    ]


def _looks(affiliate: Affiliate) -> list[Step]:
    looks = affiliate.looks.select_related("actor").order_by("-pk")[:SHOWN]
    return [
        Step(
            at=one.started_at or one.asked_at,
            title="Its area was looked at"
            if one.started_at
            else "A look was asked for",
            text=f"{one.actor}: {one.reason}. {_seen(one)}".rstrip(),
        )
        for one in looks
    ]


def _seen(look: AreaLook) -> str:
    return (
        f"Until {moment(look.ends_at)}: {', '.join(look.pages)}" if look.pages else ""
    )


def _transfers(affiliate: Affiliate) -> list[Step]:
    found = AffiliateTransfer.objects.select_related("source", "target", "actor")
    return [
        Step(at=one.at, title=title, text=f"{one}, by {one.actor}: {one.reason}")
        for title, rows in (
            ("Given to another affiliate", found.filter(source=affiliate)),
            ("Taken over from another affiliate", found.filter(target=affiliate)),
        )
        for one in rows[:SHOWN]
    ]
