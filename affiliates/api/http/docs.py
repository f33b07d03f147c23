"""The description of our endpoints and the page that shows it."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from drf_spectacular.settings import spectacular_settings
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.schema import TITLE, OwnSchemaGenerator
from affiliates.api.http.views import EndpointView

TEMPLATE = "affiliates/api_docs.html"


class _PublicView(EndpointView):
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()


class SchemaView(_PublicView):
    def get(self, request: Request) -> Response:
        return Response(OwnSchemaGenerator().get_schema(request))


class DocsView(_PublicView):
    """The only HTML page under /api; its refusals are JSON too."""

    def get(self, request: Request) -> HttpResponse:
        context = {
            "title": TITLE,
            "style": _of_swagger("swagger-ui.css"),
            "script": _of_swagger("swagger-ui-bundle.js"),
        }
        return render(request, TEMPLATE, context)


def _of_swagger(name: str) -> str:
    """The place from which the host's drf-spectacular loads Swagger UI."""
    place = spectacular_settings.SWAGGER_UI_DIST
    if place == "SIDECAR":
        return static(f"drf_spectacular_sidecar/swagger-ui-dist/{name}")
    return f"{place}/{name}"
