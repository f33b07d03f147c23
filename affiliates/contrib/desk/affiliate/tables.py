"""Tables of the rows of an affiliate or a client, each with the whole list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from affiliates.admin_tools.confirmation import named_cells
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.admin_tools.naming import page_name
from affiliates.program.models import Affiliate

SHOWN = 50
Columns = Mapping[str, Callable[[Any], object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The first rows; ``all_of_them`` is the list that has the others too.

    ``is_cut`` if there are others.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    nothing: str
    all_of_them: str = ""
    is_cut: bool = False

    @property
    def count_text(self) -> str:
        return f"More than {SHOWN}" if self.is_cut else str(len(self.rows))

    @property
    def named_rows(self) -> list[list[tuple[str, object]]]:
        """The rows, each cell with the name of its column."""
        return named_cells(self.columns, self.rows)


def table_of(
    title: str,
    rows: QuerySet[Any],
    columns: Columns,
    *,
    nothing: str,
    of: Affiliate | None = None,
    all_of_them: str = "",
    invoice_path: str = "",
) -> Table:
    first = list(rows[: SHOWN + 1])
    shown = first[:SHOWN]
    number_invoices(shown, invoice_path)
    return Table(
        title=title,
        columns=list(columns),
        rows=[[show(row) for show in columns.values()] for row in shown],
        nothing=nothing,
        all_of_them=list_of(rows.model._meta.model_name, of) if of else all_of_them,
        is_cut=len(first) > SHOWN,
    )


def list_of(model: str, affiliate: Affiliate) -> str:
    page = reverse(page_name(model, "changelist"))
    return f"{page}?affiliate__id__exact={affiliate.pk}"
