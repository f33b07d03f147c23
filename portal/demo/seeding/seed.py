"""Filling an empty database: what is copied how often, and how far it has come."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core.management.color import no_style
from django.db import connection, transaction

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.rules import ChangeKind
from affiliates.brands.services import record_changes
from affiliates.ledger.services import rebuild_balances
from portal.billing.models import Invoice, InvoiceCounter
from portal.demo.seeding.copies import Keys, Place, Source, render
from portal.demo.seeding.histories import GROUP_SIZE, History, make_group
from portal.demo.seeding.program import Program, make_programs
from portal.demo.seeding.rows import Snapshot, copied_models, read_snapshot
from portal.demo.seeding.stories import (
    FINISHED_DAYS,
    GOING_ON_DAYS,
    tell_finished,
    tell_going_on,
    tell_traffic,
)
from portal.demo.seeding.template import TemplateMaker
from portal.demo.seeding.writing import write_rows

# Orders and clicks of one history; fewer where fewer are asked for.
FINISHED_ORDERS = 120
GOING_ON_ORDERS = 40
TRAFFIC_CLICKS = 1_000
GOING_ON_SHARE = 10
YEARS_DAYS = 700
AFFILIATES_SINCE = timedelta(days=900)
PROGRAM_SINCE = timedelta(days=2_000)
# So many rows are written in one transaction.
ROWS_AT_ONCE = 40_000

Say = Callable[[str, int, int], None]


class Wanted(NamedTuple):
    clicks: int
    orders: int
    affiliates: int
    brands: int


class Job(NamedTuple):
    """One copy to be written."""

    source: Source
    group: Source
    place: Place
    group_place: Place


@dataclass(kw_only=True)
class Stories:
    """The templates of one brand."""

    brand_id: int
    group: Source
    finished: Source
    going_on: Source
    traffic: Source


def is_empty() -> bool:
    return not Brand.objects.exists()


def seed(wanted: Wanted, *, now: datetime, jobs: int, say: Say) -> None:
    """Add such a program to the database; ``jobs`` write at once."""
    dice = random.Random(4711)  # noqa: S311 - the same database each time
    programs = make_programs(wanted.brands, began_at=now - PROGRAM_SINCE)
    fixed = read_snapshot()
    stories = []
    for number, program in enumerate(programs, start=1):
        say("Histories", number, len(programs))
        stories.append(_tell_stories(program, fixed, wanted, dice=dice, now=now))
    plan = _Plan(fixed, dice)
    for story in stories:
        plan.add(story, wanted)
    _write(plan.groups, jobs=jobs, name="Affiliates", say=say)
    _write(sorted(plan.copies, key=_days), jobs=jobs, name="Copies", say=say)
    _finish(plan, say)


def _tell_stories(
    program: Program,
    fixed: Snapshot,
    wanted: Wanted,
    *,
    dice: random.Random,
    now: datetime,
) -> Stories:
    orders = wanted.orders // wanted.brands
    clicks = wanted.clicks // wanted.brands
    with transaction.atomic():
        affiliates = make_group(program, began_at=now - AFFILIATES_SINCE)
        group = read_snapshot(fixed)

        def told(tell: Callable[[History], None], days: int) -> Source:
            history = History(
                program=program,
                affiliates=affiliates,
                links=[affiliate.links.order_by("pk")[0] for affiliate in affiliates],
                dice=dice,
                now=now - timedelta(days=days),
            )
            with transaction.atomic():
                tell(history)
                snapshot = read_snapshot(fixed, group)
                transaction.set_rollback(True)
            maker = TemplateMaker(snapshot, fixed=fixed, group=group)
            return Source(template=maker.make())

        finished = min(FINISHED_ORDERS, max(orders // 10, 12))
        going_on = min(GOING_ON_ORDERS, max(orders // 20, 8))
        traffic = min(TRAFFIC_CLICKS, max(clicks // 10, 5))
        stories = Stories(
            brand_id=program.brand.pk,
            group=Source(template=TemplateMaker(group, fixed=fixed, group=None).make()),
            finished=told(
                lambda progress: tell_finished(progress, orders=finished), FINISHED_DAYS
            ),
            going_on=told(
                lambda progress: tell_going_on(progress, orders=going_on), GOING_ON_DAYS
            ),
            traffic=told(lambda progress: tell_traffic(progress, clicks=traffic), 1),
        )
        transaction.set_rollback(True)
    return stories


class _Plan:
    """Which copies there are to be, of which group, moved by how many days."""

    def __init__(self, fixed: Snapshot, dice: random.Random) -> None:
        self.groups: list[Job] = []
        self.copies: list[Job] = []
        self._last_numbers: dict[tuple[int, str], int] = defaultdict(int)
        self._keys, self._dice = Keys(fixed), dice

    def add(self, stories: Stories, wanted: Wanted) -> None:
        groups = self._add_groups(stories, wanted)
        orders, clicks = wanted.orders // wanted.brands, wanted.clicks // wanted.brands
        going_on_orders = _orders_of(stories.going_on)
        # A group has one such copy at most: an affiliate has one open payout.
        going_on = min(max(orders // GOING_ON_SHARE // going_on_orders, 1), len(groups))
        left = orders - going_on * going_on_orders
        finished = max(left // _orders_of(stories.finished), 1)
        clicks -= going_on * _clicks_of(stories.going_on)
        clicks -= finished * _clicks_of(stories.finished)
        traffic = max(clicks // _clicks_of(stories.traffic), 1)
        for group in self._dice.sample(groups, going_on):
            self._add_copy(stories, stories.going_on, group, within=6)
        for _ in range(finished):
            self._add_copy(
                stories, stories.finished, self._owner(groups), within=YEARS_DAYS
            )
        for _ in range(traffic):
            self._add_copy(
                stories, stories.traffic, self._owner(groups), within=YEARS_DAYS
            )

    def last_numbers(self, table: str) -> dict[int, int]:
        """Returns the last number by brand, for brands with rows in the table."""
        return {
            brand_id: last
            for (brand_id, its_table), last in self._last_numbers.items()
            if its_table == table
        }

    def _add_groups(self, stories: Stories, wanted: Wanted) -> list[Place]:
        count = max(wanted.affiliates // wanted.brands // GROUP_SIZE, 1)
        places = []
        for _ in range(count):
            place = Place(
                number=len(self.groups),
                days=-self._dice.randint(0, YEARS_DAYS),
                bases=self._keys.take(stories.group.counts),
                first_numbers={},
            )
            places.append(place)
            self.groups.append(Job(stories.group, stories.group, place, place))
        return places

    def _add_copy(
        self, stories: Stories, source: Source, group: Place, *, within: int
    ) -> None:
        first_numbers = {}
        for table, ranks in source.numbers.items():
            key = stories.brand_id, table
            first_numbers[table] = self._last_numbers[key] + 1
            self._last_numbers[key] += len(ranks)
        place = Place(
            number=len(self.copies),
            days=-self._dice.randint(0, within),
            bases=self._keys.take(source.counts),
            first_numbers=first_numbers,
        )
        self.copies.append(Job(source, stories.group, place, group))

    def _owner(self, groups: Sequence[Place]) -> Place:
        """A tenth is of the first group, a fifth of the first ten, the rest of all."""
        drawn = self._dice.random()
        few = 1 if drawn < 0.1 else 10 if drawn < 0.3 else len(groups)
        return groups[self._dice.randrange(min(few, len(groups)))]


def _orders_of(source: Source) -> int:
    return source.counts["affiliates_orderreferral"]


def _clicks_of(source: Source) -> int:
    return source.counts["affiliates_click"]


def _days(job: Job) -> int:
    return job.place.days


def _write(queue: Sequence[Job], *, jobs: int, name: str, say: Say) -> None:
    batches = list(_batches(queue))
    done = 0
    if jobs == 1:
        for batch in batches:
            done += _write_batch(batch)
            say(name, done, len(queue))
        return
    with ThreadPoolExecutor(jobs) as pool:
        for count in pool.map(_write_apart, batches):
            done += count
            say(name, done, len(queue))


def _write_apart(batch: Sequence[Job]) -> int:
    """In a thread, whose connection nobody else would close."""
    try:
        return _write_batch(batch)
    finally:
        connection.close()


def _batches(queue: Sequence[Job]) -> Iterator[list[Job]]:
    batch: list[Job] = []
    rows = 0
    for job in queue:
        batch.append(job)
        rows += sum(job.source.counts.values())
        if rows >= ROWS_AT_ONCE:
            yield batch
            batch, rows = [], 0
    if batch:
        yield batch


def _write_batch(batch: Sequence[Job]) -> int:
    texts: dict[str, list[str]] = defaultdict(list)
    tables = {}
    for job in batch:
        tables.update(job.source.template.snapshot.tables)
        rendered = render(
            job.source, job.group, place=job.place, group_place=job.group_place
        )
        for name, text in rendered.items():
            texts[name].append(text)
    write_rows(tables, texts)
    return len(batch)


def _finish(plan: _Plan, say: Say) -> None:
    """Writes the data that services keep up to date: counters, balances, caches."""
    say("Balances", 0, 1)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), copied_models()):
            cursor.execute(statement)
    InvoiceCounter.objects.bulk_create(
        InvoiceCounter(brand_id=brand_id, last_number=last)
        for brand_id, last in plan.last_numbers(Invoice._meta.db_table).items()
    )
    with transaction.atomic():
        rebuild_balances()
        record_changes([ConfigChange(kind=ChangeKind.EVERYTHING)])
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
