from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest

from portal.environment import (
    MISSING_SECRETS,
    development_environment,
    write_development_environment,
)

ROOT = Path(__file__).resolve().parents[2]


def test_secrets_are_written_for_the_owner_alone(tmp_path):
    path = tmp_path / ".env"

    assert write_development_environment(path) is True

    values = dict(line.split("=", 1) for line in path.read_text().splitlines())
    assert set(values) == {
        "SECRET_KEY",
        "AFFILIATES_COOKIE_KEYS",
        "HTTPS",
        "DEMO_GATEWAY",
        "PAYMENT_WEBHOOK_SECRET_DEMO",
    }
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(values["SECRET_KEY"]) >= 50
    assert values["HTTPS"] == "off"
    key_id, _, key = values["AFFILIATES_COOKIE_KEYS"].partition(":")
    assert key_id == "1"
    assert len(b64decode(key)) == 32
    secret = values["PAYMENT_WEBHOOK_SECRET_DEMO"].removeprefix("whsec_")
    assert len(b64decode(secret)) == 32


def test_an_existing_file_is_left_alone(tmp_path):
    path = tmp_path / ".env"
    path.write_text("SECRET_KEY=mine\n")

    assert write_development_environment(path) is False
    assert path.read_text() == "SECRET_KEY=mine\n"


def test_secrets_differ_each_time():
    assert development_environment() != development_environment()


@pytest.fixture
def clone(tmp_path) -> Path:
    """The tree as a fresh clone has it: no .env, no database."""
    shutil.copy(ROOT / "manage.py", tmp_path)
    shutil.copytree(ROOT / "portal", tmp_path / "portal")
    (tmp_path / "affiliates").symlink_to(ROOT / "affiliates")
    return tmp_path


def run(clone: Path, *command: str, **extra: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, *command],
        cwd=clone,
        env={**kept, **extra},
        capture_output=True,
        text=True,
        check=False,
    )


def test_wsgi_without_secrets_says_what_to_do(clone):
    done = run(clone, "-c", "import portal.wsgi")

    assert done.returncode == 1
    assert f"ImproperlyConfigured: {MISSING_SECRETS}" in done.stderr
    assert not (clone / ".env").exists()


def test_first_command_writes_the_file_and_says_so_on_stderr(clone):
    done = run(clone, "manage.py", "version")

    assert "Wrote .env with new secrets for development.\n" in done.stderr
    assert "Wrote" not in done.stdout
    assert stat.S_IMODE((clone / ".env").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("_case", "variables"),
    [
        ("the secret is in the environment", {"SECRET_KEY": "given"}),
        ("other settings", {"DJANGO_SETTINGS_MODULE": "tests.settings"}),
    ],
)
def test_nothing_is_written_when(_case, variables, clone):
    run(clone, "manage.py", "version", **variables)

    assert not (clone / ".env").exists()


def test_server_with_secrets_of_its_own_takes_nothing_from_a_development_file(clone):
    run(clone, "manage.py", "version")
    keys = f"1:{'A' * 43}="
    code = (
        "from portal import settings as s; "
        "print(s.HTTPS, s.DEMO_GATEWAY, s.PAYMENT_WEBHOOK_SECRETS)"
    )

    alone = run(clone, "-c", code)
    served = run(clone, "-c", code, SECRET_KEY="given", AFFILIATES_COOKIE_KEYS=keys)

    assert alone.stdout.startswith("False True {'demo': ")
    assert served.stdout == "True False {}\n"


def test_the_portal_works_without_its_demonstration(clone):
    shutil.rmtree(clone / "portal" / "demo")
    keys = f"1:{'A' * 43}="

    done = run(
        clone, "manage.py", "check", SECRET_KEY="given", AFFILIATES_COOKIE_KEYS=keys
    )

    assert (done.returncode, done.stderr) == (0, "")
