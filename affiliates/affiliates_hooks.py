"""Registers this app's background jobs: each of these modules registers its own.

Every installed app may have a module of this name, which is imported at startup.
"""

from __future__ import annotations

from affiliates.commissions.services import maturing
from affiliates.emails import alerts, sending
from affiliates.exports import services as exports
from affiliates.imports import services as imports
from affiliates.integrations.delivery import purge as deliveries
from affiliates.integrations.delivery.sending import worker as deliver
from affiliates.payout_runs.services import schedule
from affiliates.recruitment.services import applications
from affiliates.statistics import services as statistics
from affiliates.statistics import summaries
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
