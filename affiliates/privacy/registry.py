"""The table of personal data: apps add their own tables in ``affiliates_hooks.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.models import Model, Q

from affiliates.privacy.types import Key, Person, Use

# The values by which a person's rows are found.
Keys = Mapping[Key, frozenset[Any]]
Where = Mapping[str, Key] | Callable[[Keys], Q]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredModel:
    """The columns of a table that hold personal data, and those that do not.

    ``of`` finds the rows of a person; a table without it holds rows that cannot be
    attributed to one person. ``opens`` decrypts a column. ``at`` is the moment after
    which retention counts.
    """

    name: str
    columns: Mapping[Use, tuple[str, ...]]
    other: tuple[str, ...]
    of: Mapping[Person, Where]
    opens: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    at: str = ""

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
) -> None:
    """Declares the columns of the model of this name; names are separated by spaces."""
    _declared[name] = DeclaredModel(
        name=name,
        columns={use: tuple(names.split()) for use, names in (columns or {}).items()},
        other=tuple(other.split()),
        of=of or {},
        opens=opens or {},
        at=at,
    )


def declared() -> list[DeclaredModel]:
    """Those of the installed apps, in the order of their names."""
    labels = {config.label for config in apps.get_app_configs()}
    return [
        one for name, one in sorted(_declared.items()) if name.split(".")[0] in labels
    ]
