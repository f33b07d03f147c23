"""Tasks for a host that runs django-tasks. Importing this needs the package."""

from __future__ import annotations

from django.utils import timezone
from django_tasks import task

from affiliates.payouts.emails import enqueue_destination_changed
from affiliates.payouts.models import PayoutDestination


@task()
def email_destination_changed(destination_id: int) -> int:
    """What processes of release 1.2 ask for: it may wait in the queue at the upgrade."""
    destination = PayoutDestination.objects.select_related("affiliate__brand").get(
        pk=destination_id
    )
    return enqueue_destination_changed(destination, now=timezone.now())
