"""Several processes count together, and nobody is refused where nothing can be counted."""

from __future__ import annotations

import os
import subprocess
import sys

from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from tests.cases import each

COUNT = """
from affiliates.telemetry.counters import count_refusal, count_visit
for _ in range(3):
    count_visit("new", "no_redirect")
count_refusal("visit", "429", "throttled")
"""


def count(**environment: str) -> None:
    subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-c", COUNT], env=os.environ | environment, check=True
    )


def test_processes_count_together(tmp_path):
    for _ in range(2):
        count(PROMETHEUS_MULTIPROC_DIR=str(tmp_path))

    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(tmp_path))
    visits = {"touch": "new", "redirect": "no_redirect"}
    refusals = {"endpoint": "visit", "status": "429", "code": "throttled"}
    assert registry.get_sample_value("affiliates_visits_total", visits) == 6
    assert registry.get_sample_value("affiliates_refusals_total", refusals) == 2


@each("folder", ["/not/there", "/proc/self"])
def test_a_folder_that_cannot_be_written_to_refuses_nobody(folder):
    count(PROMETHEUS_MULTIPROC_DIR=folder)
