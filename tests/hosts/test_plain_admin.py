"""The admin pages need no theme: without unfold, Django's own admin draws them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parents[2]
PAGES = "tests/hosts/plain_admin/pages.py"
SETTINGS = "--ds=tests.hosts.plain_admin.settings"


def test_every_page_is_drawn_without_unfold():
    done = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", "pytest", "-q", "-n", "0", SETTINGS, PAGES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
