"""The flow is the same on every kind of host, and leaves the host as it was."""

from __future__ import annotations

import json

import pytest

from tests.hosts.running import run, run_tests

pytestmark = pytest.mark.site

HOSTS = ["atomic", "bare", "own_rest", "prefixed", "replica", "uuid_keys"]
OWN_REST = "tests.hosts.own_rest"


@pytest.mark.parametrize("host", HOSTS)
def test_the_flow_of_a_host(host):
    run_tests("tests/hosts/flow.py", settings=f"tests.hosts.{host}.settings")


def test_the_hosts_own_endpoints_answer_as_before():
    before, after = (
        json.loads(run(f"{OWN_REST}.answers", settings=f"{OWN_REST}.{settings}"))
        for settings in ("before", "settings")
    )

    assert len(before) == 108
    assert {200, 400, 404, 405, 406, 415, 500} <= {one["status"] for one in before}
    for one, other in zip(before, after, strict=True):
        assert one == other
