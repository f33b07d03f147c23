"""What has to stand in which order in INSTALLED_APPS and MIDDLEWARE."""

from __future__ import annotations

from collections.abc import Iterator

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage

from affiliates.conf import conf
from affiliates.health.checks.findings import is_a, message, reads
from affiliates.hooks import own_apps

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


def needed_apps() -> Iterator[CheckMessage]:
    for config in own_apps():
        for name in getattr(config, "needs", ()):
            if not apps.is_installed(name):
                yield message(
                    "E022",
                    f'INSTALLED_APPS has "{config.name}", which works with "{name}" '
                    "alone, and not that one.",
                    f'Add "{name}", or take "{config.name}" out.',
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


@reads("cors_paths")
def cors_paths() -> Iterator[CheckMessage]:
    for path in conf.cors_paths:
        if not str(path).startswith("/"):
            yield message(
                "E021",
                f"AFFILIATES_CORS_PATHS has {path!r}, and no path begins so.",
                'Write how the paths begin, as "/api/".',
            )
    if conf.cors_paths and not any(
        is_a(entry, OWN_CORS_MIDDLEWARE) for entry in settings.MIDDLEWARE
    ):
        yield message(
            "E021",
            "AFFILIATES_CORS_PATHS is looked at by nobody: client areas may not call "
            f"{', '.join(conf.cors_paths)}.",
            f'Write "{OWN_CORS_MIDDLEWARE}" at the beginning of MIDDLEWARE.',
        )


CHECKS = (installed_apps, needed_apps, cors, cors_paths)
