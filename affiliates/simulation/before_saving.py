"""Asks before the rules of a brand are saved, with what they would have changed.

The page saves first and looks at the rules that follow: the draft is what would be
stored, to the last inline. Then it takes all of it back, and asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib.messages.storage import default_storage
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.columns import row_link
from affiliates.admin_tools.confirmation import (
    SHOWN,
    AsksFirst,
    Listing,
    Question,
    totals_of,
)
from affiliates.brands.models.brand import Brand
from affiliates.brands.services import take_back_logo
from affiliates.fraud.rules.policy import Signal, SignalPolicy
from affiliates.fraud.selectors import policies_of
from affiliates.fraud_review.messages import ACTION_WORDS
from affiliates.simulation import report
from affiliates.simulation.selectors import configuration_of, newest_orders_since
from affiliates.simulation.signal_changes import signal_changes
from affiliates.simulation.simulate import SimulatedOutcome, simulate
from affiliates.simulation.types import Configuration, Draft

DAYS = 90
# More would take longer than somebody waits for a page.
MAX_ORDERS, MAX_SALES = 2_000, 100
MAX_CODES = 10
FILES_AGAIN = "files_again"
LAST_DAYS = f"Past orders of the last {DAYS} days, by the rules of today and by yours. "
LIMITED = (
    f"There are more than {MAX_ORDERS:,} orders: these are the newest {MAX_ORDERS:,}."
)
COLUMNS = ("Affiliate", "By the rules of today", "By yours", "Difference")


@dataclass(frozen=True)
class _Rules:
    configuration: Configuration
    signals: Mapping[Signal, SignalPolicy]

    def decides_like(self, other: _Rules) -> bool:
        """Whether both credit, pay and hold alike; a plan's name makes no difference."""
        return self._terms() == other._terms()

    def _terms(self) -> tuple[Any, ...]:
        plans = self.configuration.plans.items()
        earned_by = {affiliate_id: plan.terms for affiliate_id, plan in plans}
        return self.configuration.terms, earned_by, self.signals


class _NotAnswered(Exception):  # noqa: N818 - no error: it takes back what was saved
    def __init__(
        self, brand: Brand, today: _Rules, drafted: _Rules, labels: Mapping[str, str]
    ) -> None:
        super().__init__()
        self.brand, self.today, self.drafted = brand, today, drafted
        self.labels = labels


class FilesForm(forms.Form):
    """The files that the page was sent with: no browser sends them from another page."""

    def __init__(self, labels: Mapping[str, str], *data: Any) -> None:
        super().__init__(*data)
        for name, label in labels.items():
            self.fields[name] = forms.FileField(
                label=label,
                widget=widgets.File,
                help_text="Choose the file again: it is not kept while you are asked.",
            )


class AsksWhatIf(AsksFirst):
    """Mixed into the page of a brand, or of what has a ``brand``."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        args = request, object_id, form_url, extra_context
        try:
            page: HttpResponse = super().changeform_view(*args)  # type: ignore[misc] # ModelAdmin's
        except _NotAnswered as draft:
            _unsay(request)
            take_back_logo(draft.brand)
            question = _question(request, draft, now=timezone.now())
            if question is not None:
                row = None if object_id is None else self.get_object(request, object_id)
                return self.ask(request, replace(question, row=row), question.form)
            is_answered: Any = request
            is_answered.has_nothing_to_ask = True
            page = super().changeform_view(*args)  # type: ignore[misc] # ModelAdmin's
        return page

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        brand = _brand_of(obj)
        is_asked = _is_confirmed(request) or hasattr(request, "has_nothing_to_ask")
        if not (brand._state.adding or is_asked):
            form.rules_of_today = _rules_of(brand.pk)
        super().save_model(request, obj, form, change)  # type: ignore[misc] # ModelAdmin's

    def save_related(
        self, request: HttpRequest, form: Any, formsets: Any, change: bool
    ) -> None:
        super().save_related(request, form, formsets, change)  # type: ignore[misc] # ModelAdmin's
        today: _Rules | None = getattr(form, "rules_of_today", None)
        if today is None:
            return
        brand = _brand_of(form.instance)
        drafted = _rules_of(brand.pk)
        if not drafted.decides_like(today):
            names = [*dict.fromkeys([*request.FILES, *_files_of_page(request)])]
            labels = {name: form.fields[name].label for name in names}
            raise _NotAnswered(brand, today, drafted, labels)


def _files_of_page(request: HttpRequest) -> list[str]:
    """The fields of the files that the page had when the question was asked."""
    return request.POST.getlist(FILES_AGAIN)


def _is_confirmed(request: HttpRequest) -> bool:
    """With every file that it was asked with: none is lost unnoticed."""
    is_whole = set(_files_of_page(request)) <= set(request.FILES)
    return "confirmed" in request.POST and is_whole


def _unsay(request: Any) -> None:
    """Drop what this request has said of saving: it is not so."""
    request._messages = default_storage(request)


def _brand_of(row: Any) -> Brand:
    brand: Brand = row if isinstance(row, Brand) else row.brand
    return brand


def _rules_of(brand_id: int) -> _Rules:
    brand = Brand.objects.get(pk=brand_id)
    return _Rules(configuration_of(brand), policies_of(brand_id))


def _question(
    request: HttpRequest, draft: _NotAnswered, *, now: datetime
) -> Question | None:
    """What is to be shown of it; None where no order is there to show it by."""
    first, is_limited = newest_orders_since(
        draft.brand, since=now - timedelta(days=DAYS), most=MAX_ORDERS
    )
    outcome = SimulatedOutcome()
    rules = Draft(today=draft.today.configuration, drafted=draft.drafted.configuration)
    for _ in simulate(draft.brand, rules, first=first, last=now, outcome=outcome):
        pass
    if not outcome.looked_at:
        return None
    limits = [LIMITED] if is_limited else []
    answer = (request.POST, request.FILES) if "confirmed" in request.POST else ()
    return Question(
        title="Save these rules?",
        button="Save",
        paragraphs=[
            LAST_DAYS + report.headline(outcome),
            *limits,
            *report.caveats(outcome),
            *_treated_otherwise(draft, now=now),
            "Orders that are decided already stay as they are.",
        ],
        form=FilesForm(draft.labels, *answer),
        listing=lambda: _costs(outcome),
        carried=[
            *(
                (name, value)
                for name, values in request.POST.lists()
                for value in values
                if name not in ("csrfmiddlewaretoken", "confirmed", FILES_AGAIN)
            ),
            *((FILES_AGAIN, name) for name in draft.labels),
        ],
    )


def _costs(outcome: SimulatedOutcome) -> Listing:
    rows = report.cost_rows(outcome, most=SHOWN)
    known = len({affiliate_id for affiliate_id, _ in outcome.costs})
    more = f" The {SHOWN} largest differences are shown." if known > SHOWN else ""
    return Listing(
        columns=COLUMNS,
        rows=[
            [
                row_link("affiliate", row.affiliate_id, row.name)
                if row.affiliate_id
                else row.name,
                *row[2:],
            ]
            for row in rows
        ],
        summary=f"What the changed orders cost, for {known:,} affiliates.{more}",
        is_possible=True,
    )


def _treated_otherwise(draft: _NotAnswered, *, now: datetime) -> list[str]:
    """In sentences, what changed signals of fraud do to the newest sales."""
    if draft.drafted.signals == draft.today.signals:
        return []
    looked_at, changes = signal_changes(
        draft.brand,
        today=draft.today.signals,
        drafted=draft.drafted.signals,
        configuration=draft.today.configuration,
        first=now - timedelta(days=DAYS),
        most=MAX_SALES,
    )
    said = [f"Fraud signals, on the newest {looked_at:,} sales (at most {MAX_SALES}):"]
    for (before, after), change in changes.items():
        codes = sorted(change.codes)
        more = f" and {len(codes) - MAX_CODES} more" if len(codes) > MAX_CODES else ""
        worth = " and ".join(totals_of(change.earned)) or "nothing"
        said.append(
            f"{change.sales:,} would be “{ACTION_WORDS[after]}” instead of "
            f"“{ACTION_WORDS[before]}”: commissions of {worth}, of "
            f"{', '.join(codes[:MAX_CODES])}{more}."
        )
    return said if changes else [f"{said[0]} none would be treated otherwise."]
