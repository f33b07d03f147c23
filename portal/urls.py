"""The portal's pages and API, and around them the routes of affiliates."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from portal.api.docs import DocsView, SchemaView
from portal.api.security_txt import security_txt
from portal.clients import staff_account
from portal.clients.confirmation import asks_first

of_staff = admin.site.admin_view

urlpatterns = [
    # First, because visits are most of the traffic.
    path("", include("affiliates.api.urls")),
    path("", include("affiliates.operations.monitoring.urls")),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", include("affiliates.contrib.desk.urls")),
    path(
        "admin/second-factor/", staff_account.second_factor_page, name="second-factor"
    ),
    path("admin/sessions/", of_staff(staff_account.sessions), name="admin-sessions"),
    path("admin/confirm/", of_staff(staff_account.confirm), name="admin-confirm"),
    path("admin/password_change/", of_staff(asks_first(admin.site.password_change))),
    path("admin/", admin.site.urls),
    path("api/", include("portal.clients.urls")),
    path("api/", include("portal.orders.urls")),
    path("", include("portal.billing.urls")),
    path("api/schema", SchemaView.as_view(), name="schema"),
    path("api/docs", DocsView.as_view(), name="docs"),
    path(".well-known/security.txt", security_txt, name="security-txt"),
    path("affiliate/", include("affiliates.contrib.area.urls")),
    *([path("", include("portal.demo.urls"))] if settings.DEMO_GATEWAY else []),
    path("", include("affiliates.api.unknown_urls")),
    path("", include("portal.storefront.urls")),
]

handler400 = "affiliates.extending.rest.bad_request"
handler403 = "portal.errors.permission_denied"
handler404 = "portal.errors.not_found"
handler500 = "affiliates.extending.rest.server_error"
