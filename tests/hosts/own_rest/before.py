"""A host with endpoints, error format, CORS and OpenAPI of its own, before it has us."""

from __future__ import annotations

from affiliates import APPS
from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import INSTALLED_APPS, MIDDLEWARE

OURS = {"affiliates", *APPS, "tests.hosts.bare"}
OWN_ORIGIN = "https://app.example.org"

ROOT_URLCONF = "tests.hosts.own_rest.urls_before"
INSTALLED_APPS = [
    *(one for one in INSTALLED_APPS if one not in OURS),
    "corsheaders",
    "drf_spectacular",
]
MIDDLEWARE = ["corsheaders.middleware.CorsMiddleware", *MIDDLEWARE]
CORS_ALLOWED_ORIGINS = [OWN_ORIGIN]
CORS_ALLOW_CREDENTIALS = True
CORS_EXPOSE_HEADERS = ["X-Total"]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.BasicAuthentication"
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_PARSER_CLASSES": [
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_RENDERER_CLASSES": [
        "rest_framework.renderers.JSONRenderer",
        "rest_framework.renderers.BrowsableAPIRenderer",
    ],
    "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.AcceptHeaderVersioning",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "tests.hosts.own_rest.views.in_words",
    "NON_FIELD_ERRORS_KEY": "all",
    "DATE_INPUT_FORMATS": ["%d.%m.%Y"],
}
SPECTACULAR_SETTINGS = {
    "TITLE": "The host's own",
    "SERVE_AUTHENTICATION": [],
    "SERVE_INCLUDE_SCHEMA": False,
    "CAMELIZE_NAMES": True,
}
