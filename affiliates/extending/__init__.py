"""Tools for a host's own tables, jobs, limits, secrets, books and links' pages.

Import it where models may be imported: in ``models.py`` and later, not in settings.
"""

from __future__ import annotations

from affiliates.api.throttling.services import count_call
from affiliates.api.throttling.words import limit_sentence
from affiliates.brands.links import LINK_ROUTE
from affiliates.db.migration_operations import AddIndexBesideWriters
from affiliates.db.records import Record, RecordManager, insert_once, insert_statement
from affiliates.db.routers import ReportsRouter
from affiliates.encrypted.columns import Purpose, SecretUnreadable, register_column
from affiliates.extending.clients import ReportedClient, StoresClients
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import account_balances, balance, balances_of
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.services import publish_coupon, publish_plan
from affiliates.privacy.registry import Keys
from affiliates.privacy.registry import declare as declare_personal_data
from affiliates.privacy.types import Ground, Kept, Key, Person, Receiver, Use
from affiliates.worker.registry import register as register_job
from affiliates.worker.running import run_job
from affiliates.worker.selectors import health as jobs_health
from affiliates.worker.types import Clock, JobFailed, ShouldStop

__all__ = [
    "LINK_ROUTE",
    "Account",
    "AddIndexBesideWriters",
    "Clock",
    "CommissionPlan",
    "Ground",
    "JobFailed",
    "Kept",
    "Key",
    "Keys",
    "Person",
    "PlanRule",
    "Purpose",
    "Receiver",
    "Record",
    "RecordManager",
    "ReportedClient",
    "ReportsRouter",
    "SecretUnreadable",
    "ShouldStop",
    "StoresClients",
    "Use",
    "account_balances",
    "balance",
    "balances_of",
    "count_call",
    "declare_personal_data",
    "insert_once",
    "insert_statement",
    "limit_sentence",
    "jobs_health",
    "publish_coupon",
    "publish_plan",
    "register_column",
    "register_job",
    "run_job",
]
