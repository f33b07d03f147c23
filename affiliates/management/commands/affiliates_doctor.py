from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core import checks
from django.core.management.base import BaseCommand
from django.utils import timezone

from affiliates.operations.health.examine import examine
from affiliates.operations.health.findings import Finding

LEVELS = {
    name: getattr(checks, name)
    for name in ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")
}
FOUND_FAULTS = 1


class Command(BaseCommand):
    help = (
        "Looks at the installation as it runs: database, keys, brands, plans, cache, "
        "mail server, what waits in the background, and a client area's first calls. "
        "Prints a line for each finding with what to do about it. Changes nothing. "
        "Ends with status 1 when a finding is of the fail level or above."
    )
    # They are among the findings.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--fail-level",
            choices=LEVELS,
            default="ERROR",
            help="From which level on a finding makes the status 1. Default: ERROR.",
        )
        parser.add_argument(
            "--json", action="store_true", help="Print one object, for monitoring."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        findings = examine(now=timezone.now())
        is_well = all(
            finding.level < LEVELS[options["fail_level"]] for finding in findings
        )
        lines = (
            [_as_json(findings, is_well=is_well)]
            if options["json"]
            else _as_text(findings)
        )
        self.stdout.write("\n".join(lines))
        if not is_well:
            raise SystemExit(FOUND_FAULTS)


def _as_text(findings: list[Finding]) -> list[str]:
    return [
        f"{_level(finding)} {finding.id}: {finding.msg} {finding.hint or ''}".rstrip()
        for finding in sorted(findings, key=lambda finding: -finding.level)
    ] or ["Nothing to mend."]


def _as_json(findings: list[Finding], *, is_well: bool) -> str:
    listed = [
        {
            "level": _level(finding),
            "id": finding.id,
            "problem": finding.msg,
            "remedy": finding.hint,
        }
        for finding in findings
    ]
    return json.dumps({"is_well": is_well, "findings": listed}, indent=2)


def _level(finding: Finding) -> str:
    return next(name for name, level in LEVELS.items() if finding.level >= level)
