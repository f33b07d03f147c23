"""Those of the host with the API's description, whose package it lacks."""

from __future__ import annotations

from django.urls import include, path

from tests.hosts.without_extras import urls

urlpatterns = [path("", include("affiliates.api.schema_urls")), *urls.urlpatterns]
