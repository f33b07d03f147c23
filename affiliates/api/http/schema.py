"""The API's description: our endpoints, and the host's on request.

Every operation may answer with the one shape of errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.hooks import postprocess_schema_enums
from drf_spectacular.openapi import AutoSchema as SpectacularAutoSchema
from drf_spectacular.plumbing import (
    alpha_operation_sorter,
    normalize_result_object,
    sanitize_result_object,
)
from drf_spectacular.settings import spectacular_settings
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.schemas.generators import BaseSchemaGenerator

from affiliates import __version__
from affiliates.api.http.errors import ErrorSerializer
from affiliates.api.http.guide import EXAMPLES, introduction, sorted_tags, with_examples
from affiliates.api.http.views import EndpointViewSet
from affiliates.api.idempotency.rules import HEADER

TITLE = "Affiliate tracking API"
REPEATS = (
    "A random text in double quotes, at most 255 characters. For a day, the same request "
    "with the same key gets the same answer and changes nothing."
)
ERROR_STATUSES = {
    "400": "The input cannot be used; every error names its field in attr.",
    "401": "No credentials, or credentials that are no longer valid.",
    "403": "Known, but not allowed.",
    "404": "Absent, or somebody else's.",
    "405": "This path does not take this method.",
    "409": "No longer in a state that allows this.",
    "411": "The body has no Content-Length.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "422": "The Idempotency-Key was sent with another request.",
    "429": "Too many requests; wait as Retry-After says.",
    "500": "A fault of the service.",
    "503": "The service is busy for a moment; try again as Retry-After says.",
}


class ErrorsSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(
        choices=["validation_error", "client_error", "server_error"]
    )
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]  # shadows DRF's property


class AutoSchema(SpectacularAutoSchema):
    """May describe a host's own endpoints too."""

    def get_description(self) -> str:  # type: ignore[override]  # spectacular's
        """Leaves out docstrings: that of a base class would be published."""
        return ""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """Adds the needed scope and the limits to the description."""
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is not None:
            sentences = [operation.get("description", ""), *self._conditions()]
            operation["description"] = "\n\n".join(filter(None, sentences))
        return operation

    def _conditions(self) -> list[str]:
        limits = [
            throttle.limit_sentence(self.view)
            for throttle in self.view.get_throttles()
            if hasattr(throttle, "limit_sentence")
        ]
        return [*getattr(self.view, "conditions", list)(), *limits]

    def _get_response_bodies(
        self, direction: Literal["request", "response"] = "response"
    ) -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        shape = self.resolve_serializer(ErrorsSerializer, direction).ref
        for status, description in ERROR_STATUSES.items():
            bodies[status] = {
                "content": {"application/json": {"schema": shape}},
                "description": description,
            }
        return bodies

    def _get_request_for_media_type(
        self, serializer: Any, direction: Literal["request", "response"] = "request"
    ) -> Any:
        """The one PATCH requires its fields, where the host's settings split them too."""
        method = self.method
        try:
            self.method = "PUT"
            return super()._get_request_for_media_type(serializer, direction)
        finally:
            self.method = method


class _AllEndpoints(EndpointEnumerator):
    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        return _is_own(callback) or super().should_include_endpoint(path, callback)


class _OwnEndpoints(EndpointEnumerator):
    def get_api_endpoints(self, patterns: Any = None, prefix: str = "") -> Any:
        """Ignores the host's PREPROCESSING_HOOKS."""
        endpoints = self._get_api_endpoints(patterns, prefix)
        return sorted(endpoints, key=alpha_operation_sorter)

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        return _is_own(callback)


class WholeSchemaGenerator(SchemaGenerator):
    """Describes the host's endpoints and ours, as a host's DEFAULT_GENERATOR_CLASS.

    Every other generator omits ours: their views have no schema.
    """

    endpoint_inspector_cls: type[EndpointEnumerator] = _AllEndpoints

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        if not _is_own(callback):
            return super().create_view(callback, method, request)
        view: Any = BaseSchemaGenerator.create_view(self, callback, method)
        view.swagger_fake_view = True
        action = getattr(view, view.action)
        is_answered_once = hasattr(action, "is_answered_once")
        view.schema = _schema_class(
            **action.described, is_answered_once=is_answered_once
        )()
        view.schema.view = view
        return view

    def get_schema(self, request: Any = None, public: bool = True) -> Any:
        return _with_guide(super().get_schema(request, public))


class OwnSchemaGenerator(WholeSchemaGenerator):
    """Describes our endpoints, ignoring the hooks and titles of the host's settings."""

    endpoint_inspector_cls = _OwnEndpoints

    def get_schema(self, request: Any = None, public: bool = True) -> Any:
        description = {
            "openapi": spectacular_settings.OAS_VERSION,
            "info": {"title": TITLE, "version": __version__},
            "paths": self.parse(request, public),
            "components": self.registry.build({}),
        }
        described = postprocess_schema_enums(description, self)
        return _with_guide(sanitize_result_object(normalize_result_object(described)))


def _with_guide(description: dict[str, Any]) -> dict[str, Any]:
    """Adds the introduction, the order of the tags and the examples of our endpoints."""
    description["info"].setdefault("description", introduction())
    description.setdefault("tags", sorted_tags(description["paths"]))
    return with_examples(description, EXAMPLES)


def _schema_class(
    *,
    headers: Mapping[str, str],
    optional_headers: Mapping[str, str] | None = None,
    is_answered_once: bool,
    parameters: Sequence[Any] = (),
    **options: Any,
) -> type[AutoSchema]:
    """AutoSchema with the options of ``describe``, for any DEFAULT_SCHEMA_CLASS."""
    sent = [
        OpenApiParameter(name, str, "header", required=True, description=text)
        for name, text in headers.items()
    ]
    for name, text in (optional_headers or {}).items():
        sent.append(OpenApiParameter(name, str, "header", description=text))
    if is_answered_once:
        sent.append(OpenApiParameter(HEADER, str, "header", description=REPEATS))

    def endpoint() -> None:
        """Stands for the method: extend_schema extends the class that it finds here."""

    place: Any = endpoint
    place.kwargs = {"schema": AutoSchema}
    extend_schema(parameters=[*sent, *parameters], **options)(place)
    extended: type[AutoSchema] = place.kwargs["schema"]
    return extended


def _is_own(callback: Any) -> bool:
    return issubclass(getattr(callback, "cls", object), EndpointViewSet)
