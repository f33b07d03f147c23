"""What deploy/ holds, at work in a temporary folder: nginx before granian before the portal."""

from __future__ import annotations

import os
import re
import shlex
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from benchmarks.processes import tree
from benchmarks.running import HOST, ROOT, START_SECONDS, ended, free_port
from tests.migrated import copy_migrated
from tests.needs import require

DEPLOY = ROOT / "deploy"
DOMAIN = "api.example.com"
ORIGIN = "http://shop.localhost:8000"
WORKERS = 2
METRICS_TOKEN = "b1946ac92492d2347c6235b4d2611184"  # noqa: S105 - of the tests
TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TLS.check_hostname, TLS.verify_mode = False, ssl.CERT_NONE
# What is around the copied file, as a distribution has it.
MAIN_CONFIGURATION = """
{user}
worker_processes 2;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 768; }}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
    include {folder}/affiliates.conf;
}}
"""


@dataclass(frozen=True)
class Site:
    """``granian`` is the main process, which starts the workers and keeps ``log``."""

    port: int
    plain_port: int
    granian: int
    log: Path

    def workers(self) -> set[int]:
        return {pid for pid in tree(self.granian) if pid != self.granian}


@pytest.fixture(scope="package")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("deployed")


@pytest.fixture(scope="package")
def environment(folder, django_db_setup, django_db_blocker) -> dict[str, str]:
    """As of a process on a server: what new-environment wrote and the unit adds."""
    database = folder / "site.sqlite3"
    is_migrated = copy_migrated(database)
    # The unit's second runtime directory.
    (folder / "metrics").mkdir()
    variables = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        **new_environment(),
        **dict(pair.split("=") for pair in unit("Environment").split()),
        "DATABASE_URL": f"sqlite:///{database}",
        "MEDIA_ROOT": str(folder / "media"),
        "PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics"),
        "AFFILIATES_METRICS_TOKEN": METRICS_TOKEN,
    }
    for command in ["seed_demo"] if is_migrated else ["migrate", "seed_demo"]:
        subprocess.run(  # noqa: S603 - ourselves
            [sys.executable, "manage.py", command],
            cwd=ROOT,
            env={**variables, "DEMO_GATEWAY": "on"},
            check=True,
            capture_output=True,
        )
    return variables


@pytest.fixture(scope="package")
def site(folder, environment) -> Iterator[Site]:
    port, plain_port = free_port(), free_port()
    write_nginx_configuration(folder, port=port, plain_port=plain_port)
    log = folder / "granian.log"
    nginx = [require("nginx"), "-c", f"{folder}/nginx.conf"]
    with (
        running(web_command(folder), environment, log=log) as granian,
        running(nginx, environment, log=folder / "nginx.out"),
    ):
        await_started_workers(log, WORKERS)
        await_condition(lambda: is_listening(port))
        yield Site(port, plain_port, granian.pid, log)


def new_environment() -> dict[str, str]:
    require("openssl")
    made = subprocess.run(  # noqa: S603 - our own
        [DEPLOY / "new-environment", DOMAIN], capture_output=True, text=True, check=True
    )
    return dict(line.split("=", 1) for line in made.stdout.splitlines())


def unit(name: str, file: str = "affiliates-web.service") -> str:
    """The value of an entry of a unit, on one line."""
    text = (DEPLOY / "systemd" / file).read_text("utf-8").replace("\\\n", " ")
    return " ".join(re.search(rf"^{name}=(.*)$", text, re.MULTILINE)[1].split())


def verify_units(paths: Collection[Path], folder: Path) -> None:
    """Lets systemd check copies that name no file which only a server has."""
    analyze = require("systemd-analyze")
    copies = [folder / path.name for path in paths]
    for path, copy in zip(paths, copies, strict=True):
        text = path.read_text("utf-8")
        text = re.sub(
            r"^(Exec\w+=)(\S+)",
            lambda line: (
                line[0] if Path(line[2]).exists() else line[1] + sys.executable
            ),
            text,
            flags=re.MULTILINE,
        )
        text = text.replace("/etc/affiliates/environment", f"-{folder}/environment")
        copy.write_text(text, "utf-8")

    checked = subprocess.run(  # noqa: S603 - our own command
        [analyze, "verify", *copies], capture_output=True, text=True, check=False
    )

    assert (checked.returncode, checked.stderr) == (0, "")


def web_command(folder: Path, *, release: Path = ROOT) -> list[str]:
    """The unit's own, with the paths of the temporary folder."""
    command = (
        unit("ExecStart")
        .replace("/srv/affiliates/current/.venv/bin/python", sys.executable)
        .replace("/srv/affiliates/current", str(release))
        .replace("/run/affiliates", str(folder))
    )
    return shlex.split(command)


def write_nginx_configuration(folder: Path, *, port: int, plain_port: int) -> None:
    write_certificate(folder)
    text = (DEPLOY / "nginx/affiliates.conf").read_text("utf-8")
    for shipped, here in (
        ("    listen [::]:80;\n", ""),
        ("    listen [::]:443 ssl;\n", ""),
        ("listen 80;", f"listen {HOST}:{plain_port};"),
        ("listen 443 ssl;", f"listen {HOST}:{port} ssl;"),
        (f"/etc/letsencrypt/live/{DOMAIN}", str(folder)),
        ("/run/affiliates", str(folder)),
        ("/var/www/html", str(folder)),
    ):
        assert shipped in text
        text = text.replace(shipped, here)
    (folder / "affiliates.conf").write_text(text, "utf-8")
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        MAIN_CONFIGURATION.format(folder=folder, user=user), "utf-8"
    )


def write_certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, DOMAIN)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(DOMAIN)]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "fullchain.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "privkey.pem").write_bytes(
        key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


def connect(port: int) -> ssl.SSLSocket:
    plain = socket.create_connection((HOST, port), timeout=START_SECONDS)
    return TLS.wrap_socket(plain, server_hostname=DOMAIN)


@contextmanager
def running(
    command: list[str], environment: dict[str, str], *, log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        # From "/", as systemd starts it.
        process = subprocess.Popen(  # noqa: S603 - our own command
            command,
            cwd="/",
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    with ended(process):
        yield process


def await_started_workers(log: Path, count: int) -> None:
    """So many since granian began. Before that a worker hears no signal."""
    await_condition(lambda: log.read_text("utf-8").count("Started worker") >= count)


def is_listening(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex((HOST, port)) == 0


def await_condition(is_met, *, seconds: float = START_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not is_met():
        assert time.monotonic() < deadline, f"Not met within {seconds} s."
        time.sleep(0.05)
