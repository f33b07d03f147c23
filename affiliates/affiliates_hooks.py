"""Registers this app's jobs, providers, columns and examinations: each module its own.

Every installed app may have a module of this name, which is imported at startup.
"""

from __future__ import annotations

from affiliates.api.idempotency import services as idempotency
from affiliates.api.throttling import services as throttling
from affiliates.commissions.services import maturing
from affiliates.emails import alerts, sending
from affiliates.membership import departures
from affiliates.operations.health import examine
from affiliates.operations.recovery import verification as recovery
from affiliates.outbox.sending import purging as deliveries
from affiliates.outbox.sending import worker as deliver
from affiliates.payouts import details as payout_details
from affiliates.payouts.sending import worker as payouts
from affiliates.privacy import table as privacy
from affiliates.privacy.retention import services as retention
from affiliates.referrals import withdrawal
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
    "payouts",
    "privacy",
    "recovery",
    "idempotency",
    "retention",
    "sending",
    "throttling",
    "webhook",
    "withdrawal",
]
