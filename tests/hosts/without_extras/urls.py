"""Those of the bare host without the API's description, which needs an extra."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("affiliates.api.urls")),
    path("affiliate/", include("affiliates.contrib.area.urls")),
    path("", include("affiliates.api.unknown_urls")),
]
