"""Exports any admin list as CSV or XLSX, with its columns, filters and order."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from html import unescape
from importlib.util import find_spec
from io import StringIO
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import IO, Any, Self
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import display_for_field, label_for_field, lookup_field
from django.contrib.admin.views.main import PAGE_VAR
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db.models import Field
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from djmoney.money import Money

from affiliates.admin_tools.leaving import ask_identity
from affiliates.core.spreadsheets import neutral_text

# Above this number of rows the worker makes the file, asked by the page of this name;
# without such a page a list is filtered first.
MAX_AT_ONCE = 50_000
LARGE_LIST_PAGES: list[str] = []
ROWS_AT_ONCE = 500
# XML cannot hold them.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Cell = str | int | float | Decimal | date | None
Row = list[Cell]

HAS_XLSX = find_spec("openpyxl") is not None
FORMATS: dict[str, str] = {"csv": "text/csv; charset=utf-8"}
if HAS_XLSX:
    FORMATS["xlsx"] = (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    )


class ShownText(str):
    """A displayed text that keeps its value, which exports use instead."""

    value: object

    @classmethod
    def of(cls, value: object, text: str) -> Self:
        shown = cls(text)
        shown.value = value
        return shown


class Exportable:
    """A mixin for a ModelAdmin: every viewer of its list can save it as a file."""

    # Of the ModelAdmin.
    opts: Any
    admin_site: Any
    export_formats = tuple(FORMATS)

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_export"
        view = self.admin_site.admin_view(self.export_view)
        urls: list[URLPattern] = super().get_urls()  # type: ignore[misc] # ModelAdmin's
        return [path("export/<slug:file_format>/", view, name=name), *urls]

    def export_view(self, request: HttpRequest, file_format: str) -> HttpResponseBase:
        if file_format not in FORMATS:
            raise Http404
        if asked := ask_identity(request):
            return asked
        try:
            found = found_rows(self, request)
        except IncorrectLookupParameters:
            return HttpResponseRedirect("../../")
        if found[: MAX_AT_ONCE + 1].count() > MAX_AT_ONCE:
            return self._ask_worker(request, file_format)
        rows = table(self, request, found)
        name = f"{self.opts.model_name}-{timezone.localdate()}.{file_format}"
        return file_answer(rows, name, file_format)

    def _ask_worker(self, request: HttpRequest, file_format: str) -> HttpResponse:
        if not LARGE_LIST_PAGES:
            text = f"The list has more than {MAX_AT_ONCE:,} rows: filter it first."
            messages.error(request, text)
            return HttpResponseRedirect(f"../../?{query_of(request)}")
        values = {
            "site": self.admin_site.name,
            "model": self.opts.label_lower,
            "query": query_of(request),
            "file_format": file_format,
        }
        page = reverse(f"{self.admin_site.name}:{LARGE_LIST_PAGES[0]}")
        return HttpResponseRedirect(f"{page}?{urlencode(values)}")


def found_rows(page: Any, request: HttpRequest) -> Any:
    """All matching rows of the list, in its order. Raises PermissionDenied."""
    if not page.has_view_or_change_permission(request):
        raise PermissionDenied
    lookup: Any = request.GET.copy()
    lookup.pop(PAGE_VAR, None)
    request.GET = lookup
    return page.get_changelist_instance(request).queryset


def query_of(request: HttpRequest) -> str:
    return request.GET.urlencode()


def table(page: Any, request: HttpRequest, rows: Any) -> Iterator[Row]:
    """The list's header and rows. An amount is a number, its currency the next cell."""
    names = page.get_list_display(request)
    shown = _shown(page, names, rows)
    # The first rows show which columns are amounts.
    first = list(islice(shown, ROWS_AT_ONCE))
    with_currency = [
        any(isinstance(row[n], Money) for row in first) for n in range(len(names))
    ]
    labels = _labels(page, names)
    yield [
        neutral_text(heading)
        for label, is_money in zip(labels, with_currency, strict=True)
        for heading in ([label, f"{label}: currency"] if is_money else [label])
    ]
    for values in chain(first, shown):
        yield [
            cell
            for value, is_money in zip(values, with_currency, strict=True)
            for cell in _cells(value, is_money)
        ]


def labelled_rows(
    page: Any, request: HttpRequest, rows: list[Any]
) -> Iterator[dict[str, Any]]:
    """The values of each row by the label of their column, for other programs."""
    names = page.get_list_display(request)
    labels = _labels(page, names)
    for values in _values(page, names, rows):
        yield dict(zip(labels, map(plain_value, values), strict=True))


def _labels(page: Any, names: Any) -> list[str]:
    """With a capital, as the list shows them."""
    return [
        capfirst(str(label_for_field(name, page.model, model_admin=page)))
        for name in names
    ]


def _shown(page: Any, names: Any, found: Any) -> Iterator[list[Any]]:
    """Shown values; the page's ``prepare_rows``, if any, fetches shared data first."""
    rows = found.iterator(chunk_size=ROWS_AT_ONCE)
    while part := list(islice(rows, ROWS_AT_ONCE)):
        yield from _values(page, names, part)


def _values(page: Any, names: Any, rows: list[Any]) -> Iterator[list[Any]]:
    prepare = getattr(page, "prepare_rows", None)
    if prepare is not None:
        prepare(rows)
    for row in rows:
        yield [_value(page, name, row) for name in names]


def _value(page: Any, name: Any, row: Any) -> Any:
    """The column's value for the row: the value behind a displayed text, if known."""
    try:
        field, _, value = lookup_field(name, row, page)
    except ObjectDoesNotExist:  # a dash on the page too
        return None
    if isinstance(field, Field) and (field.flatchoices or field.is_relation):
        value = display_for_field(value, field, "")
    if isinstance(value, tuple) and len(value) == 2:
        # The value that colours a label, and the label's text.
        value = value[1]
    return value.value if isinstance(value, ShownText) else value


def _cells(value: Any, is_money: bool) -> Iterable[Cell]:
    if isinstance(value, Money):
        if is_money:
            return [value.amount, value.currency.code]
        return [f"{value.amount} {value.currency.code}"]
    return [_cell(value), None] if is_money else [_cell(value)]


def _cell(value: Any) -> Cell:
    plain = plain_value(value)
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, datetime):
        return timezone.localtime(plain)
    return neutral_text(plain) if isinstance(plain, str) else plain


def plain_value(value: Any) -> Any:
    """The value without markup. None for a dash; numbers, times and money as they are."""
    if value is None or value == "-":
        return None
    if isinstance(value, bool | int | float | Decimal | date | Money):
        return value
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, SafeString):
        return unescape(strip_tags(value)).strip()
    return str(value)


def csv_lines(rows: Iterable[Row]) -> Iterator[bytes]:
    """In UTF-8 with a byte order mark: Excel misreads it otherwise."""
    buffer = StringIO()
    writer = csv.writer(buffer)
    buffer.write("\ufeff")
    left = iter(rows)
    while part := list(islice(left, ROWS_AT_ONCE)):
        writer.writerows([_plain(cell) for cell in row] for row in part)
        yield buffer.getvalue().encode(errors="replace")
        buffer.seek(0)
        buffer.truncate()


def _plain(cell: Cell) -> object:
    if isinstance(cell, datetime):
        return cell.isoformat(" ", "seconds")
    return f"{cell:f}" if isinstance(cell, Decimal) else cell


def write_xlsx(rows: Iterable[Row], file: IO[bytes]) -> None:
    """Times are in the site's zone: a spreadsheet has no time zones."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in rows:
        sheet.append([_for_sheet(cell) for cell in row])
    book.save(file)


def write(rows: Iterable[Row], file: IO[bytes], file_format: str) -> int:
    """Writes the rows; returns their number without the header."""
    count = -1

    def counted() -> Iterator[Row]:
        nonlocal count
        for row in rows:
            count += 1
            yield row

    if file_format == "csv":
        file.writelines(csv_lines(counted()))
    else:
        write_xlsx(counted(), file)
    return count


def _for_sheet(cell: Cell) -> Cell:
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=None)
    return _CONTROLS.sub("", cell) if isinstance(cell, str) else cell


def file_answer(rows: Iterable[Row], name: str, file_format: str) -> HttpResponseBase:
    if file_format == "csv":
        return StreamingHttpResponse(
            csv_lines(rows),
            content_type=FORMATS[file_format],
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )
    file = TemporaryFile()  # noqa: SIM115 - the answer closes it
    write(rows, file, file_format)
    file.seek(0)
    return FileResponse(
        file, as_attachment=True, filename=name, content_type=FORMATS[file_format]
    )
