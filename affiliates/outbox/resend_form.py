"""The form that chooses the deliveries to send again."""

from __future__ import annotations

from django import forms
from django.db.models import Q, QuerySet

from affiliates.admin_tools import widgets
from affiliates.admin_tools.forms import DaysForm
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import Operation

# Delivered ones are only sent again if they are events.
REPLAYABLE = (
    QueueState.RETRY,
    QueueState.UNCLEAR,
    QueueState.FAILED,
    QueueState.GIVEN_UP,
    QueueState.SENT,
)


def replayable(deliveries: QuerySet[Delivery]) -> QuerySet[Delivery]:
    """Deliveries that may be sent again. A delivered sale would count twice."""
    states = list(REPLAYABLE)
    return deliveries.filter(state__in=states).exclude(
        ~Q(operation=Operation.EVENT), state=QueueState.SENT
    )


def _label(state: QueueState) -> str:
    is_done = state is QueueState.SENT
    return f"{state.label} (events alone)" if is_done else str(state.label)


class ReplayForm(DaysForm):
    """Chooses the deliveries to send again by the days on which they were created."""

    happened = "Created"
    field_order = ("integration", "states", "first_day", "last_day")

    integration = forms.ModelChoiceField(
        TrackingIntegration.objects.filter(affiliate=None).select_related("brand"),
        widget=widgets.Select,
        empty_label=None,
    )
    states = forms.MultipleChoiceField(
        choices=[(state, _label(state)) for state in REPLAYABLE],
        initial=[QueueState.FAILED, QueueState.GIVEN_UP],
        widget=widgets.CheckboxSelectMultiple,
    )

    def deliveries(self) -> QuerySet[Delivery]:
        values = self.cleaned_data
        first, last = self.span()
        return (
            replayable(Delivery.objects.all())
            .filter(
                integration=values["integration"],
                state__in=values["states"],
                created_at__gte=first,
                created_at__lt=last,
            )
            .order_by("pk")
        )
