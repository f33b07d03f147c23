"""What deploy/ keeps from other users of the machine, and from a process that is taken over."""

from __future__ import annotations

import re
import stat

import pytest
import yaml

from tests.cases import each
from tests.deploy.conftest import DEPLOY, ROOT, unit

# They share a server, so one process of the tests runs them all.
pytestmark = [pytest.mark.site, pytest.mark.xdist_group("deploy")]

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
