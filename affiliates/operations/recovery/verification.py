"""Numbers that were left out after a restore must be those that its run names."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef

from affiliates.operations.recovery.models import Recovery
from affiliates.payouts.statement_models import StatementGap
from affiliates.verification.checks import CHECKS
from affiliates.verification.faults import Check, Faults

_RUN = Recovery.objects.filter(
    restored_at=OuterRef("restored_at"), numbers=OuterRef("length")
)
GAPS = Faults(
    "Gap {pk} of statement series {series_id}",
    {
        "leaves out {length} numbers after a restore at {restored_at}, but no run of "
        "affiliates_after_restore did.": ~Exists(_RUN)
    },
    lambda gaps: gaps.annotate(length=F("last_number") - F("first_number") + 1),
)

CHECKS += [
    Check(
        label="gaps of statement series",
        model=StatementGap,
        rules=(GAPS,),
        brand="series__brand_id",
    )
]
