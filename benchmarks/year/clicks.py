"""Visits that nobody ordered after: rows like those that a genuine visit leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from datetime import datetime, timedelta
from uuid import UUID

from affiliates.program.models import AffiliateLink
from affiliates.visits.models import Click
from benchmarks.seeding import acts
from benchmarks.seeding.rows import Table
from benchmarks.seeding.writing import write_rows
from benchmarks.year.clock import StoryClock
from benchmarks.year.people import Sender
from benchmarks.year.program import Program
from benchmarks.year.traffic import choose_senders, draw_caller

# Of hundred clicks so many come again, are a robot's, or follow the affiliate's code.
REPEATS, ROBOTS, BY_CODE = 14, 7, 30
ROBOT_SIGNS = "user_agent"
SUB_IDS = ("", "", "", "", "newsletter", "sidebar", "review", "footer")
# Who adds them.
TAGGING = ("demo", "devletter")
# By the hour of the day, in UTC.
HOURS = (
    2,
    1,
    1,
    1,
    1,
    2,
    4,
    7,
    10,
    11,
    11,
    10,
    10,
    11,
    11,
    10,
    10,
    10,
    11,
    12,
    12,
    10,
    7,
    4,
)


def make_patterns(
    program: Program, link: AffiliateLink, clock: StoryClock
) -> dict[str, Click]:
    """One visit of each kind through the services, deleted again."""
    code = f"{program.origin}/plans?ref={link.affiliate.code}"
    kinds = {
        "hash": (f"{program.origin}/aff/{link.hash}", acts.PERSON.format(140)),
        "code": (code, acts.PERSON.format(140)),
        "robot": (f"{program.origin}/aff/{link.hash}", acts.ROBOT),
    }
    patterns = {}
    for kind, (url, agent) in kinds.items():
        acts.visit(
            acts.Visitor(ip="", ip_prefix="192.0.2.0/24", user_agent=agent),
            brand_id=program.brand.pk,
            url=url,
            referrer="",
            now=clock.now,
        )
        [patterns[kind]] = Click.objects.filter(affiliate=link.affiliate)
        Click.objects.all().delete()
    return patterns


def visits_of_day(
    number: int,
    count: int,
    *,
    links: Mapping[str, AffiliateLink],
    patterns: Mapping[str, Click],
    clock: StoryClock,
) -> list[Click]:
    """``clock`` is at the beginning of the day."""
    began_at, dice = clock.now, clock.dice
    rows: list[Click] = []
    for sender in choose_senders(number, count, dice, sell=False):
        hour = dice.choices(range(24), HOURS)[0]
        clock.now = began_at + timedelta(hours=hour, seconds=dice.randrange(3_600))
        rows.append(_visit(sender, links[sender.code], patterns, clock))
        if dice.randrange(100) < REPEATS:
            clock.now += timedelta(minutes=dice.randint(1, 25))
            rows.append(_again(rows[-1], clock))
    clock.now = began_at
    return rows


def write_visits(rows: Sequence[Click]) -> None:
    """As COPY takes them: by ``bulk_create`` it would be a tenth of the seeding."""
    fields = Click._meta.concrete_fields
    table = Table(
        model=Click,
        columns=[str(one.column) for one in fields],
        pks=[],
        rows=[],
        seals=[],
    )
    lines = (
        "\t".join(_text(getattr(row, one.attname)) for one in fields) for row in rows
    )
    write_rows({Click._meta.db_table: table}, {Click._meta.db_table: lines})


def _text(value: object) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ", "microseconds")
    if isinstance(value, UUID):
        return value.hex
    return str(int(value)) if isinstance(value, bool) else str(value)


def _visit(
    sender: Sender,
    link: AffiliateLink,
    patterns: Mapping[str, Click],
    clock: StoryClock,
) -> Click:
    drawn = clock.dice.randrange(100)
    kind = "robot" if drawn < ROBOTS else "code" if drawn < ROBOTS + BY_CODE else "hash"
    row = _copy(patterns[kind], clock)
    caller = draw_caller(sender, clock.dice)
    row.affiliate_id = link.affiliate_id
    row.link_id = link.pk if kind != "code" else None
    row.visitor_id = clock.new_id()
    row.visit_url = _address(row.visit_url, patterns["hash"], sender, link)
    row.referrer_url = f"https://{caller.referrer}/" if caller.referrer else ""
    row.ip_prefix, row.country = caller.ip_prefix, caller.country
    row.sub_id = clock.dice.choice(SUB_IDS) if sender.code in TAGGING else ""
    if kind != "robot":
        row.user_agent = caller.user_agent
    return row


def _address(url: str, told: Click, sender: Sender, link: AffiliateLink) -> str:
    """The visited address with this affiliate's hash or code."""
    start, _, _ = url.rpartition("=" if "?ref=" in url else "/")
    return f"{start}={sender.code}" if "?ref=" in url else f"{start}/{link.hash}"


def _again(earlier: Click, clock: StoryClock) -> Click:
    row = _copy(earlier, clock)
    row.is_repeat = not earlier.bot_signs
    return row


def _copy(row: Click, clock: StoryClock) -> Click:
    made = copy(row)
    made._state = copy(row._state)
    made._state.adding = True
    made.id, made.created_at = clock.new_id(), clock.now
    return made
