"""Fails unless check, the doctor and the books find no trace of what was removed."""

from __future__ import annotations

from io import StringIO

import django
from django.core.management import call_command
from django.utils import timezone

# Migrations, triggers, failed examinations, apps that left their tables behind.
OF_REMOVAL = {f"affiliates.D0{number}" for number in ("02", "03", "04", "21", "31")}


def main() -> None:
    from affiliates.health.examine import examine

    call_command("check", databases=["default"], fail_level="WARNING")
    found = [one for one in examine(now=timezone.now()) if one.id in OF_REMOVAL]
    assert found == []
    said = StringIO()
    call_command("verify_ledger", "--deep", stdout=said)
    assert said.getvalue().endswith("Everything agrees.\n")


if __name__ == "__main__":
    django.setup()
    main()
