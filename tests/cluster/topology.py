"""Starts what deploy/many/ describes on one machine, and ends what it started."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.running import HOST, ROOT, Process, ended
from tests.cluster import files
from tests.cluster.files import NAMES, WEB, Places
from tests.deploy.conftest import (
    MAIN_CONFIGURATION,
    await_condition,
    is_listening,
    new_environment,
    write_certificate,
)

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

    def __init__(self, places: Places, stack: ExitStack) -> None:
        self.places = places
        self.primary = NAMES[0]
        self.processes: dict[str, Process] = {}
        self.seeded = ""
        self._stack = stack
        self._secrets = {
            **new_environment(),
            "PAYMENT_WEBHOOK_SECRET_DEMO": "whsec_" + secrets.token_hex(32),
        }

    def environment(self, file: str = "environment") -> dict[str, str]:
        """Of a process on a web node; by ``commands`` of a command there."""
        return {
            "PATH": SEARCHED,
            **self._secrets,
            "BEHIND_TLS_PROXY": "on",
            "AFFILIATES_TRUSTED_PROXIES": "1",
            "MEDIA_ROOT": str(self.places.folder / "media"),
            "GRANIAN_WORKERS": "1",
            "DEMO_GATEWAY": "on",
            **files.environment_of(self.places),
            **files.environment_of(self.places, file),
        }

    def manage(self, *arguments: str, by: str = "commands") -> str:
        """The output of a command, run as deploy/manage does."""
        done = subprocess.run(  # noqa: S603 - ourselves
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment(by),
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
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

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

    def promote(self, name: str) -> None:
        """PgBouncer remembers that its PostgreSQL was a standby, until it is restarted."""
        self.ask(name, "SELECT pg_promote()")
        self.primary = name
        self.kill(f"pgbouncer-{name}")
        start_pooler(self, name)

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


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """Everything is in a folder of its own, which is removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="many-"))
    passwords = {name: secrets.token_hex(16) for name in ("affiliates", "replicator")}
    places = Places(folder=folder, passwords=passwords)
    try:
        with ExitStack() as stack:
            cluster = Cluster(places, stack)
            _write_files(places)
            _start_databases(cluster)
            _start_poolers(cluster)
            cluster.start("redis", ["redis-server", folder / "redis.conf"])
            cluster.manage("migrate", "--verbosity", "0")
            cluster.seeded = cluster.manage("seed_demo")
            _start_nodes(cluster)
            yield cluster
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_files(places: Places) -> None:
    folder = places.folder
    for name in ("backup", "media", "nginx", *NAMES):
        (folder / name).mkdir()
    for name in NAMES:
        own = folder / name
        (own / "lock").mkdir()
        (own / "pgbackrest.conf").write_text(files.pgbackrest_of(places, name), "utf-8")
        (own / "pgbouncer.ini").write_text(files.pgbouncer_of(places, name), "utf-8")
    (folder / "redis.conf").write_text(files.redis_of(places), "utf-8")
    write_certificate(folder / "nginx")
    outside, inside = files.nginx_of(places)
    (folder / "nginx/affiliates.conf").write_text(inside, "utf-8")
    user = "user root;" if os.getuid() == 0 else ""
    main = MAIN_CONFIGURATION.format(folder=folder / "nginx", user=f"{user}\n{outside}")
    (folder / "nginx/nginx.conf").write_text(main, "utf-8")
    if os.getuid() == 0:
        folder.chmod(0o755)
        for name in ("backup", *NAMES):
            for path in (folder / name, *(folder / name).rglob("*")):
                shutil.chown(path, DATABASE_USER, DATABASE_USER)


def _configure(places: Places, name: str) -> None:
    data = places.data(name)
    for file, text in (
        ("postgresql.conf", files.postgresql_of(places, name)),
        ("pg_hba.conf", files.pg_hba()),
    ):
        (data / file).write_text(text, "utf-8")
        shutil.chown(data / file, data.owner(), data.group())


def _start_databases(cluster: Cluster) -> None:
    places = cluster.places
    first = NAMES[0]
    as_database(
        BINARIES / "initdb",
        "--auth-local=peer",
        "--auth-host=scram-sha-256",
        "--encoding=UTF8",
        "--no-sync",
        "--username=postgres",
        f"--pgdata={places.data(first)}",
    )
    _configure(places, first)
    cluster.start_database(first)
    roles = places.folder / "roles.sql"
    roles.write_text(
        files.substituted(
            "roles.sql",
            [
                ("AFFILIATES_PASSWORD", places.passwords["affiliates"]),
                ("REPLICATOR_PASSWORD", places.passwords["replicator"]),
            ],
        )
        # The tests make databases of their own.
        + "ALTER ROLE affiliates CREATEDB;\n",
        "utf-8",
    )
    cluster.ask(first, file=roles)
    for name in NAMES[1:]:
        make_standby(cluster, name)
    cluster.await_standbys(2)


def make_standby(cluster: Cluster, name: str) -> None:
    """A copy of the primary, which it follows from then on."""
    places = cluster.places
    data = places.data(name)
    source = (
        f"host={HOST} port={places.databases[cluster.primary]} user=replicator "
        f"password={places.passwords['replicator']}"
    )
    shutil.rmtree(data, ignore_errors=True)
    as_database(
        BINARIES / "pg_basebackup",
        "--checkpoint=fast",
        "--no-sync",
        f"--pgdata={data}",
        f"--dbname={source}",
    )
    _configure(places, name)
    (data / "standby.signal").touch()
    shutil.chown(data / "standby.signal", data.owner(), data.group())
    cluster.start_database(name)


def pgbackrest(cluster: Cluster, *command: str) -> str:
    """Of the primary."""
    config = cluster.places.folder / cluster.primary / "pgbackrest.conf"
    return as_database(
        "pgbackrest", f"--config={config}", "--stanza=affiliates", *command
    )


def _start_poolers(cluster: Cluster) -> None:
    places = cluster.places
    known = cluster.ask(
        cluster.primary,
        'SELECT format(\'"%s" "%s"\', rolname, rolpassword) FROM pg_authid'
        " WHERE rolname = 'affiliates'",
    )
    for name in NAMES:
        (places.folder / name / "userlist.txt").write_text(known + "\n", "utf-8")
        start_pooler(cluster, name)


def start_pooler(cluster: Cluster, name: str) -> None:
    folder = cluster.places.folder / name
    (folder / "pgbouncer.pid").unlink(missing_ok=True)
    command = ["pgbouncer", folder / "pgbouncer.ini"]
    cluster.start(f"pgbouncer-{name}", command, as_database=True)
    await_condition(lambda: is_listening(cluster.places.poolers[name]))


def _start_nodes(cluster: Cluster) -> None:
    places = cluster.places
    for name in WEB:
        start_node(cluster, name)
    nginx = ["nginx", "-c", places.folder / "nginx/nginx.conf"]
    cluster.start("nginx", nginx)
    await_condition(lambda: is_listening(places.https))


def start_node(cluster: Cluster, name: str) -> None:
    """Web process and worker of one node."""
    port = cluster.places.web[name]
    environment = cluster.environment()
    cluster.start(
        name, files.web_command(cluster.places, name), environment=environment
    )
    worker = [sys.executable, ROOT / "manage.py", "affiliates_worker"]
    cluster.start(f"worker-{name}", worker, environment=environment)
    await_condition(lambda: is_listening(port))
