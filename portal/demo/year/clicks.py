"""Visits that nobody ordered after: rows like those that a genuine visit leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from operator import itemgetter
from typing import Any

from affiliates.program.models import AffiliateLink
from affiliates.visits.models import Click
from portal.demo.seeding import acts
from portal.demo.seeding.writing import stored, write_values
from portal.demo.year.clock import StoryClock
from portal.demo.year.people import Sender
from portal.demo.year.program import Program
from portal.demo.year.traffic import choose_senders, draw_caller

# Of hundred clicks so many come again, are a robot's, or follow the affiliate's code.
REPEATS, ROBOTS, BY_CODE = 14, 7, 30
ROBOT_SIGNS = "user_agent"
# By the hour of the day, in UTC.
HOURS = (2, 1, 1, 1, 1, 2, 4, 7, 10, 11, 11, 10, 10, 11, 11, 10, 10, 10, 11, 12, 12, 10, 7, 4)  # fmt: skip
COLUMNS = [str(field.column) for field in Click._meta.concrete_fields]

# A row's stored values by its columns.
ClickRow = dict[str, Any]


def make_patterns(
    program: Program, link: AffiliateLink, clock: StoryClock
) -> dict[str, ClickRow]:
    """One visit of each kind through the services, deleted again."""
    code = f"{program.origin}/plans?ref={link.affiliate.code}"
    kinds = {
        "hash": (f"{program.origin}/aff/{link.hash}", acts.PERSON.format(140)),
        "code": (code, acts.PERSON.format(140)),
        "robot": (f"{program.origin}/aff/{link.hash}", acts.ROBOT),
    }
    patterns: dict[str, ClickRow] = {}
    for kind, (url, agent) in kinds.items():
        acts.visit(
            acts.Visitor(ip="", ip_prefix="192.0.2.0/24", user_agent=agent),
            brand_id=program.brand.pk,
            url=url,
            referrer="",
            now=clock.now,
        )
        visited = Click.objects.filter(affiliate=link.affiliate)
        [row] = visited.values()
        patterns[kind] = {name: stored(value) for name, value in row.items()}
        visited.delete()
    return patterns


def visits_of_day(
    number: int,
    count: int,
    *,
    links: Mapping[str, Sequence[AffiliateLink]],
    patterns: Mapping[str, ClickRow],
    clock: StoryClock,
) -> list[ClickRow]:
    """``clock`` is at the beginning of the day."""
    began_at, dice = clock.now, clock.dice
    rows: list[ClickRow] = []
    for sender in choose_senders(number, count, dice, sell=False):
        hour = dice.choices(range(24), HOURS)[0]
        clock.now = began_at + timedelta(hours=hour, seconds=dice.randrange(3_600))
        rows.append(_visit(sender, dice.choice(links[sender.code]), patterns, clock))
        if dice.randrange(100) < REPEATS:
            clock.now += timedelta(minutes=dice.randint(1, 25))
            rows.append(_again(rows[-1], clock))
    clock.now = began_at
    return rows


def write_visits(rows: Sequence[ClickRow]) -> None:
    """By ``bulk_create`` it would be a tenth of the seeding."""
    values = (itemgetter(*COLUMNS)(row) for row in rows)
    write_values(Click._meta.db_table, COLUMNS, values)


def _visit(
    sender: Sender,
    link: AffiliateLink,
    patterns: Mapping[str, ClickRow],
    clock: StoryClock,
) -> ClickRow:
    drawn = clock.dice.randrange(100)
    kind = "robot" if drawn < ROBOTS else "code" if drawn < ROBOTS + BY_CODE else "hash"
    pattern, caller = patterns[kind], draw_caller(sender, clock.dice)
    return pattern | {
        "id": clock.new_id().hex,
        "created_at": stored(clock.now),
        "affiliate_id": link.affiliate_id,
        "link_id": link.pk if kind != "code" else None,
        "visitor_id": clock.new_id().hex,
        "visit_url": _address(pattern["visit_url"], sender, link),
        "referrer_url": f"https://{caller.referrer}/" if caller.referrer else "",
        "ip_prefix": caller.ip_prefix,
        "country": caller.country,
        "sub_id": caller.sub_id,
        "user_agent": pattern["user_agent"] if kind == "robot" else caller.user_agent,
    }


def _address(url: str, sender: Sender, link: AffiliateLink) -> str:
    """The visited address with this affiliate's hash or code."""
    start, _, _ = url.rpartition("=" if "?ref=" in url else "/")
    return f"{start}={sender.code}" if "?ref=" in url else f"{start}/{link.hash}"


def _again(earlier: ClickRow, clock: StoryClock) -> ClickRow:
    return earlier | {
        "id": clock.new_id().hex,
        "created_at": stored(clock.now),
        "is_repeat": not earlier["bot_signs"],
    }
