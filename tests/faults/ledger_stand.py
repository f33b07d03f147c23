"""What the test of killed processes stands on: a program, its processes, their notes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from django.conf import settings
from django.db import connection

from affiliates.payouts.services.destinations import change_destination
from benchmarks.running import ROOT
from tests.database import database_url
from tests.factories.programs import make_world
from tests.factories.world import STARTED_AT, World
from tests.faults.ledger_acts import Act, Basket, Stage
from tests.faults.stand import await_condition

WORKERS = 4
VISITORS = 12
ORDERS_EACH = 4
LINES = [("hosting", "monthly", 9_900), ("domain", "annually", 1_249)]


def make_stage() -> Stage:
    """A program with orders of its affiliates' visitors; two are paid by account credit."""
    world = make_world()
    for affiliate in world.affiliates[:2]:
        change_destination(
            affiliate_id=affiliate.pk,
            kind="wallet",
            values={},
            now=STARTED_AT,
        )
    return Stage(
        brand_id=world.brand.pk,
        staff_id=str(world.host.client(world.brand, email="staff@example.com").pk),
        affiliate_ids=[affiliate.pk for affiliate in world.affiliates],
        baskets=[
            basket for number in range(VISITORS) for basket in _baskets(world, number)
        ],
        began_at=time.monotonic(),
    )


def _baskets(world: World, number: int) -> Iterator[Basket]:
    """Those of one client, whom an affiliate sent."""
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[number % len(world.affiliates)])
    world.register(visitor)
    for _ in range(ORDERS_EACH):
        yield Basket(
            order_ref=world.host.order(visitor.client, created_at=world.now),
            client_id=str(visitor.client.pk),
            payment_details_id=world.host.payment_details_id(visitor.client),
            cookie=visitor.cookie or "",
            currency="EUR" if number % 4 else "JPY",
            lines=LINES,
        )


@dataclass(kw_only=True)
class Journal:
    """What one process noted: all that it began, and how it went on."""

    path: Path

    def notes(self, kind: str) -> list[Any]:
        """Whole lines only: an act whose line was not finished has not begun."""
        if not self.path.exists():
            return []
        lines = self.path.read_text().split("\n")[:-1]
        notes = [json.loads(line) for line in lines]
        return [note[kind] for note in notes if kind in note]

    def has_got_to(self, count: int) -> bool:
        """Whether so many acts have begun, or there will be no more."""
        return len(self.notes("began")) >= count or bool(self.notes("failed"))

    def acts(self) -> list[Act]:
        return [Act(**act) for act in self.notes("began")]

    def under_way(self) -> Act | None:
        acts = self.acts()
        return acts[-1] if len(acts) > len(self.notes("ended")) else None


class Crew:
    """Processes at work. One that is killed is replaced by one that finishes its act."""

    def __init__(self, process: Any, stage: Stage, folder: Path) -> None:
        self._process = process
        self._stage = stage
        self._folder = folder
        self._at_work: dict[int, Journal] = {}
        self.journals: list[Journal] = []

    def start(self, first: Act | None = None) -> None:
        number = len(self.journals)
        journal = Journal(path=self._folder / f"journal-{number}.jsonl")
        self.journals.append(journal)
        pid = self._command(
            journal=str(journal.path), seed=number, first=first and asdict(first)
        )
        self._at_work[pid] = journal

    def replace_one(self, chance: Random) -> None:
        """Kill one of them somewhere in its first acts or a later one."""
        pid = chance.choice([*self._at_work])
        journal, count = self._at_work[pid], chance.randint(1, 4)
        await_condition(lambda: journal.has_got_to(count), seconds=120)
        time.sleep(chance.uniform(0, 0.05))
        self._command(kill=pid)
        del self._at_work[pid]
        left = journal.under_way()
        self.start(first=left and left.again(self._stage.now()))

    def _command(self, **command: Any) -> int:
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def at_work(stage: Stage, folder: Path) -> Iterator[Crew]:
    """Processes that work on the stage; with the block all that are left are killed."""
    plan = folder / "stage.json"
    stage.write(plan)
    with subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "tests.faults.ledger_workers", str(plan)],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE,
            "DATABASE_URL": database_url(),
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            crew = Crew(process, stage, folder)
            for _ in range(WORKERS):
                crew.start()
            yield crew
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def await_no_session() -> None:
    """Until PostgreSQL has ended whatever the killed processes had it do."""
    await_condition(lambda: not other_sessions(), seconds=120)


def other_sessions() -> list[Any]:
    """Everybody else in this database: who, doing what, holding how many locks."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid, state, query, (SELECT count(*) FROM pg_locks"
            " WHERE pg_locks.pid = pg_stat_activity.pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        return cursor.fetchall()
