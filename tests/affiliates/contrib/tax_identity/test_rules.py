from __future__ import annotations

from affiliates.contrib.tax_identity.rules import (
    MISSING,
    NUMBER_MISSING,
    judge_identity,
)
from tests.cases import each

NUMBERED = {"country": "DE", "tax_number": "", "vat_id": "DE136695976"}
UNNUMBERED = {"country": "DE", "tax_number": "", "vat_id": ""}
FROM_600 = {"EUR": 60_000}


@each(
    ("details", "needed_from", "countries", "amount", "refusal"),
    [
        (None, {}, [], 99_999_999, None),
        (None, {"USD": 0}, [], 99_999_999, None),
        (None, {"EUR": 0}, [], 1, MISSING),
        (None, FROM_600, [], 59_999, None),
        (None, FROM_600, [], 60_000, MISSING),
        (None, FROM_600, ["AT"], 60_000, MISSING),
        (UNNUMBERED, FROM_600, [], 60_000, NUMBER_MISSING),
        (UNNUMBERED, FROM_600, ["AT", "DE"], 60_000, NUMBER_MISSING),
        (UNNUMBERED, FROM_600, ["AT"], 60_000, None),
        (UNNUMBERED, FROM_600, [], 59_999, None),
        (NUMBERED, FROM_600, [], 60_000, None),
        ({**UNNUMBERED, "tax_number": "1"}, FROM_600, ["DE"], 60_000, None),
    ],
)
def test_what_a_payout_needs(details, needed_from, countries, amount, refusal):
    assert (
        judge_identity(
            details,
            needed_from=needed_from,
            countries=countries,
            currency="EUR",
            amount=amount,
        )
        == refusal
    )
