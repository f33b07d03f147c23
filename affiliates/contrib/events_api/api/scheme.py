"""How a brand's key is described in OpenAPI."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class BrandKeyScheme(OpenApiAuthenticationExtension):
    target_class = "affiliates.contrib.events_api.api.base.BrandKeyAuthentication"
    name = "brandKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A brand's key"}
