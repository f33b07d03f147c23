"""A host that installed affiliates alone works whole, in a process that sees no extra."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.package.distributions import only_by_extras

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parents[2]
# A module that is None cannot be found or imported.
RUN = """
import sys
import pytest
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""
# What tests/conftest.py and the factories need.
TOOLS = ["factory_boy", "hypothesis", "pytest", "pytest-django", "pytest-xdist"]
PAGES = ["flow.py", "plain_admin/pages.py", "without_extras/pages.py"]


def test_a_host_works_without_any_extra():
    hidden = only_by_extras(besides=TOOLS)

    done = subprocess.run(  # noqa: S603 - our own tests
        [
            *(sys.executable, "-c", RUN, ",".join(hidden), "-p", "django"),
            *("-p", "xdist", "--ds=tests.hosts.without_extras.settings"),
            *(f"tests/hosts/{page}" for page in PAGES),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
