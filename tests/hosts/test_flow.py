"""The flow is the same on every kind of host, and leaves the host as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parents[2]
HOSTS = ["atomic", "bare", "own_rest", "prefixed", "replica", "uuid_keys"]
OWN_REST = "tests.hosts.own_rest"


def run(*command, settings):
    done = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("host", HOSTS)
def test_the_flow_of_a_host(host):
    settings = f"tests.hosts.{host}.settings"

    run(
        "pytest",
        "-q",
        "-n",
        "0",
        f"--ds={settings}",
        "tests/hosts/flow.py",
        settings=settings,
    )


def test_the_hosts_own_endpoints_answer_as_before():
    before, after = (
        json.loads(run(f"{OWN_REST}.answers", settings=f"{OWN_REST}.{settings}"))
        for settings in ("before", "settings")
    )

    assert len(before) == 108
    assert {200, 400, 404, 405, 406, 415, 500} <= {one["status"] for one in before}
    for one, other in zip(before, after, strict=True):
        assert one == other
