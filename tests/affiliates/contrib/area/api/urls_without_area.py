"""The URLs of a host that leaves out the affiliate's area."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("affiliates.api.urls")),
    path("", include("affiliates.api.unknown_urls")),
]
