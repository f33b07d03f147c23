"""Serialises settlement per invoice and per order."""

from __future__ import annotations

from django.db import connection

from affiliates.sales.models import InvoicePayment


def lock_references(brand_id: int, **references: str) -> None:
    """Locks the references: settlements of one invoice or one order run in turn.

    Each looks for the others' rows: without the lock, two that run at once would both
    miss the other. The lock order is always: cancellation, its refund, invoice, order.
    SQLite has one writer at a time anyway.
    """
    if connection.vendor != "postgresql":
        return
    locks = ["pg_advisory_xact_lock(hashtextextended(%s, %s))"] * len(references)
    values = [
        value
        for kind, reference in references.items()
        for value in (f"{kind}:{reference}", brand_id)
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(locks)}", values)  # noqa: S608 - no value in it


def lock_order_of(brand_id: int, invoice_ref: str) -> None:
    """Locks, as ``lock_references``, the order of a paid invoice."""
    if connection.vendor != "postgresql":
        return
    table = connection.ops.quote_name(InvoicePayment._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock("  # noqa: S608 - no value in it
            "hashtextextended('order:' || order_ref, brand_id)) "
            f"FROM {table} WHERE brand_id = %s AND invoice_ref = %s",
            [brand_id, invoice_ref],
        )
