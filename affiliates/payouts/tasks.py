"""Tasks for a host that runs django-tasks. Importing this needs the package."""

from __future__ import annotations

from django_tasks import task

from affiliates.payouts.emails import send_letters


@task()
def send_destination_letters(destination_id: int) -> int:
    """Send the letters about this destination; return how many."""
    return send_letters(destination_id)
