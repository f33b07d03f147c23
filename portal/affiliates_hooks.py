"""The portal's own background jobs, and its part of the table of personal data."""

from __future__ import annotations

from datetime import timedelta

from affiliates.extending import Clock, JobFailed, ShouldStop, register_job
from portal import privacy
from portal.billing.renewals import issue_due
from portal.clients.password_reset import send_links
from portal.clients.sessions import delete_expired

__all__ = ["privacy"]


@register_job(
    "issue_renewals",
    every=timedelta(hours=1),
    does="Issues the invoice of every renewal that is due.",
)
def issue_renewals(now: Clock, should_stop: ShouldStop) -> str:
    return issue_due(now=now())


@register_job(
    "end_sessions",
    every=timedelta(days=1),
    does="Deletes expired sessions and tokens.",
)
def end_sessions(now: Clock, should_stop: ShouldStop) -> str:
    return delete_expired(now=now())


@register_job(
    "password_resets",
    every=timedelta(seconds=5),
    does="Sends clients who forgot their password a link to set a new one.",
    needs="The mail server of your `EMAIL_*` settings.",
)
def password_resets(now: Clock, should_stop: ShouldStop) -> str:
    sent, failed = send_links(now=now())
    if failed:
        raise JobFailed(f"The mail server took {sent:,} links and refused {failed:,}.")
    return f"{sent:,} links sent." if sent else ""
