"""The API's description and the page that shows it, for hosts that want them."""

from __future__ import annotations

from django.urls import URLPattern, path

from affiliates.api.descriptions import HAS_OPENAPI

app_name = "affiliates_schema"

urlpatterns: list[URLPattern] = []
# Without the extra the host starts all the same; a check says what to install.
if HAS_OPENAPI:
    from affiliates.api.http.docs import DocsView, SchemaView

    urlpatterns = [
        path("api/schema", SchemaView.as_view(), name="schema"),
        path("api/docs", DocsView.as_view(), name="docs"),
    ]
