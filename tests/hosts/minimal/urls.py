"""The addresses of the core alone: importing those of ``area`` would bring its models."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

handler400 = "affiliates.extending.rest.bad_request"
handler403 = "affiliates.extending.rest.permission_denied"
handler404 = "affiliates.extending.rest.not_found"
handler500 = "affiliates.extending.rest.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("affiliates.api.urls")),
    path("", include("affiliates.api.unknown_urls")),
]
