"""The order of a queue: overdue rows first, then those with the most money."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar

from django.db.models import Case, F, OrderBy, When
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

LONG = timedelta(days=7)
BY_AGE = _("The oldest come first.")
BY_MONEY = _(
    "What has waited for more than 7 days comes first, then the largest amount, then "
    "the oldest."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOrder:
    """The waiting rows of a list, by ``field``; since when, and their money.

    ``amount`` is a field or an expression, in minor units, None where no money is known.
    """

    field: str
    waiting: tuple[str, ...]
    since: str
    amount: Any = None

    def ordering(self) -> list[Any]:
        oldest_first = [self.since, "pk"]
        if self.amount is None:
            return oldest_first
        amount = F(self.amount) if isinstance(self.amount, str) else self.amount
        late = When(**{f"{self.since}__lt": timezone.now() - LONG}, then=0)
        return [
            OrderBy(Case(late, default=1)),
            OrderBy(amount, descending=True, nulls_last=True),
            *oldest_first,
        ]


class Queue:
    """A mixin for a list: sorts it as a queue if it is filtered to waiting rows."""

    queue: ClassVar[QueueOrder]

    def get_ordering(self, request: HttpRequest) -> Any:
        if self._is_asked_for(request):
            return self.queue.ordering()
        return super().get_ordering(request)  # type: ignore[misc] # ModelAdmin's

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = extra_context or {}
        if self._is_asked_for(request) and not request.GET.get("o"):
            said = BY_AGE if self.queue.amount is None else BY_MONEY
            context = {"queue_order": said, **context}
        page: HttpResponse = super().changelist_view(request, context)  # type: ignore[misc] # ModelAdmin's
        return page

    def _is_asked_for(self, request: HttpRequest) -> bool:
        field, parameters = self.queue.field, request.GET
        exactly, some = (
            parameters.get(f"{field}__exact"),
            parameters.get(f"{field}__in", ""),
        )
        asked = some.split(",") if exactly is None else [exactly]
        return set(asked) <= set(self.queue.waiting)
