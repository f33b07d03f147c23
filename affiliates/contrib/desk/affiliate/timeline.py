"""Events in an affiliate's history: the latest of each kind, newest first."""

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
            Step(at=note.written_at, title="Note", text=f"{note.author}: {note.text}")
            for note in affiliate.notes.select_related("author")[:SHOWN]
        ),
        *_changes(affiliate),
        *_departures(affiliate),
        *_payout_steps(affiliate),
        *_transfers(affiliate),
        *_looks(affiliate),
        *(
            Step(
                at=destination.created_at,
                title="Destination given",
                text=str(destination),
            )
            for destination in affiliate.destinations.all()[:SHOWN]
        ),
        *(
            Step(at=link.created_at, title="Link added", text=link.name)
            for link in affiliate.links.order_by("-pk")[:SHOWN]
        ),
    ]
    return sorted(steps, key=lambda step: step.at, reverse=True)[:SHOWN]


def _changes(affiliate: Affiliate) -> list[Step]:
    said = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Affiliate),
        object_id=str(affiliate.pk),
    ).select_related("user")
    return [
        Step(
            at=step.action_time,
            title="Changed by staff",
            text=f"{step.user}: {step.get_change_message()}",
        )
        for step in said[:SHOWN]
    ]


def _departures(affiliate: Affiliate) -> list[Step]:
    return [
        Step(at=departure.left_at, title="Left the program", text=_forfeited(departure))
        for departure in affiliate.departures.all()[:SHOWN]
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
            at=event.at,
            title=event.get_after_display(),
            text=f"{event.payout}, {row_money(event.payout)}. {event.reason}".rstrip(),
        )
        for event in events.select_related("payout").order_by("-pk")[:SHOWN]
    ]


def _looks(affiliate: Affiliate) -> list[Step]:
    looks = affiliate.looks.select_related("actor").order_by("-pk")[:SHOWN]
    return [
        Step(
            at=look.started_at or look.asked_at,
            title="Its area was looked at"
            if look.started_at
            else "A look was asked for",
            text=f"{look.actor}: {look.reason}. {_seen(look)}".rstrip(),
        )
        for look in looks
    ]


def _seen(look: AreaLook) -> str:
    return (
        f"Until {moment(look.ends_at)}: {', '.join(look.pages)}" if look.pages else ""
    )


def _transfers(affiliate: Affiliate) -> list[Step]:
    transfers = AffiliateTransfer.objects.select_related("source", "target", "actor")
    return [
        Step(at=row.at, title=title, text=f"{row}, by {row.actor}: {row.reason}")
        for title, rows in (
            ("Given to another affiliate", transfers.filter(source=affiliate)),
            ("Taken over from another affiliate", transfers.filter(target=affiliate)),
        )
        for row in rows[:SHOWN]
    ]
