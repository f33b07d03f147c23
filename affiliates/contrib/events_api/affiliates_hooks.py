"""Registers the endpoints, the work of staff, the audit and the personal data."""

from __future__ import annotations

from django.db.transaction import non_atomic_requests
from django.urls import path

from affiliates.admin_tools.leaving import LEAVING, Leaving
from affiliates.api.descriptions import HAS_OPENAPI
from affiliates.api.registry import ROUTES
from affiliates.brands.roles import OPERATOR, Work, register
from affiliates.contrib.events_api.api.lists import ListsViewSet
from affiliates.contrib.events_api.api.reports import EventsViewSet
from affiliates.db.audit.recording import RECORDED_MODELS
from affiliates.privacy.registry import declare
from affiliates.privacy.uses import ACT

if HAS_OPENAPI:
    from affiliates.contrib.events_api.api import scheme  # noqa: F401 - registers itself

ROUTES += [
    path(
        "api/operator/events",
        # Each event has a transaction of its own.
        non_atomic_requests(EventsViewSet.as_view({"post": "create"})),
        name="operator_events",
    ),
    path(
        "api/operator/lists/<str:list_name>",
        ListsViewSet.as_view({"get": "list"}),
        name="operator_list",
    ),
]
# A key may read lists, and makes commissions.
LEAVING["affiliates_events_api.add_brandkey"] = Leaving.RIGHTS
RECORDED_MODELS["affiliates_events_api.BrandKey"] = "brand"
register(
    "affiliates_events_api",
    {OPERATOR: Work(does=("add_brandkey", "change_brandkey"))},
)
declare(
    "affiliates_events_api.BrandKey",
    {ACT: "made_by"},
    other="name digest hint scopes secrets cap_currency",
)
