"""The description of our endpoints and the page that shows it."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.settings import spectacular_settings
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.schema import TITLE, OwnSchemaGenerator
from affiliates.api.http.views import EndpointView
from affiliates.conf import conf
from affiliates.core.content_policy import HEADER, content_policy

TEMPLATE = "affiliates/api_docs.html"


class _PublicView(EndpointView):
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()


@method_decorator(gzip_page, name="dispatch")
class SchemaView(_PublicView):
    def get(self, request: Request) -> Response:
        return Response(OwnSchemaGenerator().get_schema(request))


class DocsView(_PublicView):
    """The only HTML page under /api; its refusals are JSON too."""

    def get(self, request: Request) -> HttpResponse:
        context = {
            "title": TITLE,
            "schema_url": reverse("affiliates_schema:schema"),
            "swagger_ui_css": _of_swagger("swagger-ui.css"),
            "swagger_ui_bundle": _of_swagger("swagger-ui-bundle.js"),
        }
        response = render(request, TEMPLATE, context)
        response.headers[HEADER] = content_policy(
            more=dict.fromkeys(("script-src", "style-src"), _elsewhere()),
            report_uri=conf.csp_report_uri,
        )
        return response


def _elsewhere() -> list[str]:
    place = spectacular_settings.SWAGGER_UI_DIST
    return [] if place == "SIDECAR" else [f"{place}/"]


def _of_swagger(name: str) -> str:
    """The place from which the host's drf-spectacular loads Swagger UI."""
    place = spectacular_settings.SWAGGER_UI_DIST
    if place == "SIDECAR":
        return static(f"drf_spectacular_sidecar/swagger-ui-dist/{name}")
    return f"{place}/{name}"
