"""The doctor says nothing of a sound installation, and goes on after whatever fails."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection

from affiliates.operations.health import registry
from affiliates.operations.health.examine import examine
from affiliates.operations.health.findings import error, warning
from tests.cases import each
from tests.factories.affiliates import BrandFactory
from tests.factories.payouts import PayoutTermsFactory

EXAMINE = "affiliates.management.commands.affiliates_doctor.examine"

pytestmark = pytest.mark.django_db


def ids(findings) -> list[str]:
    return [one.id for one in findings]


def test_a_sound_installation_has_no_findings(well, now):
    assert examine(now=now) == []


def test_what_check_says_is_among_the_findings(well, now, settings):
    settings.AFFILIATES_CLICK_WRITER = "fast"

    assert ids(examine(now=now)) == ["affiliates.E006"]


def test_each_active_brand_is_examined_and_what_is_fine_is_left_out(
    well, now, settings
):
    settings.ALLOWED_HOSTS = [".example.com"]
    other = BrandFactory(client_area="shop.other.example.com")
    PayoutTermsFactory(brand=other, needs_second_person=True)
    BrandFactory(client_area="closed.example.com", is_active=False)
    BrandFactory(client_area="network.example.com", own_program=False)

    (finding,) = examine(now=now)

    assert (finding.id, finding.msg) == (
        "affiliates.D008",
        f"The brand {other} has no commission plan: nobody earns anything.",
    )


def test_a_silenced_finding_is_left_out(now, settings):
    settings.SILENCED_SYSTEM_CHECKS = ["affiliates.D006", "affiliates.D018"]

    assert examine(now=now) == []


def test_nothing_is_asked_of_a_database_that_does_not_answer(now, monkeypatch):
    def refuse() -> None:
        raise OperationalError("connection refused\n\tIs it running?")

    monkeypatch.setattr(connection, "ensure_connection", refuse)

    (finding,) = examine(now=now)

    assert finding.id == "affiliates.D001"
    assert finding.msg == (
        "The database does not answer: connection refused Is it running?"
    )
    assert finding.hint == "Start it, or mend DATABASES."


def test_an_examination_that_fails_stops_no_other(well, now, monkeypatch):
    def fails(now):
        raise LookupError("no such thing")
        yield

    monkeypatch.setattr(registry, "_examinations", [])
    registry.register(registry.Needs.DATABASE)(
        lambda now: [warning("D999", "Seen.", "")]
    )
    registry.register(registry.Needs.SERVICES)(fails)

    failed, seen = examine(now=now)

    assert (failed.id, seen.id) == ("affiliates.D021", "affiliates.D999")
    assert failed.msg == (
        f"{__name__}.fails could not be looked at: LookupError: no such thing"
    )


def run(*options: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("affiliates_doctor", *options, stdout=out)
    except SystemExit as end:
        return int(end.code), out.getvalue()
    return 0, out.getvalue()


def test_nothing_to_mend(monkeypatch):
    monkeypatch.setattr(EXAMINE, lambda now: [])

    assert run() == (0, "Nothing to mend.\n")
    assert run("--json") == (0, '{\n  "is_well": true,\n  "findings": []\n}\n')


@pytest.fixture
def two_findings(monkeypatch):
    found = [warning("D998", "Odd.", "Look."), error("D999", "Broken.", "Mend it.")]
    monkeypatch.setattr(EXAMINE, lambda now: found)
    return found


def test_each_finding_is_a_line_with_its_remedy_the_worst_first(two_findings):
    assert run() == (
        1,
        "ERROR affiliates.D999: Broken. Mend it.\nWARNING affiliates.D998: Odd. Look.\n",
    )


def test_monitoring_gets_one_object(two_findings):
    code, printed = run("--json")

    assert (code, json.loads(printed)) == (
        1,
        {
            "is_well": False,
            "findings": [
                {
                    "level": "WARNING",
                    "id": "affiliates.D998",
                    "problem": "Odd.",
                    "remedy": "Look.",
                },
                {
                    "level": "ERROR",
                    "id": "affiliates.D999",
                    "problem": "Broken.",
                    "remedy": "Mend it.",
                },
            ],
        },
    )


@each(
    ("worst", "level", "code"),
    [
        (1, "CRITICAL", 0),
        (1, "ERROR", 1),
        (0, "ERROR", 0),
        (0, "WARNING", 1),
        (0, "INFO", 1),
    ],
)
def test_status_is_1_from_the_fail_level_on(worst, level, code, two_findings):
    del two_findings[worst + 1 :]

    assert run("--fail-level", level)[0] == code
