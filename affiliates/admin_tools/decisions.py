"""Decisions of staff, each declared once for the page of a row and for the list.

``on_row`` and ``on_list`` of a ``StaffDecision`` return the actions of a ModelAdmin that is a
``Decides``. Both ask with the same question and write with the same function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.db.transaction import non_atomic_requests
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict

from affiliates.admin_tools.base import action
from affiliates.admin_tools.confirmation import (
    AsksFirst,
    Listing,
    Question,
    answer_of,
    by_reason,
    first_ids,
    own_reason,
)
from affiliates.admin_tools.heads import OnlyWhatIsPossible

MAX_NOTICES = 10


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

    def named(self) -> str:
        """The row by its name, several by their number: "Payout 7", "3 payouts"."""
        if self.row is not None:
            return str(self.row)
        names, count = self.rows.model._meta, len(self.ids)
        name = names.verbose_name if count == 1 else names.verbose_name_plural
        return f"{count:,} {name}" if count else str(name)

    def report(self, text: str, *, is_success: bool) -> None:
        level = messages.SUCCESS if is_success else messages.WARNING
        self.page.message_user(self.request, text, level)


@dataclass(frozen=True, kw_only=True)
class StaffDecision:
    """``name`` is the path of the button; ``permission`` is one of the ModelAdmin.
    ``title`` may name the ``{rows}``, see ``Chosen.named``.

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
    is_late: Callable[[Any], str] | None = None
    # In place of ``is_late`` for a list: the notices for the selected rows together; the
    # ids are those of the rows that the list still shows.
    were_late: Callable[[QuerySet[Any], Sequence[Any]], list[str]] | None = None
    nothing: str = Question.nothing
    # False for a service whose steps commit separately.
    is_atomic: bool = True

    def on_list(self, label: str) -> Any:
        def many(page: Any, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
            return self._ask(page, request, queryset)

        return action(description=label, permissions=[self.permission])(many)

    def on_row(self, label: str) -> Any:
        def one(page: Any, request: HttpRequest, object_id: str) -> Any:
            row = page.row_of(request, object_id)
            if self.is_late and not self.is_open(row):
                page.message_user(request, self.is_late(row), messages.WARNING)
                return HttpResponseRedirect(page.page_of(row))
            rows = page.get_queryset(request).filter(pk=row.pk)
            decidable = rows if self.is_open(row) else rows.none()
            return self._ask(page, request, decidable, row)

        button = action(
            description=label, url_path=self.name, permissions=[self.permission]
        )(one)
        button.decision = self  # type: ignore[attr-defined] # read by is_possible
        return button if self.is_atomic else non_atomic_requests(button)

    def on_both(self, label: str) -> tuple[Any, Any]:
        return self.on_list(label), self.on_row(label)

    def _ask(
        self, page: Any, request: HttpRequest, found: QuerySet[Any], row: Any = None
    ) -> HttpResponse:
        ids = first_ids(self.waiting(found))
        rows = self.waiting(found.filter(pk__in=ids))
        chosen = Chosen(page=page, request=request, rows=rows, ids=ids, row=row)
        form = self.form and self.form(chosen)
        late = [] if row else self._late(_selected(page, request, found), ids)
        question = Question(
            **{
                "title": self.title.format(rows=chosen.named()),
                "button": self.button,
                "paragraphs": self.paragraphs,
                **self.details(chosen),
            },
            left_out=late,
            form=form,
            listing=self.listing and partial(self.listing, chosen),
            nothing=self.nothing,
            selected=ids,
            row=row,
        )

        def write() -> HttpResponse | str | None:
            answers = {} if form is None else form.cleaned_data
            done = self.write(chosen, answers) if ids or not late else None
            for notice in late:
                chosen.report(notice, is_success=False)
            return done

        answer: HttpResponse = page.ask_or_do(request, question, write)
        return answer

    def _late(self, rows: QuerySet[Any], ids: Sequence[Any]) -> list[str]:
        """The notices for the rows of a list that do not wait any more, or never did."""
        if self.were_late:
            return self.were_late(rows, ids)
        if not self.is_late:
            return []
        late = rows.exclude(pk__in=self.waiting(rows).values("pk")).order_by("pk")
        notices = [self.is_late(row) for row in late[:MAX_NOTICES]]
        if others := late.count() - len(notices):
            notices.append(f"{others:,} others of those chosen do not wait either.")
        return notices


def _selected(page: Any, request: HttpRequest, found: QuerySet[Any]) -> QuerySet[Any]:
    """The chosen rows, with those that the list's filter has lost meanwhile."""
    ids = request.POST.getlist(ACTION_CHECKBOX_NAME)
    if not ids or request.POST.get("select_across") == "1":
        return found
    rows: QuerySet[Any] = page.get_queryset(request).filter(pk__in=ids)
    return rows


def already(row: Any, state: Any, by: Any = None) -> str:
    """The notice for a row that got this state meanwhile: who gave it, if known."""
    who = f" by {by}" if by else ""
    return f"{row}: {state.label} already{who}."


class Decides(OnlyWhatIsPossible, AsksFirst):
    """A mixin for a ModelAdmin with decisions."""

    actions_detail: ClassVar[Sequence[str]]

    def is_possible(self, request: HttpRequest, row: Any, path: str) -> bool:
        """Other buttons than those of decisions are always shown."""
        buttons = (getattr(self, name) for name in self.actions_detail)
        decisions = (getattr(button, "decision", None) for button in buttons)
        return all(
            decision.is_open(row)
            for decision in decisions
            if decision is not None and decision.name == path
        )
