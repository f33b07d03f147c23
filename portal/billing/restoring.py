"""Leaves out invoice numbers that may have been given before a restore."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.dispatch import receiver

from affiliates.signals import database_restored

# Also of brands whose first invoice may be lost.
_SKIP = """
    INSERT INTO portal_invoicecounter (brand_id, last_number)
    SELECT id, %s FROM affiliates_brand WHERE true
    ON CONFLICT (brand_id) DO UPDATE
        SET last_number = portal_invoicecounter.last_number + EXCLUDED.last_number
"""


@receiver(database_restored)
def skip_invoice_numbers(*, numbers: int, **_: Any) -> list[str]:
    """The gap is on record with the command's report."""
    if numbers:
        with connection.cursor() as cursor:
            cursor.execute(_SKIP, [numbers])
    return [
        f"{numbers:,} invoice numbers of each brand left out.",
        "Invoices since the last order are lost: look in the mailbox of a client or at "
        "the gateway which numbers were given.",
    ]
