"""Decisions of staff, each declared once for the page of a row and for the list.

``on_row`` and ``on_list`` of a ``Decision`` return the actions of a ModelAdmin that is a
``Decides``. Both ask with the same question and write with the same function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict

from affiliates.admin_tools.base import OnlyWhatIsPossible, action
from affiliates.admin_tools.confirmation import (
    AsksFirst,
    Listing,
    Question,
    answer_of,
    by_reason,
    first_ids,
    own_reason,
)


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The rows to decide on, those that wait for it. ``row`` is None in the list."""

    page: Any
    request: HttpRequest
    rows: QuerySet[Any]
    ids: Sequence[Any]
    row: Any = None

    @property
    def data(self) -> QueryDict | None:
        """The posted form, if it was posted."""
        return answer_of(self.request)

    @property
    def actor_id(self) -> Any:
        return self.request.user.pk

    def own_reason(self, label: str = "Another reason") -> Any:
        """The column for a row's own reason, if there are several rows."""
        return own_reason(self.request, label) if len(self.ids) > 1 else {}

    def by_reason(self, reason: str) -> dict[str, Any]:
        """The ids of each reason: a row's own reason, else the one for all."""
        return by_reason(self.request, self.ids, reason)

    def report(self, text: str, *, is_success: bool) -> None:
        level = messages.SUCCESS if is_success else messages.WARNING
        self.page.message_user(self.request, text, level)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """``name`` is the path of the button; ``permission`` is one of the ModelAdmin.
    ``title`` may name the ``{row}``.

    ``write`` gets the rows and the answers of the form, and returns what ``ask_or_do``
    takes. ``details`` are fields of the question that depend on the rows.
    """

    name: str
    permission: str
    title: str
    button: str
    write: Callable[[Chosen, Mapping[str, Any]], HttpResponse | str | None]
    paragraphs: Sequence[str] = ()
    form: Callable[[Chosen], forms.Form | None] | None = None
    listing: Callable[[Chosen], Listing | None] | None = None
    details: Callable[[Chosen], Mapping[str, Any]] = lambda chosen: {}
    waiting: Callable[[QuerySet[Any]], QuerySet[Any]] = lambda rows: rows
    # Whether one row waits: the button is hidden otherwise.
    is_open: Callable[[Any], bool] = lambda row: True
    # The notice for a row that does not wait any more; without one, the question is
    # asked and says that there is nothing to do.
    is_late: str = ""
    nothing: str = Question.nothing

    def on_list(self, label: str) -> Any:
        def many(page: Any, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
            return self._ask(page, request, queryset)

        return action(description=label, permissions=[self.permission])(many)

    def on_row(self, label: str) -> Any:
        def one(page: Any, request: HttpRequest, object_id: str) -> Any:
            row = page.row_of(request, object_id)
            if self.is_late and not self.is_open(row):
                page.message_user(request, self.is_late, messages.WARNING)
                return HttpResponseRedirect(page.page_of(row))
            rows = page.get_queryset(request).filter(pk=row.pk)
            found = rows if self.is_open(row) else rows.none()
            return self._ask(page, request, found, row)

        button = action(
            description=label, url_path=self.name, permissions=[self.permission]
        )(one)
        button.decision = self  # type: ignore[attr-defined] # read by is_possible
        return button

    def _ask(
        self, page: Any, request: HttpRequest, found: QuerySet[Any], row: Any = None
    ) -> HttpResponse:
        ids = first_ids(self.waiting(found))
        rows = self.waiting(found.filter(pk__in=ids))
        chosen = Chosen(page=page, request=request, rows=rows, ids=ids, row=row)
        form = self.form and self.form(chosen)
        question = Question(
            **{
                "title": self.title.format(row=row),
                "button": self.button,
                "paragraphs": self.paragraphs,
                **self.details(chosen),
            },
            form=form,
            listing=self.listing and partial(self.listing, chosen),
            nothing=self.nothing,
            selected=ids,
            row=row,
        )
        answer: HttpResponse = page.ask_or_do(
            request,
            question,
            lambda: self.write(chosen, {} if form is None else form.cleaned_data),
        )
        return answer


class Decides(OnlyWhatIsPossible, AsksFirst):
    """A mixin for a ModelAdmin with decisions."""

    actions_detail: ClassVar[Sequence[str]]

    def is_possible(self, row: Any, path: str) -> bool:
        """Other buttons than those of decisions are always shown."""
        buttons = (getattr(self, name) for name in self.actions_detail)
        decisions = (getattr(one, "decision", None) for one in buttons)
        return all(
            one.is_open(row)
            for one in decisions
            if one is not None and one.name == path
        )
