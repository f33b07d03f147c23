from __future__ import annotations

from django.apps import apps
from django.contrib import admin
from django.urls import include, path

from affiliates.api.descriptions import HAS_OPENAPI

handler400 = "affiliates.extending.rest.bad_request"
handler403 = "affiliates.extending.rest.permission_denied"
handler404 = "affiliates.extending.rest.not_found"
handler500 = "affiliates.extending.rest.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("affiliates.api.urls")),
    path("", include("affiliates.api.unknown_urls")),
]
if HAS_OPENAPI:
    urlpatterns.insert(-1, path("", include("affiliates.api.schema_urls")))
if apps.is_installed("affiliates.contrib.area"):
    urlpatterns.insert(-1, path("affiliate/", include("affiliates.contrib.area.urls")))
