"""Check, the doctor and the books find no trace of what was removed."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from affiliates.ledger.models import LedgerEntry
from affiliates.operations.health.examine import examine

# Migrations, triggers, failed examinations, apps that left their tables behind.
OF_REMOVAL = {f"affiliates.D0{number}" for number in ("02", "03", "04", "21", "31")}

pytestmark = pytest.mark.django_db


def test_no_trace_is_found():
    assert LedgerEntry.objects.exists()

    call_command("check", databases=["default"], fail_level="WARNING")
    found = [one for one in examine(now=timezone.now()) if one.id in OF_REMOVAL]
    said = StringIO()
    call_command("verify_ledger", "--deep", stdout=said)

    assert found == []
    assert said.getvalue().endswith("Everything agrees.\n")
