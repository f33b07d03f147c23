"""System checks: every setting, and what the host has to install beside us."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from inspect import isclass
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.utils.module_loading import import_string

from affiliates.conf import DEFAULT_THROTTLE_RATES, conf
from affiliates.core.network import is_host_port

THROTTLE_RATE = re.compile(r"[1-9][0-9]*/(second|minute|hour|day)")
# A conversation is four calls at most, each of ten seconds.
MIN_LEASE_SECONDS, MAX_LEASE_SECONDS = 45, 86_400
CLICK_WRITERS = ("auto", "direct", "leader")
ENDPOINT_SERIALIZERS = (
    "register",
    "register_guest",
    "complete_registration",
    "convert",
)
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


@register("affiliates")
def check_settings(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    checks = (
        _check_adapter,
        _check_cookie_keys,
        _check_serializers,
        _check_throttle_rates,
        _check_numbers,
        _check_click_writer,
        _check_secret_keys,
        _check_tracking_allowed_hosts,
        _check_delivery_lease,
        _check_installed_apps,
        _check_middleware,
        _check_exception_handler,
        _check_api_classes,
    )
    return [error for check in checks for error in check()]


def _check_adapter() -> list[CheckMessage]:
    try:
        adapter = import_string(conf.adapter)
    except ImportError as error:
        problem = f"AFFILIATES_ADAPTER is {conf.adapter!r}: {error}"
    else:
        missing = getattr(adapter, "__abstractmethods__", None)
        if missing is None:
            problem = f"{conf.adapter} is no HostAdapter."
        elif missing:
            problem = f"{conf.adapter} lacks {', '.join(sorted(missing))}."
        else:
            return []
    return [
        Error(
            problem,
            hint="Set AFFILIATES_ADAPTER to the dotted path of your HostAdapter.",
            id="affiliates.E001",
        )
    ]


def _check_cookie_keys() -> list[CheckMessage]:
    try:
        _ = conf.cookie_keys
    except ValueError as error:
        return [
            Error(
                f"AFFILIATES_COOKIE_KEYS cannot be used: {error}",
                hint='Write "1:<base64 of 32 random bytes>"; newest first, comma between.',
                id="affiliates.E002",
            )
        ]
    return []


def _check_serializers() -> list[CheckMessage]:
    problems = []
    for endpoint, path in conf.serializers.items():
        if endpoint not in ENDPOINT_SERIALIZERS:
            problems.append(f"{endpoint!r} is no endpoint")
            continue
        try:
            import_string(path)
        except ImportError as error:
            problems.append(f"{endpoint}: {error}")
    if not problems:
        return []
    return [
        Error(
            f"AFFILIATES_SERIALIZERS cannot be used: {'; '.join(problems)}.",
            hint=f"Endpoints: {', '.join(ENDPOINT_SERIALIZERS)}.",
            id="affiliates.E003",
        )
    ]


def _check_throttle_rates() -> list[CheckMessage]:
    problems = [
        f"{endpoint}={rate}"
        for endpoint, rate in conf.throttle_rates.items()
        if endpoint not in DEFAULT_THROTTLE_RATES
        or (rate and THROTTLE_RATE.fullmatch(rate) is None)
    ]
    if not problems:
        return []
    return [
        Error(
            f"AFFILIATES_THROTTLE_RATES cannot be used: {', '.join(problems)}.",
            hint=f"Endpoints: {', '.join(DEFAULT_THROTTLE_RATES)}; rates: 600/minute.",
            id="affiliates.E004",
        )
    ]


def _check_numbers() -> list[CheckMessage]:
    if 0 <= conf.config_refresh_seconds <= 5 and conf.trusted_proxies >= 0:
        return []
    return [
        Error(
            "AFFILIATES_CONFIG_REFRESH_SECONDS must be 0 to 5 and "
            "AFFILIATES_TRUSTED_PROXIES must not be negative.",
            hint="Leave both unset for 2 seconds and no proxy.",
            id="affiliates.E005",
        )
    ]


def _check_click_writer() -> list[CheckMessage]:
    if conf.click_writer in CLICK_WRITERS:
        return []
    return [
        Error(
            f"AFFILIATES_CLICK_WRITER is {conf.click_writer!r}.",
            hint=f"Use one of {', '.join(CLICK_WRITERS)}.",
            id="affiliates.E006",
        )
    ]


def _check_secret_keys() -> list[CheckMessage]:
    if _check_cookie_keys():
        return []  # These are the default: said once is enough.
    try:
        _ = conf.secret_keys
    except ValueError as error:
        return [
            Error(
                f"AFFILIATES_SECRET_KEYS cannot be used: {error}",
                hint="Leave it out to use the cookie keys here as well.",
                id="affiliates.E007",
            )
        ]
    return []


def _check_tracking_allowed_hosts() -> list[CheckMessage]:
    problems = sorted(
        entry for entry in conf.tracking_allowed_hosts if not is_host_port(entry)
    )
    if not problems:
        return []
    return [
        Error(
            f"AFFILIATES_TRACKING_ALLOWED_HOSTS cannot be used: {', '.join(problems)}.",
            hint='Write a list of "host:port", as "127.0.0.1:8090"; leave it empty '
            "in production.",
            id="affiliates.E008",
        )
    ]


def _check_delivery_lease() -> list[CheckMessage]:
    if MIN_LEASE_SECONDS <= conf.delivery_lease_seconds <= MAX_LEASE_SECONDS:
        return []
    return [
        Warning(
            "AFFILIATES_DELIVERY_LEASE_SECONDS should be "
            f"{MIN_LEASE_SECONDS} to {MAX_LEASE_SECONDS}: while a slow provider is still "
            "being told of a sale, another process may tell it again.",
            hint="Leave it unset for 60 seconds.",
            id="affiliates.W001",
        )
    ]


def _check_installed_apps() -> list[CheckMessage]:
    names = [config.name for config in apps.get_app_configs()]
    problems = []
    if ADMIN in names and ADMIN_THEME not in names[: names.index(ADMIN)]:
        problems.append(f'"{ADMIN_THEME}" must stand before "{ADMIN}"')
    if API_PAGES not in names:
        problems.append(f'"{API_PAGES}" is missing')
    if not problems:
        return []
    return [
        Error(
            f"INSTALLED_APPS cannot be used: {'; '.join(problems)}.",
            hint=f'Write "{ADMIN_THEME}", "{ADMIN}", ..., "{API_PAGES}", "affiliates".',
            id="affiliates.E009",
        )
    ]


def _check_middleware() -> list[CheckMessage]:
    if any(_is_a(entry, CORS_MIDDLEWARE) for entry in settings.MIDDLEWARE):
        return []
    return [
        Error(
            "MIDDLEWARE lets no client area call the API: nothing there answers CORS.",
            hint='Write "affiliates.api.http.cors.BrandCorsMiddleware" at its beginning.',
            id="affiliates.E010",
        )
    ]


def _check_exception_handler() -> list[CheckMessage]:
    if _rest_framework().get("EXCEPTION_HANDLER") in (
        EXCEPTION_HANDLER,
        import_string(EXCEPTION_HANDLER),
    ):
        return []
    return [
        Error(
            "REST_FRAMEWORK has another EXCEPTION_HANDLER: refusals would be answered "
            "as faults of the service.",
            hint=f'Write "EXCEPTION_HANDLER": "{EXCEPTION_HANDLER}". Where a handler of '
            "your own calls it, name affiliates.E011 in SILENCED_SYSTEM_CHECKS.",
            id="affiliates.E011",
        )
    ]


def _check_api_classes() -> list[CheckMessage]:
    given = _rest_framework()
    missing = {
        name: path
        for name, path in API_CLASSES.items()
        if not any(_is_a(entry, path) for entry in _first(given.get(name)))
    }
    if not missing:
        return []
    entries = ", ".join(f'"{name}": "{path}"' for name, path in missing.items())
    return [
        Warning(
            f"REST_FRAMEWORK has another {', '.join(missing)}: what the API reads, "
            "answers or says of itself is not what its documentation says.",
            hint=f"Write {entries}; a list of it where the name ends in CLASSES.",
            id="affiliates.W002",
        )
    ]


def _rest_framework() -> Mapping[str, Any]:
    given: Mapping[str, Any] = getattr(settings, "REST_FRAMEWORK", None) or {}
    return given


def _first(given: Any) -> Sequence[Any]:
    """Of a list the first: JSONOnly asks for no other."""
    return [given] if isinstance(given, str) or isclass(given) else (given or ())[:1]


def _is_a(entry: Any, path: str) -> bool:
    """Whether the entry, a class or the path of one, is that class or made from it."""
    try:
        found = import_string(entry) if isinstance(entry, str) else entry
    except ImportError:
        return False
    return isclass(found) and issubclass(found, import_string(path))
