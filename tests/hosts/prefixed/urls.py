from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

handler404 = "affiliates.extending.rest.not_found"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("shop/en/", include("affiliates.api.urls")),
    path("shop/en/", include("affiliates.api.schema_urls")),
    path("shop/en/", include("affiliates.api.unknown_urls")),
]
