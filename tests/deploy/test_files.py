"""The files of deploy/ agree with each other, with the code and with the documentation."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml
from django.core.management import get_commands

from tests.cases import each
from tests.deploy.conftest import (
    DEPLOY,
    DOMAIN,
    ROOT,
    WORKERS,
    new_environment,
    unit,
    verify_units,
    web_command,
)
from tests.lengths import SWEEP

# They share a server, so one process of the tests runs them all.
pytestmark = [pytest.mark.site, pytest.mark.xdist_group("deploy")]

UNITS = sorted((DEPLOY / "systemd").iterdir())
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
PROCFILE = dict(
    line.split(": ", 1)
    for line in (DEPLOY / "Procfile").read_text("utf-8").splitlines()
    if not line.startswith("#")
)
# What new-environment prints, on the server.
MADE_BY_HAND = "deploy/environment"
FILES = sorted(
    [
        *(path for path in DEPLOY.rglob("*") if path.is_file()),
        ROOT / "docs/quickstart.md",
        ROOT / "docs/upgrading.md",
    ]
)


def options(command: str) -> list[str]:
    """How granian serves, without where."""
    words = shlex.split(command.partition("granian ")[2])
    places = ("--working-dir", "--uds", "--uds-permissions", "--host", "--port")
    return [
        word
        for before, word in zip(["", *words], words, strict=False)
        if word not in places and before not in places
    ]


def test_web_processes_are_served_alike_everywhere():
    container = (DEPLOY / "Dockerfile").read_text("utf-8").partition("CMD ")[2]
    served = options(unit("ExecStart"))

    assert "--respawn-failed-workers" in served
    assert options(PROCFILE["web"]) == served
    assert options(yaml.safe_load(container)[2]) == served
    addresses = {"BEHIND_TLS_PROXY": "on", "AFFILIATES_TRUSTED_PROXIES": "1"}
    assert dict(one.split("=") for one in unit("Environment").split()) == addresses
    assert addresses.items() <= COMPOSE["services"]["web"]["environment"].items()


def test_one_worker_beside_them_everywhere():
    worker = unit("ExecStart", "affiliates-worker.service")

    assert worker.endswith("python manage.py affiliates_worker")
    assert PROCFILE["worker"] == "python manage.py affiliates_worker"
    assert " ".join(COMPOSE["services"]["worker"]["command"]) == PROCFILE["worker"]
    assert " ".join(COMPOSE["services"]["migrate"]["command"]) == PROCFILE["release"]


def test_uploads_outlive_a_release_and_are_shared():
    place = new_environment()["MEDIA_ROOT"]

    for name in ("affiliates-web.service", "affiliates-worker.service"):
        # All that a unit may write to beside /run and /tmp.
        assert unit("ProtectSystem", name) == "strict"
        assert place == f"/var/lib/{unit('StateDirectory', name)}/media"
    for name in ("web", "worker"):
        assert f"media:{place}" in COMPOSE["services"][name]["volumes"]
    assert "media" in COMPOSE["volumes"]
    # A new volume is whose the image's folder is.
    image = (DEPLOY / "Dockerfile").read_text("utf-8")
    assert re.search(rf"install -d -o affiliates .*{place}$", image, re.MULTILINE)


def test_links_of_emails_lead_to_the_new_server():
    assert new_environment()["AFFILIATES_SITE_URL"] == f"https://{DOMAIN}"


@each("path", FILES)
def test_commands_and_files_that_are_named_exist(path):
    text = path.read_text("utf-8")

    commands = re.findall(r"(?:manage\.py|deploy/manage) ([a-z_]+)", text)
    assert set(commands) <= get_commands().keys()
    files = re.findall(r"(?<![\w/])deploy/[A-Za-z./-]*[A-Za-z]", text)
    assert [one for one in {*files} - {MADE_BY_HAND} if not (ROOT / one).exists()] == []


def test_units_are_sound(tmp_path):
    verify_units(UNITS, tmp_path)


@pytest.mark.parametrize(
    "redis", ["", pytest.param("redis://127.0.0.1:6379/0", marks=SWEEP)]
)
def test_new_server_passes_the_deployment_check(redis, environment, tmp_path):
    # Of the release only what the image holds.
    for name in copied_to_image():
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, tmp_path / name)
    (tmp_path / "deploy").mkdir()
    (tmp_path / "environment").write_text(
        "".join(f"{name}={value}\n" for name, value in environment.items())
        + f"REDIS_URL={redis}\n",
        "utf-8",
    )
    script = (DEPLOY / "manage").read_text("utf-8")
    for shipped, here in (
        ("/etc/affiliates/environment", f"{tmp_path}/environment"),
        ("runuser -u affiliates -- .venv/bin/python", sys.executable),
    ):
        assert script.count(shipped) == 1
        script = script.replace(shipped, here)
    check = ("check", "--deploy", "--fail-level=WARNING")

    checked = subprocess.run(  # noqa: S603 - ourselves
        ["/bin/sh", "-c", script, tmp_path / "deploy/manage", *check],
        env={"PATH": environment["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )

    # Two processes count calls together, with or without Redis.
    assert (checked.returncode, checked.stderr) == (0, "")


def test_web_processes_are_as_many_as_check_is_told(environment):
    assert environment["GRANIAN_WORKERS"] == str(WORKERS)
    assert "--workers " not in unit("ExecStart")


def test_variables_of_a_new_server_are_described(environment):
    described = (ROOT / "docs/settings.md").read_text("utf-8")
    # The last one is for the database's own container.
    own = environment.keys() - {"PATH", "LANG", "POSTGRES_PASSWORD"}

    assert [name for name in own if f"`{name}`" not in described] == []


def test_log_of_a_new_server_is_of_lines_that_nobody_can_forge(environment):
    assert environment["LOG_FORMAT"] == "json"


def test_host_of_a_new_server_must_be_said():
    refused = subprocess.run(  # noqa: S603 - ourselves
        [DEPLOY / "new-environment"], capture_output=True, text=True, check=False
    )

    assert refused.returncode != 0
    assert refused.stdout == ""
    assert f"new-environment {DOMAIN}" in refused.stderr


def test_image_holds_what_its_ignore_file_lets_in():
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8")

    assert sorted(copied_to_image()) == sorted(
        re.findall(r"^!(\S+)", ignored, re.MULTILINE)
    )


def copied_to_image() -> list[str]:
    dockerfile = (DEPLOY / "Dockerfile").read_text("utf-8")
    lines = re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE)
    return [name for line in lines for name in line.split()]


def test_command_of_the_unit_is_what_the_tests_run(tmp_path):
    command = web_command(tmp_path)

    assert command[:3] == [sys.executable, "-m", "granian"]
    assert f"{tmp_path}/web.sock" in command
    assert not [word for word in command if word.startswith(("/srv", "/run"))]
