"""The description of the API at /api/schema and /api/docs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from affiliates import __version__

SPECTACULAR_SETTINGS = {
    "TITLE": "Affiliate tracking API",
    "VERSION": __version__,
    # The endpoints of affiliates are described with the portal's own.
    "DEFAULT_GENERATOR_CLASS": "affiliates.extending.rest.WholeSchemaGenerator",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "portal.openapi.add_examples",
    ],
    "OAS_VERSION": "3.1.1",
    # The one PATCH requires its fields.
    "COMPONENT_SPLIT_PATCH": False,
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}


def add_examples(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Adds those of the portal's endpoints; affiliates adds its own."""
    from affiliates.extending.rest import with_examples

    examples = Path(__file__).with_name("api") / "examples.json"
    return with_examples(result, json.loads(examples.read_text("utf-8")))
