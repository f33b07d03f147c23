"""The parts of a check: rows, and rules that find the faults in a range of them.

A rule is a query that returns only the rows at fault (``Faults``), or a function where a
document has to be recomputed. None of them ask the rules that the rows were written by:
a fault there would hide itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from string import Formatter
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    ExpressionWrapper,
    F,
    Func,
    IntegerField,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.expressions import Combinable, Expression
from django.db.models.functions import Cast, Coalesce

from affiliates.db.sums import from_thousandths

ROWS_AT_ONCE = 20_000
# For rows with whole documents.
DOCUMENTS_AT_ONCE = 1_000

# Rows at fault by name, and what is wrong. Only reading the latter may meet a document
# that cannot be read.
RowFaults = Iterator[tuple[str, Iterable[str]]]
Rule = Callable[[QuerySet[Any], range], RowFaults]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Rows of one kind, and the rules for them. ``brand`` leads to the brand's id.

    ``reads`` are all tables that the rules read, each with the column that holds the key
    of the checked row: such rows need no second proof until one of them changes. Empty
    if the rules read more than that.
    """

    label: str
    model: type[Model]
    rules: tuple[Rule, ...]
    only: Q = Q()
    brand: str = "brand_id"
    at_once: int = ROWS_AT_ONCE
    reads: tuple[tuple[type[Model], str], ...] = ()


@dataclass(frozen=True, slots=True)
class Faults:
    """One query for the rows that meet one of the conditions.

    ``name`` and the sentences, the keys of ``conditions``, are filled in with values of
    the row. ``facts`` adds what the conditions need to the rows of a range.
    """

    name: str
    conditions: Mapping[str, Q | Combinable]
    facts: Callable[[QuerySet[Any]], Any] = lambda rows: rows

    def query(self, rows: QuerySet[Any]) -> QuerySet[Any, Any]:
        """Returns the rows at fault, each with a flag for each condition."""
        conditions = [Q(condition) for condition in self.conditions.values()]
        flags = {
            flag: ExpressionWrapper(condition, BooleanField())
            for flag, condition in zip(self._flags(), conditions, strict=True)
        }
        texts = [self.name, *self.conditions]
        columns = {column for text in texts for column in _columns(text)}
        totals = self.facts(rows).filter(reduce(or_, conditions)).annotate(**flags)
        faulty: QuerySet[Any, Any] = totals.values(*columns, *flags)
        return faulty

    def __call__(self, rows: QuerySet[Any], ids: range) -> RowFaults:
        for row in self.query(rows):
            faults = [
                _words.vformat(sentence, (), row)
                for flag, sentence in zip(self._flags(), self.conditions, strict=True)
                if row[flag]
            ]
            yield _words.vformat(self.name, (), row), faults

    def _flags(self) -> list[str]:
        return [f"fault_{number}" for number in range(len(self.conditions))]


class _Words(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None or value == "":
            return "nothing"
        if format_spec == "thousandths":
            return f"{from_thousandths(value):f}"
        return str(super().format_field(value, format_spec))


_words = _Words()


def _columns(text: str) -> Iterator[str]:
    return (name for _, name, _, _ in _words.parse(text) if name)


class Differs(Func):
    """Whether two values are not the same. NULL is a value here, unlike with ``~Q``."""

    arity = 2
    template = "(%(expressions)s)"
    arg_joiner = " IS DISTINCT FROM "
    output_field = BooleanField()

    def as_sqlite(self, compiler: Any, connection: Any, **options: Any) -> Any:
        return self.as_sql(compiler, connection, **options, arg_joiner=" IS NOT ")


def differ(pairs: Mapping[str, str]) -> Q:
    """Whether any of the columns is not the same as the one that it must equal."""
    return reduce(or_, (Q(Differs(*pair)) for pair in pairs.items()))


def summed(rows: QuerySet[Any], by: str, what: Expression, of: str = "pk") -> Coalesce:
    """For each row of the outer query: ``what`` over the rows that name it in ``by``."""
    grouped = rows.filter(**{by: OuterRef(of)}).values(by)
    return Coalesce(Subquery(grouped.annotate(sum=what).values("sum")), Value(0))


def latest(rows: QuerySet[Any], column: str) -> Coalesce:
    """The column of the row with the highest key; empty for none."""
    value = rows.order_by("-pk").values(column)[:1]
    return Coalesce(Subquery(value), Value(""), output_field=TextField())


def due_in(statuses: Iterable[str], amount: str) -> Case:
    """The amount for a row with one of the statuses, and zero for others."""
    due = When(status__in=list(statuses), then=F(amount))
    return Case(due, default=Value(0), output_field=IntegerField())


def every(model: type[Model]) -> QuerySet[Any]:
    """All rows of a table, in no order."""
    return model._base_manager.order_by()


def within(rows: QuerySet[Any], ids: range, column: str = "pk") -> QuerySet[Any]:
    bounds = {f"{column}__gte": ids.start, f"{column}__lt": ids.stop}
    return rows.filter(**bounds)


def json_text(column: str) -> Cast:
    """A document as it is stored: much faster to read than by Django."""
    return Cast(column, TextField())
