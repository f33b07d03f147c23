"""The API's description: every operation may answer with the one shape of errors."""

from __future__ import annotations

from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema as SpectacularAutoSchema
from rest_framework import serializers

ERROR_STATUSES = {
    "400": "The input cannot be used; every error names its field in attr.",
    "401": "No credentials, or credentials that are no longer valid.",
    "403": "Known, but not allowed.",
    "404": "Absent, or somebody else's.",
    "405": "This path does not take this method.",
    "409": "No longer in a state that allows this.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "429": "Too many requests; wait as Retry-After says.",
    "500": "A fault of the service.",
    "503": "The service is busy for a moment; try again as Retry-After says.",
}


class ErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Stable and machine-readable.")
    detail = serializers.CharField(help_text="What is wrong and what to do.")
    attr = serializers.CharField(
        allow_null=True, help_text="The field at fault, or null."
    )


class ErrorsSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(
        choices=["validation_error", "client_error", "server_error"]
    )
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]  # shadows DRF's property


class AutoSchema(SpectacularAutoSchema):
    """For REST_FRAMEWORK["DEFAULT_SCHEMA_CLASS"]."""

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
