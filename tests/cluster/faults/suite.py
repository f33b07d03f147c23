"""``make faults``: the cluster under load, one fault after another. FAULTS chooses some."""

from __future__ import annotations

import os
import sys
from urllib.parse import urlsplit

import pytest

from portal.demo.network.server import Simulator
from tests.cluster.faults.checker import gaps, numbers_given_twice
from tests.cluster.faults.disk import give_small_disk
from tests.cluster.faults.faults import FAULTS
from tests.cluster.faults.primary import SKIPPED
from tests.cluster.faults.report import faults_of, table
from tests.cluster.faults.runner import (
    Round,
    await_drained,
    judge,
    read_stored,
    run_fault,
)
from tests.cluster.faults.stand import Stand
from tests.cluster.running import running_cluster
from tests.cluster.topology import Cluster, missing

CHOSEN = [one for one in FAULTS if os.environ.get("FAULTS", "") in one.name]
NUMBERS = "SELECT substr(number, 5)::int FROM portal_invoice"
# The provider counts at once, and may be asked at once.
INTEGRATION = """
from affiliates.outbox.models.integration import TrackingIntegration
row = TrackingIntegration.trackers.get()
row.config["counts_within"] = "0"
row.requests_per_second = 1000
row.save()
"""


@pytest.mark.filterwarnings("default")
def test_faults(tmp_path):
    if absent := missing():
        pytest.fail(f"Needs Debian's packages: apt-get install {' '.join(absent)}")
    with Simulator() as tracker:
        tracker.settings.change({"log_limit": 200_000})
        variables = {
            "AFFILIATES_TRACKING_ALLOWED_HOSTS": urlsplit(tracker.address).netloc,
            "AFFILIATES_DELIVERY_LEASE_SECONDS": "30",
            "BASKET_RATE": "100000/minute",
            "EMAIL_URL": "dummymail://",
        }
        with running_cluster(
            tracker=tracker.address, variables=variables, prepare=give_small_disk
        ) as cluster:
            cluster.manage("shell", "--no-imports", "--command", INTEGRATION)
            stand = Stand(cluster=cluster, tracker=tracker)
            complaints = _run(stand, tmp_path)
            _say("\n".join(complaints))
            assert complaints == []


def _run(stand: Stand, folder) -> list[str]:
    rounds: list[Round] = []
    complaints: list[str] = []
    for fault in CHOSEN:
        if needed := fault.needs():
            _say(f"{fault.name}: skipped, needs {needed}.")
            continue
        _say(f"{fault.name} ...")
        if fault.loses_lag:
            complaints += _gaps(stand.cluster, allowed=0)
        rounds.append(run_fault(stand, fault, folder))
    _say(f"Histories are in {folder}. The provider is still to receive some sales ...")
    await_drained(stand.cluster)
    stored = read_stored(stand)
    verdicts = {one: judge(one, stored) for one in rounds}
    _say(table(verdicts))
    for one, found in verdicts.items():
        complaints += faults_of(one, found)
    rows = [row for one in rounds for row in one.rows]
    twice = numbers_given_twice(rows, stored.numbers)
    complaints += [f"Invoice number {number} was given twice." for number in twice]
    has_lost = any(one.fault.loses_lag for one in rounds)
    complaints += _gaps(stand.cluster, allowed=SKIPPED if has_lost else 0)
    verified = stand.cluster.manage("verify_ledger", "--deep")
    if not verified.endswith("Everything agrees.\n"):
        complaints.append(verified)
    return complaints


def _gaps(cluster: Cluster, *, allowed: int) -> list[str]:
    """Of the invoice numbers: none but the one that the recovery left."""
    found = gaps(number for (number,) in cluster.query(NUMBERS))
    left_out = [last - first + 1 for first, last in found]
    if left_out == ([allowed] if allowed else []):
        return []
    return [f"Gaps in the invoice numbers: {found}"]


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
