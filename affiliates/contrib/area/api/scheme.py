"""How an affiliate's key is described in OpenAPI."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class KeyScheme(OpenApiAuthenticationExtension):
    target_class = "affiliates.contrib.area.api.authentication.KeyAuthentication"
    name = "affiliateKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An affiliate's key"}
