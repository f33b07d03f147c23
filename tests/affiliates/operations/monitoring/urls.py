"""What monitoring asks, beside the API."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("affiliates.api.urls")),
    path("", include("affiliates.operations.monitoring.urls")),
]
