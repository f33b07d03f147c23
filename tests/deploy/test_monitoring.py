"""Alerts and dashboard ask for metrics and labels that exist, and every alert is explained."""

from __future__ import annotations

import json
import re
import subprocess

import yaml

from affiliates.operations.monitoring import metrics  # noqa: F401 - registers the core's
from affiliates.operations.monitoring.registry import GAUGES
from affiliates.telemetry.counters import COUNTED
from tests.cases import each
from tests.deploy.conftest import DEPLOY, ROOT
from tests.needs import require

MONITORING = DEPLOY / "monitoring"
PAGE = (ROOT / "docs/operation.md").read_text("utf-8")
ALERTS = (ROOT / "docs/alerts.md").read_text("utf-8")
LABELS = {
    **{name: set(one.labels) for name, one in GAUGES.items()},
    **{f"{name}_total": set(labels) for name, labels in COUNTED.items()},
    "up": {"job", "instance"},
}
# Prometheus adds it to whatever a target answers.
OF_TARGETS = {"instance"}
RULES = [
    rule
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text("utf-8"))[
        "groups"
    ]
    for rule in group["rules"]
]
PANELS = json.loads((MONITORING / "grafana.json").read_text("utf-8"))["panels"]
EXPRESSIONS = [
    *((rule["expr"], rule["annotations"]["summary"]) for rule in RULES),
    *(
        (target["expr"], target["legendFormat"])
        for panel in PANELS
        for target in panel["targets"]
    ),
]
METRIC = re.compile(r"\b(affiliates_\w+|up)\b(?:\{([^}]*)\})?")
LABEL = re.compile(r"(\w+)(?:=~|!~|!=|=)\"([^\"]*)\"")
SHOWN = re.compile(r"\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}")


@each(("expression", "text"), EXPRESSIONS)
def test_metrics_and_labels_exist(expression, text):
    found = METRIC.findall(expression)
    grouped = set(
        re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", expression)))
    )

    assert found
    for name, selector in found:
        assert name in LABELS
        assert {label for label, _ in LABEL.findall(selector)} <= LABELS[name]
        assert grouped <= LABELS[name]
    # What an aggregation leaves out cannot be shown.
    has_all = not re.search(r"\b(sum|max)\b", expression)
    kept = LABELS[found[0][0]] | OF_TARGETS if has_all else grouped
    assert set(SHOWN.findall(text)) <= kept


def test_every_metric_of_ours_is_shown_and_described():
    asked = {
        name for expression, _ in EXPRESSIONS for name, _ in METRIC.findall(expression)
    }
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*)\|", PAGE, re.MULTILINE))

    assert asked == LABELS.keys()
    assert {name: set(re.findall(r"`(\w+)`", text)) for name, text in rows.items()} == {
        name: labels for name, labels in LABELS.items() if name != "up"
    }


def test_every_alert_is_explained():
    explained = re.findall(r"^## (Affiliates\w+)$", ALERTS, re.MULTILINE)

    assert explained == [rule["alert"] for rule in RULES]
    assert {rule["labels"]["severity"] for rule in RULES} == {"page", "ticket"}


def test_prometheus_takes_the_files():
    promtool = require("promtool")
    for kind in (
        ["rules", "alerts.yaml"],
        ["config", "--syntax-only", "prometheus.yaml"],
    ):
        subprocess.run(  # noqa: S603 - our own files
            [promtool, "check", *kind], cwd=MONITORING, check=True, capture_output=True
        )
