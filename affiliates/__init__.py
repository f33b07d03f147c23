"""Affiliate tracking for a client area: see README.md."""

from __future__ import annotations

__version__ = "1.0.0"

# The apps beside the core, for `INSTALLED_APPS`.
APPS = (
    "affiliates.contrib.statistics",
    "affiliates.contrib.recruitment",
    "affiliates.contrib.claims",
    "affiliates.contrib.payout_runs",
    "affiliates.contrib.paypal",
    "affiliates.contrib.wise",
    "affiliates.contrib.stripe",
    "affiliates.contrib.imports",
    "affiliates.contrib.area",
    "affiliates.contrib.tax_identity",
    "affiliates.contrib.invoices",
    "affiliates.contrib.offers",
    "affiliates.contrib.desk",
    "affiliates.contrib.reconciliation",
    "affiliates.contrib.what_if",
    "affiliates.contrib.announcements",
    "affiliates.contrib.events_api",
)

# All modules that a host may import or name in its settings and URLs, and what for.
# docs/supported-versions.md and the contract "seam" of pyproject.toml are made from it.
SEAM = {
    "adapter": "the base class of the host's adapter",
    "contracts": "the values that host and adapter exchange",
    "cookies": "the referral cookie on pages of the host's own",
    "errors": "the refusals of every operation",
    "host_events": "reports of registrations, orders, payments, refunds",
    "signals": "notices of sales, commissions and payouts",
    "extending": "tables, jobs, limits, secrets, personal data, plans and balances",
    "extending.admin": "admin pages in the style of these",
    "extending.middleware": "middleware by name, for `MIDDLEWARE`",
    "extending.rest": "JSON endpoints in the style of these",
    "extending.providers": "a tracking or payout provider of the host's own",
    "testing": "tests of a payout provider that is called",
    "telemetry.logs": "filters and formatters by name, for `LOGGING`",
    "api.urls": "the routes of the API",
    "api.schema_urls": "the routes of its description",
    "api.unknown_urls": "JSON for all other paths below `/api`",
    "api.serving": "the layers around a WSGI or ASGI application",
    "operations.monitoring.urls": "the routes of liveness, readiness and metrics",
    "contrib.area.urls": "the routes of the affiliates' area",
    "contrib.desk.urls": "the routes of the operator's pages",
    "contrib.desk.theme": "the sidebar and the search, for unfold's settings",
}
