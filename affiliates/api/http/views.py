"""Base of every endpoint, independent of the host's REST_FRAMEWORK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.utils.decorators import method_decorator
from rest_framework.authentication import BaseAuthentication
from rest_framework.metadata import SimpleMetadata
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.settings import api_settings, perform_import
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSet

from affiliates.api.http.cors import by_brand_table
from affiliates.api.http.errors import exception_handler
from affiliates.api.http.negotiation import JSONOnly
from affiliates.api.http.parsers import JSONParser
from affiliates.api.http.renderers import JSONRenderer
from affiliates.api.http.throttles import EndpointThrottle
from affiliates.conf import conf

# HTTP requires a scheme beside a 401; this one is for credentials such as a session.
UNNAMED_CREDENTIALS = "Session"


class _Endpoint(APIView):
    # None: AFFILIATES_AUTHENTICATION_CLASSES, or else the host's own default.
    authentication_classes: Any = None
    permission_classes: Any = (IsAuthenticated,)
    throttle_classes: Any = (EndpointThrottle,)
    parser_classes = (JSONParser,)
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = JSONOnly
    metadata_class = SimpleMetadata
    versioning_class = None
    # Only in our own description, which http/schema.py makes.
    schema = None

    @method_decorator(by_brand_table)
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuses a host missing in ALLOWED_HOSTS, even without a middleware."""
        request.get_host()
        super().initial(request, *args, **kwargs)

    def get_authenticators(self) -> list[BaseAuthentication]:
        classes = self.authentication_classes
        if classes is None:
            classes = perform_import(
                conf.authentication_classes, "AFFILIATES_AUTHENTICATION_CLASSES"
            )
        if classes is None:
            classes = api_settings.DEFAULT_AUTHENTICATION_CLASSES
        return [class_() for class_ in classes]

    def get_authenticate_header(self, request: Request) -> str:
        """Never None: the REST framework would answer 403 instead of 401."""
        return super().get_authenticate_header(request) or UNNAMED_CREDENTIALS

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Forbids caching: answers contain tokens, cookies and balances."""
        return {**super().default_response_headers, "Cache-Control": "no-store"}

    def get_exception_handler(self) -> Callable[..., Any]:
        return exception_handler


class EndpointView(_Endpoint):
    pass


class EndpointViewSet(ViewSet, _Endpoint):
    pass
