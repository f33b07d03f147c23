"""Lists of an affiliate's own rows: filtered, ordered, by pages or whole as CSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.admin_tools.exports import FORMATS, Cell, csv_lines, neutral_text
from affiliates.api.http.shapes import answer_body
from affiliates.api.serializers import read
from affiliates.core.days import span_of, start_of
from affiliates.errors import InvalidInput, NotFound
from affiliates.program.models import Affiliate

MAX_PAGE = 10_000
MAX_CSV_ROWS = 10_000
CSV = "text/csv"
CSV_TOO = " As a file with all rows found, where Accept is text/csv."
_BELOW_ZERO = re.compile(r"-\d+(\.\d+)?")

Prepare = Callable[[Sequence[Any]], Mapping[str, Any]]


class PageField(serializers.IntegerField):
    """Digits and nothing else."""

    def to_internal_value(self, data: Any) -> int:
        if not (data.isascii() and data.isdigit()):
            self.fail("invalid")
        return super().to_internal_value(data)


class DayField(serializers.DateField):
    """Of a year that has moments in every time zone and database."""

    def to_internal_value(self, value: Any) -> Any:
        day = super().to_internal_value(value)
        if not 1970 <= day.year <= 2200:
            self.fail("invalid", format="YYYY-MM-DD")
        return day


class OrderingField(serializers.ChoiceField):
    """By these columns; the first is what it is where nothing is asked for."""

    def __init__(self, *names: str, **options: Any) -> None:
        choices = [
            one
            for name in names
            for one in (name, f"-{name}" if name[0] != "-" else name[1:])
        ]
        super().__init__(choices=choices, default=names[0], **options)


class PageQuerySerializer(serializers.Serializer[Any]):
    page = PageField(
        min_value=1, max_value=MAX_PAGE, default=1, help_text="Begins with 1."
    )


class SpanQuerySerializer(PageQuerySerializer):
    first = DayField(
        required=False, help_text="From this day on, of the brand's time zone."
    )
    last = DayField(required=False, help_text="Up to this day, with it.")


class PageSerializer(serializers.Serializer[Any]):
    page = serializers.IntegerField(min_value=1)
    pages = serializers.IntegerField(min_value=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """How rows are asked for and answered.

    A field of ``query`` that is not named here filters by the column it has as source.
    ``moment`` is the column that ``first`` and ``last`` are days of.
    """

    name: str
    shape: type[serializers.Serializer[Any]]
    query: type[PageQuerySerializer] = PageQuerySerializer
    size: int = 50
    moment: str = ""

    def answer(
        self,
        request: Request,
        rows: QuerySet[Any],
        *,
        affiliate: Affiliate,
        prepare: Prepare = lambda rows: {},
    ) -> HttpResponseBase:
        """The page asked for, empty beyond the last; or all of them as CSV."""
        asked = read(self.query, request.query_params.dict())
        page = asked.pop("page")
        found = self._found(rows, asked, affiliate)
        if wants_csv(request):
            return csv_answer(self.name, self._lines(found, prepare))
        pages = Paginator(found, self.size)
        shown = pages.page(page).object_list if page <= pages.num_pages else []
        data = {
            self.name: self._shaped(list(shown), prepare),
            "page": page,
            "pages": pages.num_pages,
        }
        return Response(answer_body(data))

    def _found(
        self, rows: QuerySet[Any], asked: dict[str, Any], affiliate: Affiliate
    ) -> QuerySet[Any]:
        first, last = asked.pop("first", None), asked.pop("last", None)
        ordering = asked.pop("ordering", None)
        if first is not None:
            asked[f"{self.moment}__gte"] = start_of(first, affiliate.brand.zone())
        if last is not None:
            asked[f"{self.moment}__lt"] = span_of(last, last, affiliate.brand.zone())[1]
        found = rows.filter(**asked)
        if ordering is None:
            return found
        return found.order_by(ordering, "-pk" if ordering[0] == "-" else "pk")

    def _shaped(self, rows: Sequence[Any], prepare: Prepare) -> Any:
        context = dict(prepare(rows)) if rows else {}
        return self.shape(rows, many=True, context=context).data

    def _lines(self, found: QuerySet[Any], prepare: Prepare) -> Any:
        rows = list(found[: MAX_CSV_ROWS + 1])
        if len(rows) > MAX_CSV_ROWS:
            raise InvalidInput(
                "too_many_rows",
                f"A file has at most {MAX_CSV_ROWS} rows: ask for fewer of them, such "
                "as by first and last.",
            )
        return self._shaped(rows, prepare)


def one_of(rows: QuerySet[Any], pk: int) -> Any:
    """The row with this id among the affiliate's own, else NotFound."""
    found = rows.filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found


def wants_csv(request: Request) -> bool:
    accepted = request.headers.get("Accept", "").split(",")
    return any(one.partition(";")[0].strip().lower() == CSV for one in accepted)


def csv_answer(name: str, rows: Iterable[Mapping[str, Any]]) -> HttpResponse:
    """What JSON would answer, each row in a line; lists of objects are left out."""
    lines = [dict(_cells(row)) for row in rows]
    header = list(dict.fromkeys(column for line in lines for column in line))
    cells: list[list[Cell]] = [[line.get(one) for one in header] for line in lines]
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
            if not any(isinstance(one, Mapping) for one in value):
                yield column, neutral_text(" ".join(map(str, value)))
        elif isinstance(value, str):
            is_number = _BELOW_ZERO.fullmatch(value) is not None
            yield column, Decimal(value) if is_number else neutral_text(value)
        else:
            yield column, str(value).lower() if isinstance(value, bool) else value
