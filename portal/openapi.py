"""The description of the API at /api/schema and /api/docs."""

from __future__ import annotations

from affiliates import __version__

SPECTACULAR_SETTINGS = {
    "TITLE": "Affiliate tracking API",
    "VERSION": __version__,
    # The endpoints of affiliates are described with the portal's own.
    "DEFAULT_GENERATOR_CLASS": "affiliates.extending.rest.WholeSchemaGenerator",
    "OAS_VERSION": "3.1.1",
    # The one PATCH requires its fields.
    "COMPONENT_SPLIT_PATCH": False,
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}
