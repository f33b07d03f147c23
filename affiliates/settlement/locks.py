"""Serialises settlement per invoice and per order."""

from __future__ import annotations

from django.db import connection

from affiliates.sales.models import InvoicePayment

LOCK = "pg_advisory_xact_lock(hashtextextended(%s, %s))"


def lock_references(brand_id: int, **references: str) -> None:
    """Locks the references: settlements of one invoice or one order run in turn.

    Each looks for the others' rows: without the lock, two that run at once would both
    miss the other. The lock order is always: cancellation, its refund, invoice, order.
    SQLite has one writer at a time anyway.
    """
    if connection.vendor != "postgresql":
        return
    locks = [LOCK] * len(references)
    values = [
        value
        for kind, reference in references.items()
        for value in (f"{kind}:{reference}", brand_id)
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(locks)}", values)  # noqa: S608 - no value in it


def lock_invoice(brand_id: int, invoice_ref: str, **before: str) -> None:
    """Locks the references in ``before``, the invoice and, if it is paid, its order."""
    if connection.vendor != "postgresql":
        return
    keys = [
        *(f"{kind}:{name}" for kind, name in before.items()),
        f"invoice:{invoice_ref}",
    ]
    locks = [LOCK] * len(keys)
    values = [value for key in keys for value in (key, brand_id)]
    of_order = _order_lock()
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {', '.join(locks)}, ({of_order})",  # noqa: S608 - no value in it
            [*values, brand_id, invoice_ref],
        )
        *_, order_lock = cursor.fetchone()
        if order_lock is None:
            # The payment may have been committed while this waited for the invoice.
            cursor.execute(of_order, [brand_id, invoice_ref])


def _order_lock() -> str:
    table = connection.ops.quote_name(InvoicePayment._meta.db_table)
    return (
        "SELECT pg_advisory_xact_lock("  # noqa: S608 - no value in it
        "hashtextextended('order:' || order_ref, brand_id)) "
        f"FROM {table} WHERE brand_id = %s AND invoice_ref = %s"
    )
