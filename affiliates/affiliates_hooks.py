"""Registers this app's background jobs: each of these modules registers its own.

Every installed app may have a module of this name, which is imported at startup.
"""

from __future__ import annotations

from affiliates.commissions.services import maturing
from affiliates.contrib.desk.exports import services as exports
from affiliates.contrib.imports import services as imports
from affiliates.contrib.payout_runs.services import schedule
from affiliates.contrib.recruitment.services import applications
from affiliates.contrib.statistics import services as statistics
from affiliates.contrib.statistics import summaries
from affiliates.emails import alerts, sending
from affiliates.outbox import purge as deliveries
from affiliates.outbox.sending import worker as deliver
from affiliates.worker import jobs as worker

__all__ = [
    "alerts",
    "applications",
    "deliver",
    "deliveries",
    "exports",
    "imports",
    "maturing",
    "schedule",
    "sending",
    "statistics",
    "summaries",
    "worker",
]
