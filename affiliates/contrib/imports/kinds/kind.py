"""What every kind of row has in common: judged one by one, written all at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model

from affiliates.brands.models.brand import Brand
from affiliates.contrib.imports.files.rows import Fault
from affiliates.contrib.imports.kinds.lookup import Lookup
from affiliates.program.models import Affiliate

Row = TypeVar("Row")
AT_ONCE = 500


class Found(NamedTuple):
    """What is to be written for a row; ``made`` is None for an affiliate that we have."""

    key: str
    affiliate: Affiliate
    made: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """For whom rows are imported, by whom and when."""

    brand: Brand
    actor_id: Any
    now: datetime


class Kind(Generic[Row]):
    """Rows of one kind, of one file. What a further row says again is remembered."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.lookup = Lookup(run.brand.pk)
        # What was looked up, by how rows name it.
        self.known: dict[str, Any] = {}
        self._said: dict[Hashable, int] = {}

    def look_up(self, rows: Sequence[Row]) -> None:
        """Ask for all that these rows name."""
        raise NotImplementedError

    def judge(self, row: Row, number: int) -> Found | None:
        """What is to be written, None for what we have; raises Fault. Writes nothing."""
        raise NotImplementedError

    def write(self, found: Sequence[Found]) -> None:
        """In the transaction of the whole file."""
        raise NotImplementedError

    def settle(self, keys: Sequence[str]) -> None:
        """What follows from these rows, once they are committed. May be repeated."""

    def say_once(self, number: int, *said: Hashable) -> None:
        """Raises Fault where an earlier row says the same."""
        first = self._said.setdefault(said, number)
        if first != number:
            raise Fault("repeats_row", row=first)


def checked(row: Model, *, leaving: Sequence[str]) -> None:
    """As the admin would check the row's own values. Raises Fault."""
    try:
        row.clean_fields(exclude=leaving)
    except ValidationError as refusal:
        name = next(iter(refusal.error_dict))
        raise Fault("invalid_value", name, value=str(getattr(row, name))) from None
