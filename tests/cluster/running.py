"""Starts what deploy/many/ describes on one machine, and ends what it started."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.running import HOST, ROOT
from tests.cluster import files
from tests.cluster.databases import start_databases, start_poolers
from tests.cluster.files import NAMES, WEB, Places
from tests.cluster.topology import DATABASE_USER, Cluster
from tests.deploy.conftest import (
    MAIN_CONFIGURATION,
    await_condition,
    is_listening,
    write_certificate,
)


@contextmanager
def running_cluster(
    *,
    tracker: str = "",
    variables: Mapping[str, str] | None = None,
    prepare: Callable[[Cluster], None] | None = None,
) -> Iterator[Cluster]:
    """Everything is in a folder of its own, which is removed at the end.

    ``tracker`` is the address of the simulated network, ``variables`` are more ones of
    the nodes, and ``prepare`` is called before the first database is made.
    """
    folder = Path(tempfile.mkdtemp(prefix="many-"))
    passwords = {name: secrets.token_hex(16) for name in files.PROGRAMS}
    places = Places(folder=folder, passwords=passwords)
    try:
        with ExitStack() as stack:
            cluster = Cluster(places, stack, variables or {})
            _write_files(places)
            if prepare is not None:
                prepare(cluster)
            start_databases(cluster)
            start_poolers(cluster)
            start_redis(cluster)
            cluster.manage("migrate", "--verbosity", "0")
            cluster.seeded = cluster.manage(
                "seed_demo", *(["--tracker", tracker] if tracker else [])
            )
            _start_nodes(cluster)
            try:
                yield cluster
            finally:
                cluster.end()
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
    _write_certificate(places)
    (folder / "redis.conf").write_text(files.redis_of(places), "utf-8")
    write_certificate(folder / "nginx")
    outside, inside = files.nginx_of(places)
    (folder / "nginx/affiliates.conf").write_text(inside, "utf-8")
    user = "user root;" if os.getuid() == 0 else ""
    main = MAIN_CONFIGURATION.format(folder=folder / "nginx", user=f"{user}\n{outside}")
    (folder / "nginx/nginx.conf").write_text(main, "utf-8")
    if os.getuid() == 0:
        folder.chmod(0o755)
        for name in ("backup", "tls", *NAMES):
            for path in (folder / name, *(folder / name).rglob("*")):
                shutil.chown(path, DATABASE_USER, DATABASE_USER)


def _write_certificate(places: Places) -> None:
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(  # noqa: S603 - our own
            [files.MANY / "certificates", HOST],
            cwd=made,
            check=True,
            capture_output=True,
        )
        shutil.move(Path(made) / HOST, places.tls)
        shutil.copy(Path(made) / "ca.crt", places.tls)
    places.tls.chmod(0o755)


def start_redis(cluster: Cluster) -> None:
    cluster.start("redis", ["redis-server", cluster.places.folder / "redis.conf"])


def _start_nodes(cluster: Cluster) -> None:
    places = cluster.places
    for name in WEB:
        start_node(cluster, name)
    nginx = ["nginx", "-c", places.folder / "nginx/nginx.conf"]
    cluster.start("nginx", nginx)
    await_condition(lambda: is_listening(places.https))


def start_node(
    cluster: Cluster,
    name: str,
    variables: Mapping[str, str] | None = None,
    *,
    is_awaited: bool = True,
) -> None:
    """Web process and worker of one node; ``variables`` are more ones of its own."""
    environment = {**cluster.environment(), **(variables or {})}
    cluster.start(
        name, files.web_command(cluster.places, name), environment=environment
    )
    start_worker(cluster, name, environment)
    if is_awaited:
        await_condition(lambda: is_listening(cluster.places.web[name]))


def start_worker(
    cluster: Cluster, name: str, environment: Mapping[str, str] | None = None
) -> None:
    cluster.start(
        f"worker-{name}",
        [sys.executable, ROOT / "manage.py", "affiliates_worker"],
        environment=environment or cluster.environment(),
    )
