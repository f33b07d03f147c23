"""Tasks for a host that runs django-tasks. Importing this needs the package."""

from __future__ import annotations

from django_tasks import task

from affiliates.payouts.emails import send_destination_changed


@task()
def email_destination_changed(destination_id: int) -> int:
    """Send the e-mails about this destination; return how many."""
    return send_destination_changed(destination_id)
