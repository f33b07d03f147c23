"""The numbers by which people know invoices, asked of the host for many rows at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

from affiliates.adapter import get_adapter


def number_invoices(rows: Collection[Any], path: str) -> None:
    """Puts an ``invoice_number`` beside each reference of an invoice.

    ``path`` leads to it from a row, such as ``sale.invoice_ref``: the sale gets the
    number. The host is asked once for each brand. Without a number it is the reference.
    """
    if not path:
        return
    way, _, name = path.rpartition(".")
    owners = list(map(attrgetter(way), rows)) if way else list(rows)
    refs = defaultdict(set)
    for owner in owners:
        refs[owner.brand_id].add(getattr(owner, name))
    known = {
        brand_id: get_adapter().invoice_numbers(ref - {""}, brand_id=brand_id)
        for brand_id, ref in refs.items()
    }
    for owner in owners:
        ref = getattr(owner, name)
        owner.invoice_number = known[owner.brand_id].get(ref, ref)


class NumberedInvoices:
    """A formset whose rows are numbered once, though it asks for them for each form."""

    invoice_path: ClassVar[str] = ""

    def get_queryset(self) -> Any:
        return self._numbered

    @cached_property
    def _numbered(self) -> Any:
        rows = super().get_queryset()  # type: ignore[misc] # a formset's
        number_invoices(rows, self.invoice_path)
        return rows
