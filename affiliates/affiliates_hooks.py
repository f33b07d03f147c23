"""Registers this app's jobs, providers, columns and examinations: each module its own.

Every installed app may have a module of this name, which is imported at startup.
"""

from __future__ import annotations

from affiliates.commissions.services import maturing
from affiliates.emails import alerts, sending
from affiliates.health import examine
from affiliates.membership import departures
from affiliates.outbox.sending import purging as deliveries
from affiliates.outbox.sending import worker as deliver
from affiliates.payouts import details as payout_details
from affiliates.privacy import table as privacy
from affiliates.recovery import verification as recovery
from affiliates.referrals import withdrawal
from affiliates.repeats import services as repeats
from affiliates.retention import services as retention
from affiliates.throttles import services as throttles
from affiliates.tracking.providers import custom
from affiliates.tracking.providers.pap import adapter as pap
from affiliates.tracking.providers.pap import sale as pap_sale
from affiliates.webhooks import provider as webhook

__all__ = [
    "alerts",
    "custom",
    "deliver",
    "deliveries",
    "departures",
    "examine",
    "maturing",
    "pap",
    "pap_sale",
    "payout_details",
    "privacy",
    "recovery",
    "repeats",
    "retention",
    "sending",
    "throttles",
    "webhook",
    "withdrawal",
]
