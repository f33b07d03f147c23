"""The files of deploy/many/ are those that ``make cluster`` starts, and agree with the rest."""

from __future__ import annotations

import inspect
import re
import stat
import subprocess
from pathlib import Path

import pytest

from portal.databases import complete
from portal.environment import Environment
from tests.cases import each
from tests.cluster import databases, files, running, topology
from tests.cluster.files import MANY, NAMES, WEB, Places
from tests.deploy.conftest import MAIN_CONFIGURATION, verify_units, write_certificate
from tests.deploy.test_files import options, unit
from tests.needs import require

# They need systemd: the suite reloads nginx itself.
UNITS = {"nginx-reload.service", "nginx-reload.timer"}
PAGE = Path(files.ROOT / "docs/many.md").read_text("utf-8")


@pytest.fixture
def places(tmp_path) -> Places:
    return Places(
        folder=tmp_path,
        passwords=dict(zip(files.PROGRAMS, ("one", "two", "three"), strict=True)),
    )


def test_every_file_is_started_by_the_cluster_and_described():
    shipped = {path.name for path in MANY.iterdir()}
    modules = (files, topology, databases, running)
    source = "".join(map(inspect.getsource, modules))
    used = set(re.findall(r'"([a-z][\w.-]*)"', source))

    assert shipped - UNITS == shipped & used
    assert [name for name in sorted(shipped) if f"`{name}`" not in PAGE] == []


def test_nothing_is_left_of_other_machines(places):
    texts = [
        *(files.postgresql_of(places, name) for name in NAMES),
        *(files.pgbouncer_of(places, name) for name in NAMES),
        *(files.pgbackrest_of(places, name) for name in NAMES),
        files.redis_of(places),
        files.nginx_of(places)[1],
        *files.environment_of(places).values(),
        *files.environment_of(places, "commands").values(),
    ]

    left = re.compile(
        r"(?<!/)\b(db\d[:, ]|web\d:|cache1)|\b(5432|6432|6379|8000)\b|PASSWORD|/(var|etc)/"
    )
    standbys = "ANY 1 (db1, db2, db3)"
    told = [
        line
        for text in texts
        for line in text.replace(standbys, "").splitlines()
        if not line.lstrip().startswith(("#", ";")) and left.search(line)
    ]
    assert told == []


def test_web_processes_are_served_as_on_one_server(places):
    command = " ".join(files.web_command(places, WEB[0]))

    assert options(command) == options(unit("ExecStart"))


def test_nginx_takes_the_files(places):
    nginx = require("nginx")
    folder = places.folder / "nginx"
    folder.mkdir()
    write_certificate(folder)
    outside, inside = files.nginx_of(places)
    (folder / "affiliates.conf").write_text(inside, "utf-8")
    (folder / "nginx.conf").write_text(
        MAIN_CONFIGURATION.format(folder=folder, user=outside), "utf-8"
    )

    tested = subprocess.run(  # noqa: S603 - our own command
        [nginx, "-t", "-c", folder / "nginx.conf"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert tested.returncode == 0, tested.stderr


def test_the_pooler_gives_sessions_what_the_portal_gives_them(monkeypatch):
    for name in ("STATEMENT", "LOCK", "IDLE"):
        monkeypatch.delenv(f"DATABASE_{name}_TIMEOUT", raising=False)
    monkeypatch.setenv("DATABASE_URL", "postgres:///affiliates")
    env = Environment()
    database = env.db("DATABASE_URL")
    complete(database, env)
    sent = dict(re.findall(r"-c (\w+)=(\w+)", database["OPTIONS"]["options"]))

    text = (MANY / "pgbouncer.ini").read_text("utf-8")
    given = dict(re.findall(r"SET (\w+) = '*(\w+)'*", text))

    assert given | {"jit": "off"} == {
        name: re.sub(r"(\d+)000ms", r"\1s", value) for name, value in sent.items()
    }


def test_web_nodes_use_the_pooler_and_commands_do_not(places):
    web = files.environment_of(places)
    commands = files.environment_of(places, "commands")

    assert web["DATABASE_POOLER"] == "transaction"
    assert commands["DATABASE_POOLER"] == ""
    for variables, ports in ((web, places.poolers), (commands, places.databases)):
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports.values())
        assert (
            f"@{hosts}/affiliates?target_session_attrs=read-write"
            in (variables["DATABASE_URL"])
        )


def test_everybody_speaks_tls_and_checks_with_whom(places):
    urls = [
        url
        for file in ("environment", "commands")
        for name, url in files.environment_of(places, file).items()
        if name.endswith("DATABASE_URL") and url
    ]
    checked = f"sslmode=verify-full&sslrootcert={places.tls}/ca.crt"

    assert [url.endswith(f"&{checked}") for url in urls] == [True] * 3
    standby = files.postgresql_of(places, "db1")
    assert f" {checked.replace('&', ' ')}'" in standby
    assert files.environment_of(places)["REDIS_URL"] == (
        f"rediss://:three@127.0.0.1:{places.redis}/0?ssl_ca_certs={places.tls}/ca.crt"
    )
    kinds = re.findall(r"^[a-z]+", files.pg_hba(), re.MULTILINE)
    assert sorted({*kinds}) == ["hostssl", "local"]
    assert "client_tls_sslmode = require\n" in files.pgbouncer_of(places, "db1")
    assert {"port 0", "requirepass three"} <= {*files.redis_of(places).splitlines()}


@each(("name", "called"), [("db1", "-verify_hostname"), ("10.0.0.7", "-verify_ip")])
def test_a_certificate_is_for_the_name_of_its_machine(name, called, tmp_path_factory):
    openssl = require("openssl")
    made = tmp_path_factory.mktemp("made")
    for names in (["db2"], [name]):
        subprocess.run(  # noqa: S603 - our own
            [MANY / "certificates", *names], cwd=made, check=True, capture_output=True
        )

    def is_valid(machine: str) -> bool:
        verify = [openssl, "verify", "-x509_strict", "-CAfile", made / "ca.crt"]
        command = [*verify, "-purpose", "sslserver", called, name]
        return not subprocess.run(  # noqa: S603 - our own command
            [*command, made / machine / "machine.crt"], capture_output=True, check=False
        ).returncode

    assert (is_valid(name), is_valid("db2")) == (True, False)
    kept = [made / "ca.key", made / name / "machine.key"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in kept] == [0o600] * 2
    assert not (made / "openssl.cnf").exists()


def test_certificates_need_the_names_of_machines(tmp_path):
    refused = subprocess.run(  # noqa: S603 - our own
        [MANY / "certificates"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (refused.returncode, [*tmp_path.iterdir()]) == (1, [])
    assert "certificates db1 db2 db3 cache1" in refused.stderr


def test_sessions_fit_into_postgresql():
    """And leave what commands, standbys and backups need."""
    pooler = (MANY / "pgbouncer.ini").read_text("utf-8")
    database = (MANY / "postgresql.conf").read_text("utf-8")
    sizes = re.findall(r"^(?:default|reserve)_pool_size = (\d+)", pooler, re.MULTILINE)
    (limit,) = re.findall(r"^max_connections = (\d+)", database, re.MULTILINE)

    assert sum(map(int, sizes)) + 30 <= int(limit)


def test_units_are_sound(tmp_path):
    verify_units([MANY / name for name in sorted(UNITS)], tmp_path)
