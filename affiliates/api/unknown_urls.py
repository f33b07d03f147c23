"""All other paths under /api, to be included after the host's own API."""

from __future__ import annotations

from django.urls import re_path

from affiliates.api.http.errors import unknown_path

urlpatterns = [re_path(r"^api(?:/.*)?$", unknown_path)]
