"""``make cluster``: the topology of deploy/many/ on one machine. Not part of other runs."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import uuid4

import httpcore
import psycopg
import pytest
import redis

from benchmarks.running import HOST, ROOT, free_port
from tests.cluster.client import Shop
from tests.cluster.databases import (
    make_standby,
    newest_standby,
    pgbackrest,
    promote,
    restore,
    start_pooler,
)
from tests.cluster.running import running_cluster, start_node
from tests.cluster.topology import Cluster, missing
from tests.deploy.conftest import DOMAIN, await_condition, connect


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    if absent := missing():
        pytest.fail(f"Needs Debian's packages: apt-get install {' '.join(absent)}")
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture
def shop(cluster) -> Iterator[Shop]:
    with Shop(cluster) as shop:
        yield shop


def test_two_standbys_have_each_commit(cluster):
    cluster.await_standbys(2)

    states = cluster.ask(
        cluster.primary, "SELECT DISTINCT sync_state FROM pg_stat_replication"
    )
    assert states == "quorum"


def test_nobody_is_heard_without_tls_and_a_password(cluster):
    places = cluster.places
    user = f"affiliates:{places.passwords['affiliates']}"
    for port in (*places.databases.values(), *places.poolers.values()):
        url = f"postgresql://{user}@{HOST}:{port}/affiliates?sslmode=disable"
        with pytest.raises(
            psycopg.OperationalError, match="no encryption|SSL required"
        ):
            psycopg.connect(url)
    ours = {"ssl": True, "ssl_ca_certs": str(places.tls / "ca.crt")}
    password = places.passwords["redis"]

    assert redis.Redis(HOST, places.redis, password=password, **ours).ping()
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(HOST, places.redis, **ours).ping()
    with pytest.raises(redis.ConnectionError):
        redis.Redis(HOST, places.redis, password=password).ping()


def test_the_flow_goes_through_both_nodes(cluster, shop):
    for number in range(4):
        order = shop.buy(f"ada{number}@example.org")
        shop.pay(order)

    assert cluster.query("SELECT count(*) FROM affiliates_sale") == [(4,)]
    assert cluster.manage("verify_ledger", "--deep").endswith("Everything agrees.\n")


def test_sessions_behind_the_pooler_are_left_as_the_pooler_made_them(cluster, shop):
    for _ in range(100):
        shop.visit()
    asked = (
        "from django.db import connection; cursor = connection.cursor(); "
        "[print(*cursor.execute(one).fetchall()[0]) for one in ("
        "'SHOW lock_timeout', 'SHOW statement_timeout', 'SHOW jit', "
        "'SELECT count(*) FROM pg_prepared_statements')]"
    )

    said = cluster.manage("shell", "--no-imports", "--command", asked, by="environment")

    assert said.splitlines() == ["10s", "30s", "off", "0"]


def test_another_host_gets_no_answer(cluster):
    url = f"http://{HOST}:{cluster.places.http}/"
    with pytest.raises(httpcore.RemoteProtocolError):
        httpcore.request("GET", url, headers={"Host": "made.up"})


def test_one_address_has_100_requests_under_way(cluster):
    half = (
        f"POST /api/affiliate_link/visit HTTP/1.1\r\nHost: {DOMAIN}\r\n"
        "Content-Length: 100\r\n\r\n{"
    ).encode()
    slow = [connect(cluster.places.https) for _ in range(100)]
    for one in slow:
        one.sendall(half)
    time.sleep(0.5)

    with Shop(cluster) as shop:
        assert shop.try_visit() == 429

    for one in slow:
        one.close()


def test_a_dripped_body_is_ended(cluster):
    """By the reload of nginx-reload.timer, after nginx-main.conf's half minute."""
    half = (
        f"POST /api/affiliate_link/visit HTTP/1.1\r\nHost: {DOMAIN}\r\n"
        "Content-Length: 60000\r\n\r\n"
    ).encode()
    with connect(cluster.places.https) as dripping:
        dripping.settimeout(0.4)
        dripping.sendall(half + b"{")
        time.sleep(0.5)
        # As nginx -s reload.
        os.kill(cluster.processes["nginx"].pid, signal.SIGHUP)
        began = time.monotonic()
        while time.monotonic() - began < 60 and _drips(dripping):
            pass
        assert 20 < time.monotonic() - began < 45


def _drips(connection: socket.socket) -> bool:
    try:
        connection.sendall(b" ")
        return connection.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


def test_limits_hold_for_both_nodes_together(cluster):
    with Shop(cluster, address="198.51.100.7") as stranger:
        stranger.await_minute()
        answers = [stranger.try_login(number) for number in range(30)]

    assert answers.count(429) == 10


def test_the_contract_holds_through_the_pooler(cluster):
    """In a database of its own; its counters of calls are in memory."""
    paths = ("test_flow.py", "test_endpoints.py", "test_clients_and_orders.py")
    own = {
        name: cluster.environment()[name]
        for name in ("DATABASE_URL", "DATABASE_POOLER")
    }
    done = subprocess.run(  # noqa: S603 - our own tests
        [
            sys.executable,
            *("-m", "pytest", "-q", "-n", "0", "--create-db", "--reuse-db"),
            *(f"tests/contract/{path}" for path in paths),
        ],
        cwd=ROOT,
        env=os.environ | own,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[:9_000] + done.stderr[-3000:]


def test_backups_hold_what_a_restore_needs(cluster):
    pgbackrest(cluster, "stanza-create")
    pgbackrest(cluster, "check")
    pgbackrest(cluster, "backup", "--type=full")

    (stanza,) = json.loads(pgbackrest(cluster, "info", "--output=json"))

    assert stanza["status"]["message"] == "ok"
    assert len(stanza["backup"]) == 1


def test_a_moment_is_restored_from_the_backups(cluster, shop):
    kept = marks(3)
    for mark in kept:
        shop.visit(mark)
    invoice = shop.buy("restored@example.org")
    shop.pay(invoice)
    ((moment,),) = cluster.query("SELECT now()")
    shop.visit(*marks(1))
    shop.pay(shop.buy("too-late@example.org"))
    ((sales,),) = cluster.query("SELECT count(*) FROM affiliates_sale")
    # Until the segment with the moment is in the archive.
    pgbackrest(cluster, "check")

    url = restore(cluster, moment, port=free_port())

    own = {"DATABASE_URL": url}
    started_at = datetime.now(tz=UTC).isoformat()
    said = cluster.manage("affiliates_after_restore", started_at, "--yes", **own)
    assert "1,000 invoice numbers of each brand left out." in said
    with psycopg.connect(url) as connection:
        clicks = connection.execute(
            "SELECT visit_url FROM affiliates_click ORDER BY created_at DESC LIMIT 4"
        ).fetchall()
        last = connection.execute(
            "SELECT invoice_ref, (SELECT count(*) FROM affiliates_sale)"
            " FROM affiliates_sale ORDER BY recorded_at DESC LIMIT 1"
        ).fetchone()
    # The buyer's own visit has no mark.
    assert [url.partition("mark=")[2] for (url,) in clicks] == ["", *reversed(kept)]
    assert last == (invoice["id"], sales - 1)
    verified = cluster.manage("verify_ledger", "--deep", **own)
    assert verified.endswith("Everything agrees.\n")
    cluster.kill("restored")


def test_a_lost_node_is_not_noticed(cluster, shop):
    cluster.kill("web2")

    answers = [shop.try_visit() for _ in range(50)]

    assert answers == [200] * 50
    cluster.kill("worker-web2")
    start_node(cluster, "web2")


def test_a_lost_primary_loses_nothing(cluster, shop):
    """Every acknowledged visit is on the standby that is promoted."""
    lost = cluster.primary
    acknowledged = [mark for mark in marks(50) if shop.is_stored(mark)]
    cluster.kill(lost)
    cluster.kill(f"pgbouncer-{lost}")
    began = time.monotonic()
    meanwhile = [shop.try_visit(mark) for mark in marks(3)]

    new = newest_standby(cluster, lost)
    moment = datetime.now(tz=UTC).isoformat()
    promote(cluster, new)
    said = cluster.manage("affiliates_after_restore", moment, "--numbers=0", "--yes")
    start_pooler(cluster, new)

    await_condition(shop.is_stored)
    back = time.monotonic() - began
    acknowledged += [mark for mark in marks(50) if shop.is_stored(mark)]
    stored = [
        url.partition("mark=")[2]
        for (url,) in cluster.query("SELECT visit_url FROM affiliates_click")
    ]
    assert len(acknowledged) >= 90
    assert meanwhile == [200] * 3
    assert [one for one in acknowledged if stored.count(one) != 1] == []
    assert back < 30
    assert "By hand:" in said
    make_standby(cluster, lost)
    start_pooler(cluster, lost)
    cluster.await_standbys(2)
    assert cluster.manage("verify_ledger", "--deep").endswith("Everything agrees.\n")


def marks(number: int) -> list[str]:
    return [uuid4().hex for _ in range(number)]
