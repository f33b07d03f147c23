"""The page that asks for confirmation of an action on one row or many.

An action describes itself by a ``Question`` and gives ``ask_or_do`` the function that
does it. The page shows the rows, their totals and a form for the reason. The action
affects only the rows shown, not rows recorded meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    QueryDict,
)
from django.template.response import TemplateResponse
from django.urls import reverse

from affiliates.admin_tools import widgets
from affiliates.admin_tools.columns import money_text
from affiliates.admin_tools.editing.drafts import NOT_SAVED_YET, is_shown_again
from affiliates.admin_tools.lists.changelist import MAX_COUNTED_ROWS
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.admin_tools.visible import offer_visible
from affiliates.errors import AffiliatesError

# As fields of a form, of which Django takes 1,000.
MAX_SELECTED = 900
LIMIT = f"At most {MAX_SELECTED} are taken at once: choose the others again afterwards."
SHOWN = 50
# The page's form, and the fields of its table that belong to it.
FORM, OWN_REASON = "confirm", "reason-of-"
TEMPLATE = "affiliates/admin/confirm.html"


@dataclass(frozen=True)
class Listing:
    """The affected rows: the first of them, and a sentence about all."""

    columns: tuple[str, ...]
    rows: list[list[object]]
    summary: str
    is_possible: bool

    @property
    def named_rows(self) -> list[list[tuple[str, object]]]:
        """The rows, each cell with the name of its column."""
        return named_cells(self.columns, self.rows)


@dataclass(frozen=True)
class Question:
    title: str
    # Empty if the question is not complete yet.
    button: str
    paragraphs: Sequence[str] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    form: forms.Form | None = None
    listing: Callable[[], Listing | None] | None = None
    # Notices about chosen rows that the action does not affect.
    left_out: Sequence[str] = ()
    # Shown instead of the button if the action is possible for none of the rows.
    nothing: str = "Nothing can be done here."
    # The rows of a bulk action.
    selected: Sequence[int] = ()
    # Cancel leads to its page; without a row, to the list.
    row: Any = None
    # The answer to an earlier question leads to the next question.
    is_last: bool = True


class AsksFirst:
    """A mixin for a ModelAdmin whose actions ask for confirmation."""

    # Of the ModelAdmin.
    opts: Any
    admin_site: Any
    get_changelist_instance: Any
    get_object: Any
    message_user: Any

    def row_of(self, request: HttpRequest, object_id: str) -> Any:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        return row

    def page_of(self, row: Any = None) -> str:
        """The page of the row, or the list."""
        page, args = ("changelist", []) if row is None else ("change", [row.pk])
        name = f"{self.opts.app_label}_{self.opts.model_name}_{page}"
        return reverse(f"{self.admin_site.name}:{name}", args=args)

    def ask_or_do(
        self,
        request: HttpRequest,
        question: Question,
        do: Callable[[], HttpResponse | str | None],
    ) -> HttpResponse:
        """Asks; once confirmed, calls ``do`` and goes back.

        ``do`` returns a message or a response, or has shown its messages already.
        """
        form = question.form or forms.Form(answer_of(request))
        offer_visible(request.user, form.fields.values())
        if not (is_answered(request) and form.is_valid()):
            return self.ask(request, question, form)
        try:
            done = do()
        except AffiliatesError as refusal:
            name = refusal.field if refusal.field in form.fields else None
            form.add_error(name, refusal.detail)
            return self.ask(request, question, form)
        if isinstance(done, HttpResponse):
            return done
        if done:
            self.message_user(request, done, messages.SUCCESS)
        return HttpResponseRedirect(self._back_from(request, question, say_left=True))

    def _back_from(
        self, request: HttpRequest, question: Question, *, say_left: bool = False
    ) -> str:
        """The row's page, or the list with its filters, its search and a page it has.

        With ``say_left``, says how many rows the list keeps if some of the chosen left it.
        """
        if question.row is not None or "action" not in request.POST:
            return self.page_of(question.row)
        if not (say_left and request.GET):
            return request.get_full_path()
        rows = self.get_changelist_instance(request)
        stay = rows.queryset.filter(pk__in=question.selected).count()
        if stay < len(question.selected):
            self.message_user(request, f"{_counted(rows)} left in this list.")
        return (
            request.get_full_path()
            if rows.refused_page is None
            else request.path + rows.last_page
        )

    def ask(
        self,
        request: HttpRequest,
        question: Question,
        form: forms.Form | None = None,
        *,
        template: str = TEMPLATE,
        **more: Any,
    ) -> HttpResponse:
        if is_shown_again(request):
            self.message_user(request, NOT_SAVED_YET, messages.WARNING)
        context = {
            **self.admin_site.each_context(request),
            "title": question.title,
            "opts": self.opts,
            "question": question,
            "listing": question.listing and question.listing(),
            "form": form,
            "back": self._back_from(request, question),
            "action": request.POST.get("action", ""),
            "selected": question.selected,
            "limit": LIMIT if len(question.selected) == MAX_SELECTED else "",
            "select_across": "0",
            **more,
        }
        return TemplateResponse(request, template, context)


def is_answered(request: HttpRequest) -> bool:
    """Whether the confirmation was posted; a list also posts its action."""
    return (
        request.method == "POST" and not is_shown_again(request) and _has_form(request)
    )


def answer_of(request: HttpRequest) -> QueryDict | None:
    """The posted data of the page's form, also if it is only to be shown again."""
    is_filled_in = request.method == "POST" and _has_form(request)
    return request.POST if is_filled_in else None


def _has_form(request: HttpRequest) -> bool:
    """Tells the page's form from a list, which posts its action alone."""
    return "confirmed" in request.POST or "action" not in request.POST


def own_reason(
    request: HttpRequest, label: str = "Another reason"
) -> dict[str, Callable[[Any], object]]:
    """A column for a row's own reason, which replaces the reason for all."""
    answers = answer_of(request) or QueryDict()

    def cell(row: Any) -> object:
        name = f"{OWN_REASON}{row.pk}"
        attributes = {"form": FORM, "aria-label": f"{label}: {row}"}
        field = widgets.TextInput(attrs=attributes)
        return field.render(name, answers.get(name, ""))

    return {label: cell}


def by_reason(request: HttpRequest, ids: Sequence[Any], reason: str) -> dict[str, Any]:
    """The rows of each reason: a row's own reason, else the one for all."""
    fields: dict[str, list[Any]] = {}
    for pk in ids:
        own = request.POST.get(f"{OWN_REASON}{pk}", "").strip()
        fields.setdefault(own or reason, []).append(pk)
    return fields


def first_ids(rows: QuerySet[Any]) -> list[int]:
    """The first chosen rows that fit on a page, from all pages of the list."""
    return list(rows.order_by("pk").values_list("pk", flat=True)[:MAX_SELECTED])


def list_rows(
    rows: QuerySet[Any],
    columns: Mapping[str, Callable[[Any], object]],
    *,
    totals: Iterable[str] = (),
    then: str = "",
    is_possible: Callable[[Any], bool] | None = None,
    invoice_path: str = "",
) -> Listing:
    """``then`` ends the sentence on how many there are.

    ``invoice_path`` leads to the reference that ``number_invoices`` puts a number beside.
    """
    shown = list(rows[:SHOWN])
    number_invoices(shown, invoice_path)
    count = rows[: MAX_COUNTED_ROWS + 1].count()
    more = count > len(shown)
    possible = shown if is_possible is None else list(filter(is_possible, shown))
    return Listing(
        columns=tuple(columns),
        rows=[[cell(row) for cell in columns.values()] for row in shown],
        summary=_summary(rows, count, totals, then),
        is_possible=bool(possible) or more,
    )


def named_cells(
    columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> list[list[tuple[str, object]]]:
    return [list(zip(columns, row, strict=True)) for row in rows]


def totals_of(amounts: Iterable[tuple[str, int]]) -> list[str]:
    """The sum in each currency, of pairs of a currency and minor units."""
    sums: Counter[str] = Counter()
    for currency, amount in amounts:
        sums[currency] += amount
    return [money_text(amount, currency) for currency, amount in sorted(sums.items())]


def _counted(rows: Any) -> str:
    """The rows of a list: "31 commissions"."""
    names = rows.opts
    is_one = rows.result_count == 1
    name = names.verbose_name if is_one else names.verbose_name_plural
    return f"{rows.paginator.text} {name}"


def _summary(rows: QuerySet[Any], count: int, totals: Iterable[str], then: str) -> str:
    singular, many = rows.model._meta.verbose_name, rows.model._meta.verbose_name_plural
    if count > MAX_COUNTED_ROWS:
        text = f"More than {MAX_COUNTED_ROWS:,} {many}"
    else:
        text = f"{count:,} {singular if count == 1 else many}"
    if sums := " and ".join(totals):
        text += f", {sums} in all"
    text += then
    if count > SHOWN:
        text += f"; the first {SHOWN} are shown"
    return f"{text}."
