"""Hosts whose settings are so much their own that a process of its own runs their tests.

``plain_admin`` has no theme: Django's own admin draws the pages. ``stranger`` has one brand,
ASGI, no CSRF middleware, no account credit and an AdminSite of its own.
"""

from __future__ import annotations

import pytest

from tests.hosts.running import run_tests

pytestmark = pytest.mark.site


@pytest.mark.parametrize("host", ["plain_admin", "stranger"])
def test_the_pages_of_a_host_work(host):
    run_tests(f"tests/hosts/{host}/pages.py", settings=f"tests.hosts.{host}.settings")
