"""The table of personal data: apps add their own tables in ``affiliates_hooks.py``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.models import Model, Q

from affiliates.privacy.types import Key, Person, Use

# The values by which a person's rows are found.
Keys = Mapping[Key, frozenset[Any]]
Where = Mapping[str, Key] | Callable[[Keys], Q | None]
# What a column of the row holds once its person is erased.
Left = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredModel:
    """The columns of a table that hold personal data, and those that do not.

    ``of`` finds the rows of a person; a table without it holds rows that cannot be
    attributed to one person. ``opens`` decrypts a column. ``at`` is the moment after
    which retention counts.

    Erasing a person empties the columns of uses that are the person's and do not stay,
    or deletes the rows if it is among ``deletes``. ``leaves`` gives what is left where
    that is not nothing, also in further columns. ``shared`` finds rows with data of
    several persons, which no export has: they are emptied, or deleted, with each.
    """

    name: str
    columns: Mapping[Use, tuple[str, ...]]
    other: tuple[str, ...]
    of: Mapping[Person, Where]
    opens: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    at: str = ""
    deletes: Collection[Person] = ()
    leaves: Mapping[str, Left] = field(default_factory=dict)
    shared: Mapping[Person, Where] = field(default_factory=dict)

    @property
    def model(self) -> type[Model]:
        return apps.get_model(self.name)

    def uses(self) -> Iterator[tuple[str, Use]]:
        for use, names in self.columns.items():
            for name in names:
                yield name, use


_declared: dict[str, DeclaredModel] = {}


def declare(
    name: str,
    columns: Mapping[Use, str] | None = None,
    *,
    of: Mapping[Person, Where] | None = None,
    other: str = "",
    opens: Mapping[str, Callable[[Any], Any]] | None = None,
    at: str = "",
    deletes: Collection[Person] = (),
    leaves: Mapping[str, Left] | None = None,
    shared: Mapping[Person, Where] | None = None,
) -> None:
    """Declares the columns of the model of this name; names are separated by spaces."""
    _declared[name] = DeclaredModel(
        name=name,
        columns={use: tuple(names.split()) for use, names in (columns or {}).items()},
        other=tuple(other.split()),
        of=of or {},
        opens=opens or {},
        at=at,
        deletes=deletes,
        leaves=leaves or {},
        shared=shared or {},
    )


def declared() -> list[DeclaredModel]:
    """Returns the declared models of the installed apps, in order of their names."""
    labels = {config.label for config in apps.get_app_configs()}
    return [
        table
        for name, table in sorted(_declared.items())
        if name.split(".")[0] in labels
    ]
