"""What has to stand in which order in INSTALLED_APPS and MIDDLEWARE."""

from __future__ import annotations

from collections.abc import Iterator

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage

from affiliates.checks.findings import is_a, message

ADMIN, ADMIN_THEME = "django.contrib.admin", "unfold"
OWN_CORS_MIDDLEWARE = "affiliates.api.http.cors.BrandCorsMiddleware"
OTHER_CORS_MIDDLEWARE = "corsheaders.middleware.CorsMiddleware"


def installed_apps() -> Iterator[CheckMessage]:
    names = [config.name for config in apps.get_app_configs()]
    if [one for one in names if one in {ADMIN, ADMIN_THEME}] == [ADMIN, ADMIN_THEME]:
        yield message(
            "E009",
            f'INSTALLED_APPS has "{ADMIN}" before "{ADMIN_THEME}": the pages would be '
            "made of both.",
            f'Write "{ADMIN_THEME}", "{ADMIN}", ..., "affiliates".',
        )


def cors() -> Iterator[CheckMessage]:
    for entry in settings.MIDDLEWARE:
        if is_a(entry, OWN_CORS_MIDDLEWARE):
            return
        if is_a(entry, OTHER_CORS_MIDDLEWARE):
            yield message(
                "E010",
                f"MIDDLEWARE lets no client area call the API: {entry} refuses them.",
                f'Write "{OWN_CORS_MIDDLEWARE}" before it.',
            )
            return


CHECKS = (installed_apps, cors)
