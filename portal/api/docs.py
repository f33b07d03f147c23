"""The description of the whole API, the portal's and that of affiliates, and its page."""

from __future__ import annotations

from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView
from rest_framework.renderers import BaseRenderer, JSONRenderer


@method_decorator(gzip_page, name="dispatch")
class SchemaView(SpectacularJSONAPIView):
    authentication_classes = ()
    renderer_classes = [OpenApiJsonRenderer2]


class DocsView(SpectacularSwaggerView):
    """The only HTML page under /api; its refusals are JSON too."""

    authentication_classes = ()
    template_name = "affiliates/api_docs.html"

    def get_renderers(self) -> list[BaseRenderer]:
        if self.request.method != "GET":
            return [JSONRenderer()]
        return super().get_renderers()
