from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from affiliates.privacy.retention.rules import kept_from


@pytest.mark.parametrize(
    ("_case", "now", "months", "days", "kept"),
    [
        ("whole months", "2026-03-31T12:00", 13, 90, "2025-02-01"),
        ("first moment of a month", "2026-03-01T00:00", 13, 90, "2025-02-01"),
        ("last moment of a month", "2026-02-28T23:59", 13, 90, "2025-01-01"),
        ("over two years", "2026-01-10T12:00", 25, 90, "2023-12-01"),
        ("cookie that lives longer", "2026-03-31T12:00", 1, 90, "2025-12-01"),
        ("cookie of the longest life", "2026-03-10T12:00", 13, 400, "2025-02-01"),
        ("the same, earlier in a month", "2026-03-04T12:00", 13, 400, "2025-01-01"),
        ("for ever", "2026-03-31T12:00", 0, 90, None),
    ],
)
def test_months_that_are_kept(_case, now, months, days, kept):
    now = datetime.fromisoformat(now).replace(tzinfo=UTC)

    found = kept_from(now, months=months, at_least=timedelta(days=days))

    expected = kept and datetime.fromisoformat(kept).replace(tzinfo=UTC)
    assert found == expected


def test_months_are_those_of_utc():
    now = datetime.fromisoformat("2026-04-01T01:00+02:00")

    kept = kept_from(now, months=13, at_least=timedelta(days=1))

    assert kept == datetime(2025, 2, 1, tzinfo=UTC)
