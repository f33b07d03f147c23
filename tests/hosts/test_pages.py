"""Hosts whose settings are so much their own that a process of its own runs their tests.

``plain_admin`` has no theme: Django's own admin draws the pages. ``stranger`` has one brand,
ASGI, no CSRF middleware, no account credit and an AdminSite of its own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("host", ["plain_admin", "stranger"])
def test_the_pages_of_a_host_work(host):
    options = [f"--ds=tests.hosts.{host}.settings", f"tests/hosts/{host}/pages.py"]

    done = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", "pytest", "-q", "-n", "0", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
