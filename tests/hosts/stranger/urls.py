from __future__ import annotations

from django.urls import include, path

from tests.hosts.stranger.sites import backoffice

urlpatterns = [
    path("backoffice/", backoffice.urls),
    path("partners/", include("affiliates.contrib.area.urls")),
    path("", include("affiliates.api.urls")),
]
