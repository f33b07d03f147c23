"""Lists of an affiliate's own rows: filtered, ordered, in pages or whole as CSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.admin_tools.exports import FORMATS, Cell, csv_lines
from affiliates.api.serializers import answer_of, read
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    PageQuerySerializer,
    affiliate_of,
    described,
)
from affiliates.core.days import span_of, start_of
from affiliates.core.spreadsheets import neutral_text
from affiliates.errors import InvalidInput, NotFound
from affiliates.program.models import Affiliate

MAX_CSV_ROWS = 10_000
CSV = "text/csv"
CSV_TOO = "As a file with all rows found, where Accept is text/csv."
_BELOW_ZERO = re.compile(r"-\d+(\.\d+)?")

Query = Mapping[str, str]


class PageSerializer(serializers.Serializer[Any]):
    page = serializers.IntegerField(min_value=1)
    pages = serializers.IntegerField(min_value=1)


def page_answer(
    answer: str, name: str, shape: type[serializers.Serializer[Any]]
) -> serializers.Serializer[Any]:
    """Describes the answer with one page of these rows."""
    page = f"{answer.removesuffix('s')}PageSerializer"
    return answer_of(answer, type(page, (PageSerializer,), {name: shape(many=True)})())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """An affiliate's own rows.

    ``shown`` is the query for the few rows of a page, if it reads more than ``own``.
    ``prepare`` reads shared data for all of them: the context of their shape.
    """

    own: Sequence[QuerySet[Any]]
    shown: QuerySet[Any] | None = None
    prepare: Callable[[Sequence[Any]], Mapping[str, Any]] = lambda rows: {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Reads a query and lists rows, here and on the affiliate's pages.

    A field of ``query`` that is not named here filters by its source column. ``first``
    and ``last`` are days of the column ``moment``. ``file_row`` converts a row for a
    file, if the row has lists of objects. ``numbered`` finds rows by the number that
    the field ``number`` asks for.
    """

    name: str
    rows: Callable[[Affiliate, Query], Rows]
    shape: type[serializers.Serializer[Any]]
    query: type[PageQuerySerializer] = PageQuerySerializer
    size: int = 50
    moment: str = ""
    file_row: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda row: row
    numbered: Callable[[Affiliate, str], Q] = lambda affiliate, number: Q()

    def view(
        self,
        operation_id: str,
        summary: str,
        *,
        answer: str,
        description: str,
        also: Any = (),
    ) -> Callable[..., HttpResponseBase]:
        """Returns the ``list`` method of a view set for it."""

        @described(
            operation_id,
            summary,
            page_answer(answer, self.name, self.shape),
            description=f"{description} {CSV_TOO}",
            parameters=[self.query, *also],
        )
        def list(views: AffiliateViewSet, request: Request) -> HttpResponseBase:
            return self.answer(request, affiliate_of(request))

        return list

    def page(self, affiliate: Affiliate, query: Query) -> dict[str, Any]:
        """Raises ValidationError of the query, also for a page beyond the last."""
        rows = self.rows(affiliate, query)
        page, ids = self._found(affiliate, query, rows)
        keys, count = _counted(ids, first=(page - 1) * self.size, size=self.size)
        pages = require_page(page, of=ceil(count / self.size))
        return {self.name: self._shaped(rows, keys), "page": page, "pages": pages}

    def readable(self, affiliate: Affiliate, query: Query) -> dict[str, Any]:
        """Returns ``page`` for an HTML page. Raises InvalidInput with the fault."""
        with readable_faults():
            return self.page(affiliate, query)

    def file(self, affiliate: Affiliate, query: Query) -> HttpResponse:
        """All matching rows as CSV."""
        rows = self.rows(affiliate, query)
        _, ids = self._found(affiliate, query, rows)
        shaped = self._shaped(rows, _few(ids))
        return csv_answer(self.name, map(self.file_row, shaped))

    def answer(self, request: Request, affiliate: Affiliate) -> HttpResponseBase:
        """The requested page or, as CSV, all matching rows."""
        query = request.query_params.dict()
        if not wants_csv(request):
            return Response({"data": self.page(affiliate, query)})
        return self.file(affiliate, query)

    def _found(
        self, affiliate: Affiliate, query: Query, rows: Rows
    ) -> tuple[int, QuerySet[Any]]:
        asked = read(self.query, query)
        page, ordering = asked.pop("page"), asked.pop("ordering", "-pk")
        number = asked.pop("number", "")
        wanted = self.numbered(affiliate, number) if number else Q()
        filters = self._filters(asked, affiliate)
        return page, _ids(
            [rows_of_kind.filter(wanted, **filters) for rows_of_kind in rows.own],
            ordering,
        )

    def _filters(self, asked: dict[str, Any], affiliate: Affiliate) -> dict[str, Any]:
        first, last = asked.pop("first", None), asked.pop("last", None)
        zone = affiliate.brand.zone()
        if first is not None:
            asked[f"{self.moment}__gte"] = start_of(first, zone)
        if last is not None:
            asked[f"{self.moment}__lt"] = span_of(last, last, zone)[1]
        return asked

    def _shaped(self, rows: Rows, keys: Sequence[Any]) -> Any:
        source = rows.own[0] if rows.shown is None else rows.shown
        by_key = source.in_bulk(keys)
        shown = [by_key[pk] for pk in keys]
        context = dict(rows.prepare(shown)) if shown else {}
        return self.shape(shown, many=True, context=context).data


def whole_list(name: str, rows: Sequence[Any], query: Query) -> dict[str, Any]:
    """A list that is always one page, in the envelope of the others."""
    page = read(PageQuerySerializer, query)["page"]
    return {name: rows, "page": page, "pages": require_page(page, of=1)}


def require_page(page: int, *, of: int) -> int:
    """Returns the number of pages, at least 1. Raises ValidationError beyond the last."""
    pages = max(1, of)
    if page > pages:
        fault = _("The last page is {last}.").format(last=pages)
        raise serializers.ValidationError({"page": [ErrorDetail(fault, "beyond_last")]})
    return pages


def _ids(querysets: Sequence[QuerySet[Any]], ordering: str) -> QuerySet[Any]:
    """The ids of all these rows, each once, with their sort value."""
    turn = "-" if ordering[0] == "-" else ""
    # With the bare column PostgreSQL would scan its index over all affiliates' rows
    # until it has found enough of this affiliate's: 0.7 s for a page of postings.
    by = Coalesce(ordering.lstrip("-"), ordering.lstrip("-"))
    first, *others = (
        queryset.order_by().annotate(by=by).values_list("pk", "by")
        for queryset in querysets
    )
    ids: QuerySet[Any] = first.union(*others) if others else first
    return ids.order_by(f"{turn}by", f"{turn}pk")


def _counted(ids: QuerySet[Any], *, first: int, size: int) -> tuple[list[Any], int]:
    """Returns ``size`` keys from ``first`` on, and the total, in one query."""
    model, turn = ids.model, "DESC" if ids.query.order_by[0] == "-by" else "ASC"
    try:
        statement, params = ids.order_by().query.get_compiler(ids.db).as_sql()
    except EmptyResultSet:
        return [], 0
    with connections[ids.db].cursor() as cursor:
        cursor.execute(
            f"WITH found (pk, place) AS ({statement}) SELECT pk, COUNT(*) OVER () FROM found "  # noqa: S608 - Django's own
            f"ORDER BY place {turn}, pk {turn} LIMIT %s OFFSET %s",
            [*params, size, first],
        )
        rows = cursor.fetchall()
    keys = [model._meta.pk.to_python(pk) for pk, _ in rows]
    if not rows and first:  # beyond the last
        return [], ids.count()
    return keys, rows[0][1] if rows else 0


def _few(ids: QuerySet[Any]) -> list[Any]:
    keys = [pk for pk, _ in ids[: MAX_CSV_ROWS + 1]]
    if len(keys) > MAX_CSV_ROWS:
        raise InvalidInput(
            "too_many_rows",
            _(
                "A file has at most {most} rows: ask for fewer of them, such as by "
                "first and last."
            ).format(most=MAX_CSV_ROWS),
        )
    return keys


def one_of(pk: int | UUID, *own: QuerySet[Any]) -> Any:
    """The affiliate's own row with this id. Raises NotFound."""
    for rows in own:
        if row := rows.filter(pk=pk).first():
            return row
    raise NotFound


@contextmanager
def readable_faults() -> Iterator[None]:
    """Converts the first fault of a query to InvalidInput, for pages."""
    try:
        yield
    except serializers.ValidationError as error:
        faults: Any = error.detail
        [(field, [detail, *_]), *_] = faults.items()
        raise InvalidInput("invalid", f"{field}: {detail}", field=field) from None


def wants_csv(request: Request) -> bool:
    return wants(request, CSV)


def wants(request: Request, content_type: str) -> bool:
    accepted = request.headers.get("Accept", "").split(",")
    return any(
        accepted_type.partition(";")[0].strip().lower() == content_type
        for accepted_type in accepted
    )


def csv_answer(name: str, rows: Iterable[Mapping[str, Any]]) -> HttpResponse:
    """The data of the JSON answer, one row per line."""
    lines = [dict(_cells(row)) for row in rows]
    header = list(dict.fromkeys(column for line in lines for column in line))
    cells: list[list[Cell]] = [
        [line.get(heading) for heading in header] for line in lines
    ]
    return HttpResponse(
        b"".join(csv_lines([[*header], *cells])),
        content_type=FORMATS["csv"],
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def _cells(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Cell]]:
    for name, value in row.items():
        column = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from _cells(value, f"{column}.")
        elif isinstance(value, list):
            yield column, neutral_text(" ".join(map(str, value)))
        elif isinstance(value, str):
            is_number = _BELOW_ZERO.fullmatch(value) is not None
            yield column, Decimal(value) if is_number else neutral_text(value)
        else:
            yield column, str(value).lower() if isinstance(value, bool) else value
