"""What has to stand in INSTALLED_APPS, MIDDLEWARE and REST_FRAMEWORK beside us."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import isclass
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage
from django.utils.module_loading import import_string

from affiliates.checks.findings import is_a, message

ADMIN, ADMIN_THEME, API_PAGES = "django.contrib.admin", "unfold", "drf_spectacular"
# Any subclass answers by the brand table; BrandCorsMiddleware is the fast one.
CORS_MIDDLEWARE = "corsheaders.middleware.CorsMiddleware"
EXCEPTION_HANDLER = "affiliates.api.http.errors.exception_handler"
API_CLASSES: Mapping[str, str] = {
    "DEFAULT_PARSER_CLASSES": "affiliates.api.http.parsers.JSONParser",
    "DEFAULT_RENDERER_CLASSES": "affiliates.api.http.renderers.JSONRenderer",
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "affiliates.api.http.negotiation.JSONOnly",
    "DEFAULT_SCHEMA_CLASS": "affiliates.api.http.schema.AutoSchema",
}
_ENTRIES = ", ".join(f'"{name}": "{path}"' for name, path in API_CLASSES.items())


def installed_apps() -> Iterator[CheckMessage]:
    names = [config.name for config in apps.get_app_configs()]
    problems = []
    if ADMIN in names and ADMIN_THEME not in names[: names.index(ADMIN)]:
        problems.append(f'"{ADMIN_THEME}" must come before "{ADMIN}"')
    if API_PAGES not in names:
        problems.append(f'"{API_PAGES}" is missing')
    if problems:
        yield message(
            "E009",
            f"INSTALLED_APPS cannot be used: {'; '.join(problems)}.",
            f'Write "{ADMIN_THEME}", "{ADMIN}", ..., "{API_PAGES}", "affiliates".',
        )


def cors() -> Iterator[CheckMessage]:
    if not any(is_a(entry, CORS_MIDDLEWARE) for entry in settings.MIDDLEWARE):
        yield message(
            "E010",
            "MIDDLEWARE lets no client area call the API: nothing there answers CORS.",
            'Write "affiliates.api.http.cors.BrandCorsMiddleware" at its beginning.',
        )


def exception_handler() -> Iterator[CheckMessage]:
    handlers = (EXCEPTION_HANDLER, import_string(EXCEPTION_HANDLER))
    if _rest_framework().get("EXCEPTION_HANDLER") not in handlers:
        yield message(
            "E011",
            "REST_FRAMEWORK has another EXCEPTION_HANDLER: refusals would be answered "
            "as faults of the service.",
            f'Write "EXCEPTION_HANDLER": "{EXCEPTION_HANDLER}". Where a handler of your '
            "own calls it, name affiliates.E011 in SILENCED_SYSTEM_CHECKS.",
        )


def api_classes() -> Iterator[CheckMessage]:
    given = _rest_framework()
    missing = [
        name
        for name, path in API_CLASSES.items()
        if not any(is_a(entry, path) for entry in _first(given.get(name)))
    ]
    if missing:
        yield message(
            "W002",
            f"REST_FRAMEWORK has another {', '.join(missing)}: what the API reads, "
            "answers or says of itself is not what its documentation says.",
            f"Write {_ENTRIES}; a list of it where the name ends in CLASSES.",
        )


def _rest_framework() -> Mapping[str, Any]:
    given: Mapping[str, Any] = getattr(settings, "REST_FRAMEWORK", None) or {}
    return given


def _first(given: Any) -> Sequence[Any]:
    """Of a list the first: JSONOnly asks for no other."""
    return [given] if isinstance(given, str) or isclass(given) else (given or ())[:1]


CHECKS = (installed_apps, cors, exception_handler, api_classes)
