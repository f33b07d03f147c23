from __future__ import annotations

from django.urls import include, path

from tests.hosts.own_rest import urls_before

urlpatterns = [
    path("", include("affiliates.api.urls")),
    path("", include("affiliates.api.schema_urls")),
    *urls_before.urlpatterns,
]
