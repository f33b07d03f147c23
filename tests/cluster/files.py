"""The files of deploy/many/, with the ports and folders of one machine."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.running import HOST, ROOT, free_port

MANY = ROOT / "deploy/many"
NAMES = ("db1", "db2", "db3")
WEB = ("web1", "web2")
DOMAIN = "api.example.com"
Substitutions = list[tuple[str, str]]
TLS = "/etc/affiliates/tls"
PROGRAMS = ("affiliates", "replicator", "redis")


def _ports(names: tuple[str, ...]) -> dict[str, int]:
    return {name: free_port() for name in names}


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where each part of the cluster is."""

    folder: Path
    passwords: dict[str, str]
    databases: dict[str, int] = field(default_factory=lambda: _ports(NAMES))
    poolers: dict[str, int] = field(default_factory=lambda: _ports(NAMES))
    web: dict[str, int] = field(default_factory=lambda: _ports(WEB))
    redis: int = field(default_factory=free_port)
    http: int = field(default_factory=free_port)
    https: int = field(default_factory=free_port)

    def data(self, name: str) -> Path:
        return self.folder / name / "data"

    @property
    def tls(self) -> Path:
        """One machine has one certificate for all."""
        return self.folder / "tls"


def substituted(file: str, replacements: Substitutions) -> str:
    """The shipped file. Raises ValueError if it lacks what is to be replaced."""
    text = (MANY / file).read_text("utf-8")
    for shipped, here in replacements:
        if shipped not in text:
            raise ValueError(f"{file} has no {shipped!r}")
        text = text.replace(shipped, here)
    return text


def pgbackrest_of(places: Places, name: str) -> str:
    folder = places.folder
    return substituted(
        "pgbackrest.conf",
        [
            ("/backup", str(folder / "backup")),
            ("/var/log/pgbackrest", str(folder / name)),
            ("/tmp/pgbackrest", str(folder / name / "lock")),  # noqa: S108 - shipped
            ("/var/lib/postgresql/15/main", str(places.data(name))),
            ("pg1-port=5432", f"pg1-port={places.databases[name]}"),
            ("/var/run/postgresql", str(folder / name)),
        ],
    )


def postgresql_of(places: Places, name: str) -> str:
    """The shared file and the machine's own; one machine has one address for all."""
    folder = places.folder / name
    config = f"pgbackrest --config={folder}/pgbackrest.conf --stanza"
    shared = substituted(
        "postgresql.conf",
        [
            ("listen_addresses = '*'", f"listen_addresses = '{HOST}'"),
            ("port = 5432", f"port = {places.databases[name]}"),
            ("pgbackrest --stanza", config),
            (TLS, str(places.tls)),
        ],
    )
    own = substituted(
        "machine.conf",
        [
            ("cluster_name = 'db1'", f"cluster_name = '{name}'"),
            ("host=db1,db2,db3", f"host={','.join([HOST] * 3)}"),
            (
                "port=5432,5432,5432",
                f"port={','.join(map(str, places.databases.values()))}",
            ),
            ("REPLICATOR_PASSWORD", places.passwords["replicator"]),
            (TLS, str(places.tls)),
        ],
    )
    return f"{shared}\n{own}\nunix_socket_directories = '{folder}'\n"


def pg_hba() -> str:
    return substituted(
        "pg_hba.conf",
        [
            ("10.0.0.0/24", "127.0.0.0/8"),
            # The tests make databases of their own.
            ("  affiliates   affiliates", "  all          affiliates"),
        ],
    )


def pgbouncer_of(places: Places, name: str) -> str:
    folder = places.folder / name
    return substituted(
        "pgbouncer.ini",
        [
            # The tests make databases of their own.
            ("affiliates = host", "* = host"),
            ("port=5432", f"port={places.databases[name]}"),
            ("listen_addr = *", f"listen_addr = {HOST}"),
            ("listen_port = 6432", f"listen_port = {places.poolers[name]}"),
            ("/var/run/postgresql", str(folder)),
            ("/var/log/postgresql", str(folder)),
            ("/etc/pgbouncer", str(folder)),
            (TLS, str(places.tls)),
        ],
    )


def redis_of(places: Places) -> str:
    return substituted(
        "redis.conf",
        [
            ("bind 0.0.0.0", f"bind {HOST}"),
            ("tls-port 6379", f"tls-port {places.redis}"),
            ("/var/lib/redis", str(places.folder)),
            (TLS, str(places.tls)),
            ("REDIS_PASSWORD", places.passwords["redis"]),
        ],
    )


def environment_of(places: Places, file: str = "environment") -> dict[str, str]:
    """The variables of ``environment`` or ``commands``."""
    ports = places.poolers if file == "environment" else places.databases
    text = (MANY / file).read_text("utf-8")
    text = text.replace("AFFILIATES_PASSWORD", places.passwords["affiliates"])
    text = text.replace("REDIS_PASSWORD", places.passwords["redis"])
    text = text.replace("cache1:6379", f"{HOST}:{places.redis}")
    text = text.replace(TLS, str(places.tls))
    for name, port in ports.items():
        text = re.sub(rf"{name}:\d+", f"{HOST}:{port}", text)
    lines = [one for one in text.splitlines() if one and not one.startswith("#")]
    return {
        name: value.strip('"') for name, value in (one.split("=", 1) for one in lines)
    }


def web_command(places: Places, name: str) -> list[str]:
    """The unit's, with the Python and the port of here."""
    text = (MANY / "affiliates-web.conf").read_text("utf-8").replace("\\\n", " ")
    command = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)[0]
    for shipped, here in (
        ("/srv/affiliates/current/.venv/bin/python", sys.executable),
        ("/srv/affiliates/current", str(ROOT)),
        ("--host 0.0.0.0", f"--host {HOST}"),
        ("--port 8000", f"--port {places.web[name]}"),
    ):
        if shipped not in command:
            raise ValueError(f"affiliates-web.conf has no {shipped!r}")
        command = command.replace(shipped, here)
    return shlex.split(command)


def nginx_of(places: Places) -> tuple[str, str]:
    """What is outside of ``http``, and what is inside."""
    folder = places.folder / "nginx"
    text = re.sub(
        r"^ *listen \[::\].*\n",
        "",
        substituted(
            "nginx.conf",
            [
                ("listen 80", f"listen {HOST}:{places.http}"),
                ("listen 443 ssl", f"listen {HOST}:{places.https} ssl"),
                ("web1:8000", f"{HOST}:{places.web['web1']}"),
                ("web2:8000", f"{HOST}:{places.web['web2']}"),
                (f"/etc/letsencrypt/live/{DOMAIN}", str(folder)),
                ("/var/www/html", str(folder)),
            ],
        ),
        flags=re.MULTILINE,
    )
    return substituted("nginx-main.conf", []), text
