"""The API's description and the page that shows it, for hosts that want them."""

from __future__ import annotations

from django.urls import path

from affiliates.api.http.docs import DocsView, SchemaView

app_name = "affiliates_schema"

urlpatterns = [
    path("api/schema", SchemaView.as_view(), name="schema"),
    path("api/docs", DocsView.as_view(), name="docs"),
]
