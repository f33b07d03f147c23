"""What deploy/ keeps from other users of the machine, and from a process that is taken over."""

from __future__ import annotations

import re
import stat
import subprocess

import pytest
import yaml

from tests.cases import each
from tests.deploy.conftest import DEPLOY, ROOT, unit
from tests.needs import require

# They share a server, so one process of the tests runs them all.
pytestmark = [pytest.mark.site, pytest.mark.xdist_group("deploy")]

# Of ten. A unit that says nothing has 9.6.
WORST_EXPOSURE = 4.0
COMMANDS = {
    "unit": unit("ExecStart"),
    "container": yaml.safe_load(
        (DEPLOY / "Dockerfile").read_text("utf-8").partition("CMD ")[2]
    )[2],
}


@each(("_case", "command"), COMMANDS.items())
def test_socket_is_open_to_its_group_alone(command):
    assert re.findall(r"--uds-permissions (\S+)", command) == ["0o660"]


def test_socket_that_granian_opens_has_these_permissions(site, folder):
    mode = (folder / "web.sock").stat().st_mode

    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o660


def test_user_of_nginx_is_in_the_group_of_the_web_processes():
    page = (ROOT / "docs/quickstart.md").read_text("utf-8")
    image = (DEPLOY / "Dockerfile").read_text("utf-8")

    assert f"usermod --append --groups {unit('User')} www-data\n" in page
    assert unit("RuntimeDirectoryMode") == "0750"
    assert re.findall(r"^USER (.+)$", image, re.MULTILINE) == ["affiliates:101"]


@each("path", sorted(DEPLOY.rglob("*.service")))
def test_a_process_that_is_taken_over_may_do_little(path):
    scored = subprocess.run(  # noqa: S603 - our own command
        [
            require("systemd-analyze"),
            "security",
            "--offline=true",
            "--no-pager",
            path,
        ],
        capture_output=True,
        text=True,
        check=False,
    )

    [exposure] = re.findall(r"exposure level for \S+: ([\d.]+)", scored.stdout)
    assert float(exposure) <= WORST_EXPOSURE
