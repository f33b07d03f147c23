"""The cluster of deploy/many/ on one machine: its processes, databases and commands."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.processes import tree
from benchmarks.running import HOST, ROOT, Process, ended
from tests.cluster import files
from tests.cluster.files import NAMES, Places
from tests.deploy.conftest import await_condition, is_listening, new_environment

BINARIES = Path("/usr/lib/postgresql/15/bin")
NEEDED = ("pgbouncer", "nginx", "pgbackrest", "redis-server")
SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin"
# PostgreSQL and PgBouncer refuse to run as root.
DATABASE_USER = "postgres"


def missing() -> list[str]:
    """What Debian's packages of the same names would bring."""
    absent = [one for one in NEEDED if shutil.which(one, path=SEARCHED) is None]
    return absent if BINARIES.is_dir() else [*absent, "postgresql-15"]


class Cluster:
    """A running cluster. ``primary`` is the database that writes."""

    def __init__(
        self, places: Places, stack: ExitStack, variables: Mapping[str, str]
    ) -> None:
        self.places = places
        self.primary = NAMES[0]
        self.processes: dict[str, Process] = {}
        self.seeded = ""
        self._stack = stack
        self._variables = {
            **variables,
            **new_environment(),
            "PAYMENT_WEBHOOK_SECRET_DEMO": "whsec_" + secrets.token_hex(32),
        }

    def environment(self, file: str = "environment") -> dict[str, str]:
        """Of a process on a web node; by ``commands`` of a command there."""
        return {
            "PATH": SEARCHED,
            **self._variables,
            "BEHIND_TLS_PROXY": "on",
            "AFFILIATES_TRUSTED_PROXIES": "1",
            "MEDIA_ROOT": str(self.places.folder / "media"),
            "GRANIAN_WORKERS": "1",
            "DEMO_GATEWAY": "on",
            **files.environment_of(self.places),
            **files.environment_of(self.places, file),
        }

    def manage(self, *arguments: str, by: str = "commands", **variables: str) -> str:
        """The output of a command, run as deploy/manage does."""
        done = subprocess.run(  # noqa: S603 - ourselves
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**self.environment(by), **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        return done.stdout

    def start(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        as_database: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> Process:
        log = self.places.folder / f"{name}.out"
        user = DATABASE_USER if as_database and os.getuid() == 0 else None
        with log.open("ab") as output:
            process = subprocess.Popen(  # noqa: S603 - our own command
                command,
                cwd="/",
                env=environment or {"PATH": SEARCHED},
                stdout=output,
                stderr=output,
                start_new_session=True,
                user=user,
                group=user,
                extra_groups=[] if user else None,
            )
        self._stack.enter_context(ended(process))
        self.processes[name] = process
        return process

    def kill(self, name: str) -> None:
        """Ends the process and what it started, as a power cut does."""
        process = self.processes.pop(name)
        self._signal(process, signal.SIGKILL)
        process.wait()

    def end(self) -> None:
        """Databases last: they wait for the sessions of the others."""
        for _, process in sorted(
            self.processes.items(), key=lambda one: one[0] in NAMES
        ):
            with ended(process):
                pass

    @contextmanager
    def stopped(self, *names: str) -> Iterator[None]:
        """They are there and do nothing, as on a machine that hangs."""
        processes = [self.processes[name] for name in names]
        for one in processes:
            self._signal(one, signal.SIGSTOP)
        try:
            yield
        finally:
            for one in processes:
                self._signal(one, signal.SIGCONT)

    def _signal(self, process: Process, number: signal.Signals) -> None:
        # The children of PostgreSQL lead sessions of their own.
        for pid in tree(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def at_end(self, act: Callable[[], object]) -> None:
        """Called after the processes that are started from now on have ended."""
        self._stack.callback(act)

    def start_database(self, name: str) -> None:
        data = self.places.data(name)
        port = self.places.databases[name]
        self.start(name, [BINARIES / "postgres", "-D", data], as_database=True)
        await_condition(lambda: is_listening(port))
        await_condition(lambda: self.answers(name))

    def answers(self, name: str) -> bool:
        try:
            self.ask(name, "SELECT 1")
        except RuntimeError:
            return False
        return True

    def ask(self, name: str, statement: str = "", *, file: Path | None = None) -> str:
        """What psql prints, as the superuser, who waits for no standby."""
        return as_database(
            BINARIES / "psql",
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            f"--host={self.places.folder / name}",
            f"--port={self.places.databases[name]}",
            "--dbname=postgres",
            f"--command={statement}" if file is None else f"--file={file}",
        ).strip()

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Rows of the service's own database, on the primary itself."""
        port = self.places.databases[self.primary]
        user, password = "affiliates", self.places.passwords["affiliates"]
        with psycopg.connect(
            f"postgresql://{user}:{password}@{HOST}:{port}/affiliates"
        ) as connection:
            return connection.execute(statement).fetchall()

    def await_standbys(self, count: int) -> None:
        streaming = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
        await_condition(lambda: self.ask(self.primary, streaming) == str(count))


def as_database(*command: str | Path) -> str:
    user = DATABASE_USER if os.getuid() == 0 else None
    done = subprocess.run(  # noqa: S603 - our own command
        command,
        cwd="/",
        env={"PATH": SEARCHED, "PGOPTIONS": "-c synchronous_commit=local"},
        capture_output=True,
        text=True,
        check=False,
        user=user,
        group=user,
        extra_groups=[] if user else None,
    )
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout
