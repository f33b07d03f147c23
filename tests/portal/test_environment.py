from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from portal.checks import check_environment
from portal.environment import (
    MISSING_SECRETS,
    Environment,
    development_environment,
    write_development_environment,
)
from tests.cases import each

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


@each(
    ("read", "text", "value"),
    [
        ("int", "2", 2),
        ("float", "0.5", 0.5),
        ("bool", "Off", False),
        ("bool", "yes", True),
        ("dict", "visit=1/minute,claim=", {"visit": "1/minute", "claim": ""}),
    ],
)
def test_a_variable_is_read(read, text, value, monkeypatch):
    monkeypatch.setenv("NAME", text)

    assert getattr(Environment(), read)("NAME") == value


@each(
    ("read", "text", "fault"),
    [
        ("int", "two", "NAME is 'two': write a whole number, as 2."),
        ("int", "", "NAME is '': write a whole number, as 2."),
        ("float", "1s", "NAME is '1s': write a number, as 60."),
        # Not silently off, and with it https.
        ("bool", "onn", "NAME is 'onn': write on or off."),
        ("dict", "visit", "NAME is 'visit': write name=value,name=value."),
    ],
)
def test_a_variable_that_cannot_be_read_is_named(read, text, fault, monkeypatch):
    monkeypatch.setenv("NAME", text)

    with pytest.raises(ImproperlyConfigured) as caught:
        getattr(Environment(), read)("NAME")

    assert str(caught.value) == fault


@each(
    ("read", "text"),
    [
        ("db", "secret"),
        ("db", "postgres://user:secret@host:port/name"),
        ("cache_url", "secret"),
        ("email", "secret"),
        ("email", "smtp://user:secret@host:port"),
    ],
)
def test_a_url_that_cannot_be_read_is_named_without_its_password(
    read, text, monkeypatch
):
    monkeypatch.setenv("NAME", text)

    with pytest.raises(ImproperlyConfigured) as caught:
        getattr(Environment(), read)("NAME")

    assert str(caught.value).startswith("NAME cannot be read: write a URL such as ")
    assert "secret" not in str(caught.value)


def test_a_mistyped_variable_is_named(monkeypatch):
    monkeypatch.setenv("AFFILIATES_TRUSTED_PROXY", "1")

    (message,) = check_environment(None)

    assert message.id == "portal.W001"
    assert message.msg.startswith("The portal reads no AFFILIATES_TRUSTED_PROXY ")
    assert message.hint == "Write one of AFFILIATES_TRUSTED_PROXIES."


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


def begin(clone: Path, **variables: str) -> None:
    """What manage.py does before the command: starting Django takes three seconds."""
    code = "import manage; manage.execute_from_command_line = list; manage.main()"

    done = run(clone, "-c", code, "diffsettings", **variables)

    assert done.returncode == 0


@pytest.mark.parametrize(("https", "is_secure"), [("on", True), ("off", False)])
def test_every_cookie_is_sent_by_https_alone(https, is_secure, clone):
    names = [f"{one}_COOKIE_SECURE" for one in ("SESSION", "CSRF", "LANGUAGE")]
    said = "from portal import settings; print(*(getattr(settings, n) for n in {}))"
    given = {"SECRET_KEY": "given", "AFFILIATES_COOKIE_KEYS": "given", "HTTPS": https}

    done = run(clone, "-c", said.format(names), **given)

    assert (done.stdout.split(), done.stderr) == ([str(is_secure)] * 3, "")


@pytest.mark.parametrize(("https", "prefix"), [("on", "__Host-"), ("off", "")])
def test_with_https_no_other_host_can_set_a_cookie(https, prefix, clone):
    names = [f"{one}_COOKIE_NAME" for one in ("SESSION", "CSRF", "LANGUAGE", "MESSAGE")]
    said = (
        "from django.conf import settings; from portal.messages import MessageStorage;"
        "print(*(getattr(settings, n) for n in {}),"
        " MessageStorage.storage_classes[0].cookie_name)"
    )
    given = {
        "SECRET_KEY": "given",
        "AFFILIATES_COOKIE_KEYS": "given",
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "HTTPS": https,
    }

    done = run(clone, "-c", said.format(names), **given)

    cookies = ["sessionid", "csrftoken", "django_language", "messages", "messages"]
    assert (done.stdout.split(), done.stderr) == ([prefix + one for one in cookies], "")


def test_wsgi_without_secrets_says_what_to_do(clone):
    done = run(clone, "-c", "import portal.wsgi")

    assert done.returncode == 1
    assert f"ImproperlyConfigured: {MISSING_SECRETS}" in done.stderr
    assert not (clone / ".env").exists()


@pytest.mark.site
def test_first_command_writes_the_file_and_says_so_on_stderr(clone):
    done = run(clone, "manage.py", "diffsettings")

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
    begin(clone, **variables)

    assert not (clone / ".env").exists()


@pytest.mark.site
def test_whoever_asks_what_a_command_does_is_told_and_nothing_is_written(clone):
    done = run(clone, "manage.py", "deliver", "--help")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: manage.py deliver ")
    assert not (clone / ".env").exists()


def test_command_with_an_unreadable_variable_says_so_in_one_line(clone):
    done = run(
        clone,
        "manage.py",
        "check",
        SECRET_KEY="given",
        AFFILIATES_COOKIE_KEYS=f"1:{'A' * 43}=",
        AFFILIATES_TRUSTED_PROXIES="two",
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "ImproperlyConfigured: AFFILIATES_TRUSTED_PROXIES is 'two': "
        "write a whole number, as 2.\n"
    )


def test_server_with_secrets_of_its_own_takes_nothing_from_a_development_file(clone):
    begin(clone)
    keys = f"1:{'A' * 43}="
    code = (
        "from portal import settings as s; "
        "print(s.HTTPS, s.DEMO_GATEWAY, s.PAYMENT_WEBHOOK_SECRETS)"
    )

    alone = run(clone, "-c", code)
    served = run(clone, "-c", code, SECRET_KEY="given", AFFILIATES_COOKIE_KEYS=keys)

    assert alone.stdout.startswith("False True {'demo': ")
    assert served.stdout == "True False {}\n"


def test_settings_of_the_app_are_read_from_the_environment(clone):
    settings = {
        "AFFILIATES_SITE_URL": "https://api.example.com",
        "AFFILIATES_KEEP_DELIVERIES_DAYS": 0,
        "AFFILIATES_KEEP_EMAILS_DAYS": 7,
        "AFFILIATES_KEEP_USER_AGENTS_DAYS": 8,
        "AFFILIATES_KEEP_DECLINED_DAYS": 9,
        "AFFILIATES_KEEP_BOOKS_YEARS": 11,
        "AFFILIATES_OWN_WEBHOOK_CALLS_PER_HOUR": 60,
        "AFFILIATES_MAX_BODY_BYTES": 1024,
    }
    code = "from portal import settings as s; print({{n: getattr(s, n) for n in {}}})"
    secrets = {"SECRET_KEY": "given", "AFFILIATES_COOKIE_KEYS": f"1:{'A' * 43}="}
    texts = {name: str(value) for name, value in settings.items()}

    done = run(clone, "-c", code.format(list(settings)), **secrets, **texts)

    assert done.stdout == f"{settings}\n"


@pytest.mark.site
def test_the_portal_works_without_its_demonstration(clone):
    shutil.rmtree(clone / "portal" / "demo")
    keys = f"1:{'A' * 43}="

    done = run(
        clone, "manage.py", "check", SECRET_KEY="given", AFFILIATES_COOKIE_KEYS=keys
    )

    assert (done.returncode, done.stderr) == (0, "")
