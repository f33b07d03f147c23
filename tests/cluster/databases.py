"""The cluster's databases: one primary, its standbys, poolers and backups."""

from __future__ import annotations

import shutil
from datetime import datetime

import psycopg

from benchmarks.running import HOST
from tests.cluster import files
from tests.cluster.files import NAMES, Places
from tests.cluster.topology import BINARIES, Cluster, as_database
from tests.deploy.conftest import await_condition, is_listening


def start_databases(cluster: Cluster) -> None:
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
        f"password={places.passwords['replicator']} "
        f"sslmode=verify-full sslrootcert={places.tls}/ca.crt"
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


def newest_standby(cluster: Cluster, lost: str) -> str:
    """As docs/many.md says: the one that has received most."""
    received = {
        name: int(cluster.ask(name, "SELECT pg_last_wal_receive_lsn() - '0/0'::pg_lsn"))
        for name in cluster.places.databases
        if name != lost
    }
    return max(received, key=received.__getitem__)


def promote(cluster: Cluster, name: str) -> None:
    """Its pooler stays off: web nodes write again when ``start_pooler`` is called."""
    cluster.kill(f"pgbouncer-{name}")
    cluster.ask(name, "SELECT pg_promote()")
    cluster.primary = name


def pgbackrest(cluster: Cluster, *command: str) -> str:
    """Of the primary."""
    config = cluster.places.folder / cluster.primary / "pgbackrest.conf"
    return as_database(
        "pgbackrest", f"--config={config}", "--stanza=affiliates", *command
    )


def restore(cluster: Cluster, moment: datetime, *, port: int) -> str:
    """From the backups into a folder of its own, as docs/many.md says. Returns its URL.

    It is alone: it waits for no standby, and leaves the archive to the primary.
    """
    folder = cluster.places.folder / "restored"
    data = folder / "data"
    owner = cluster.places.data(cluster.primary)
    for path in (folder, data):
        path.mkdir(mode=0o700)
        shutil.chown(path, owner.owner(), owner.group())
    pgbackrest(
        cluster,
        f"--pg1-path={data}",
        "--type=time",
        f"--target={moment.isoformat(' ')}",
        "--target-action=promote",
        "restore",
    )
    alone = {
        "port": port,
        "unix_socket_directories": folder,
        "synchronous_standby_names": "",
        "archive_mode": "off",
    }
    options = [
        part for name, value in alone.items() for part in ("-c", f"{name}={value}")
    ]
    cluster.start(
        "restored", [BINARIES / "postgres", "-D", data, *options], as_database=True
    )
    user = f"affiliates:{cluster.places.passwords['affiliates']}"
    url = f"postgres://{user}@{HOST}:{port}/affiliates"
    await_condition(lambda: _is_promoted(url))
    return url


def _is_promoted(url: str) -> bool:
    try:
        with psycopg.connect(url) as connection:
            (is_in_recovery,) = connection.execute(
                "SELECT pg_is_in_recovery()"
            ).fetchone()
    except psycopg.OperationalError:
        return False
    return not is_in_recovery


def start_poolers(cluster: Cluster) -> None:
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


def _configure(places: Places, name: str) -> None:
    data = places.data(name)
    for file, text in (
        ("postgresql.conf", files.postgresql_of(places, name)),
        ("pg_hba.conf", files.pg_hba()),
    ):
        (data / file).write_text(text, "utf-8")
        shutil.chown(data / file, data.owner(), data.group())
