"""The findings of an examination: problems and their remedies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from inspect import isclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.checks import DEBUG, ERROR, INFO, WARNING, CheckMessage
from django.db.models import Model
from django.urls import reverse
from django.utils.module_loading import import_string

from affiliates.admin_tools.naming import page_name, permission_to

# The level of what a page shows although nothing is wrong.
FINE = DEBUG


class AdminPage(NamedTuple):
    """A page of the admin, by its URL's name, and the permission that it takes."""

    name: str
    permission: str
    pk: int | None = None
    query: Mapping[str, object] = {}

    @property
    def address(self) -> str:
        path = reverse(self.name, args=[] if self.pk is None else [self.pk])
        return f"{path}?{urlencode(self.query)}" if self.query else path


def form_of(model: str, row: Model | None, **initial: object) -> AdminPage:
    """The form of the row; without a row, the form of a new one."""
    verb = "change" if row else "add"
    return AdminPage(
        page_name(model, verb),
        permission_to(verb, model),
        pk=row.pk if row else None,
        query={} if row else initial,
    )


class Finding(CheckMessage):
    """A system check message: ``msg`` is what is wrong, ``hint`` the remedy.

    A page of the desk shows ``said`` under ``title``, and leads to ``page``. Findings
    without a code are shown there only.
    """

    def __init__(
        self,
        level: int,
        problem: str,
        *,
        code: str = "",
        remedy: str = "",
        said: str = "",
        title: str = "",
        page: AdminPage | None = None,
    ) -> None:
        super().__init__(
            level, problem, hint=remedy, id=f"affiliates.{code}" if code else None
        )
        self.said = said or problem
        self.title = title
        self.page = page

    @property
    def is_fine(self) -> bool:
        return self.level <= FINE


def error(code: str, problem: str, remedy: str, **shown: Any) -> Finding:
    return Finding(ERROR, problem, code=code, remedy=remedy, **shown)


def warning(code: str, problem: str, remedy: str) -> Finding:
    return Finding(WARNING, problem, code=code, remedy=remedy)


def information(code: str, problem: str, remedy: str) -> Finding:
    return Finding(INFO, problem, code=code, remedy=remedy)


def counted(count: int, singular: str, many: str) -> str:
    return f"{count:,} {singular if count == 1 else many}"


def meant(name: str, known: Iterable[str]) -> str:
    """Which of the known names was probably meant, else all of them."""
    known = sorted(known)
    return ", ".join(get_close_matches(name, known, n=1) or known)


def is_a(entry: Any, path: str) -> bool:
    """Whether the entry, a class or the path of one, is that class or made from it."""
    try:
        entry_point = import_string(entry) if isinstance(entry, str) else entry
        return isclass(entry_point) and issubclass(entry_point, import_string(path))
    except ImportError:
        return False
