"""How the API description names the token."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema


class BearerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # its registry is untyped
    target_class = "portal.clients.tokens.BearerAuthentication"
    name = "clientToken"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of a registration or login; it lives 24 hours, or "
            "until the client logs out.",
        }
