"""System checks: every setting, and what the host has to install beside us."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
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
_ENTRIES = ", ".join(f'"{name}": "{path}"' for name, path in API_CLASSES.items())


Check = Callable[[], str]
_checks: list[tuple[str, str, Check]] = []


@register("affiliates")
def check_settings(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    return [
        (Warning if code.startswith("W") else Error)(
            problem, hint=hint, id=f"affiliates.{code}"
        )
        for code, hint, check in _checks
        if (problem := check())
    ]


def _check(code: str, hint: str) -> Callable[[Check], Check]:
    """Adds a check, which says what is wrong or nothing; ``hint`` says what to do."""

    def add(check: Check) -> Check:
        _checks.append((code, hint, check))
        return check

    return add


@_check("E001", "Set AFFILIATES_ADAPTER to the dotted path of your HostAdapter.")
def _adapter() -> str:
    try:
        adapter = import_string(conf.adapter)
    except ImportError as error:
        return f"AFFILIATES_ADAPTER is {conf.adapter!r}: {error}"
    missing = getattr(adapter, "__abstractmethods__", None)
    if missing is None:
        return f"{conf.adapter} is no HostAdapter."
    return f"{conf.adapter} lacks {', '.join(sorted(missing))}." if missing else ""


@_check("E002", 'Write "1:<base64 of 32 random bytes>"; newest first, comma between.')
def _cookie_keys() -> str:
    try:
        _ = conf.cookie_keys
    except ValueError as error:
        return f"AFFILIATES_COOKIE_KEYS cannot be used: {error}"
    return ""


@_check("E003", f"Endpoints: {', '.join(ENDPOINT_SERIALIZERS)}.")
def _serializers() -> str:
    problems = []
    for endpoint, path in conf.serializers.items():
        if endpoint not in ENDPOINT_SERIALIZERS:
            problems.append(f"{endpoint!r} is no endpoint")
            continue
        try:
            import_string(path)
        except ImportError as error:
            problems.append(f"{endpoint}: {error}")
    return _unusable("AFFILIATES_SERIALIZERS", problems, separator="; ")


@_check("E004", f"Endpoints: {', '.join(DEFAULT_THROTTLE_RATES)}; rates: 600/minute.")
def _throttle_rates() -> str:
    problems = [
        f"{endpoint}={rate}"
        for endpoint, rate in conf.throttle_rates.items()
        if endpoint not in DEFAULT_THROTTLE_RATES
        or (rate and THROTTLE_RATE.fullmatch(rate) is None)
    ]
    return _unusable("AFFILIATES_THROTTLE_RATES", problems)


@_check("E005", "Leave both unset for 2 seconds and no proxy.")
def _numbers() -> str:
    if 0 <= conf.config_refresh_seconds <= 5 and conf.trusted_proxies >= 0:
        return ""
    return (
        "AFFILIATES_CONFIG_REFRESH_SECONDS must be 0 to 5 and "
        "AFFILIATES_TRUSTED_PROXIES must not be negative."
    )


@_check("E006", f"Use one of {', '.join(CLICK_WRITERS)}.")
def _click_writer() -> str:
    if conf.click_writer in CLICK_WRITERS:
        return ""
    return f"AFFILIATES_CLICK_WRITER is {conf.click_writer!r}."


@_check("E007", "Leave it out to use the cookie keys here as well.")
def _secret_keys() -> str:
    if _cookie_keys():
        return ""  # These are the default: said once is enough.
    try:
        _ = conf.secret_keys
    except ValueError as error:
        return f"AFFILIATES_SECRET_KEYS cannot be used: {error}"
    return ""


@_check(
    "E008",
    'Write a list of "host:port", as "127.0.0.1:8090"; leave it empty in production.',
)
def _tracking_allowed_hosts() -> str:
    problems = sorted(
        entry for entry in conf.tracking_allowed_hosts if not is_host_port(entry)
    )
    return _unusable("AFFILIATES_TRACKING_ALLOWED_HOSTS", problems)


@_check("W001", "Leave it unset for 60 seconds.")
def _delivery_lease() -> str:
    if MIN_LEASE_SECONDS <= conf.delivery_lease_seconds <= MAX_LEASE_SECONDS:
        return ""
    return (
        "AFFILIATES_DELIVERY_LEASE_SECONDS should be "
        f"{MIN_LEASE_SECONDS} to {MAX_LEASE_SECONDS}: while a slow provider is still "
        "being notified of a sale, another process may notify it again."
    )


@_check("E009", f'Write "{ADMIN_THEME}", "{ADMIN}", ..., "{API_PAGES}", "affiliates".')
def _installed_apps() -> str:
    names = [config.name for config in apps.get_app_configs()]
    problems = []
    if ADMIN in names and ADMIN_THEME not in names[: names.index(ADMIN)]:
        problems.append(f'"{ADMIN_THEME}" must come before "{ADMIN}"')
    if API_PAGES not in names:
        problems.append(f'"{API_PAGES}" is missing')
    return _unusable("INSTALLED_APPS", problems, separator="; ")


@_check(
    "E010", 'Write "affiliates.api.http.cors.BrandCorsMiddleware" at its beginning.'
)
def _middleware() -> str:
    if any(_is_a(entry, CORS_MIDDLEWARE) for entry in settings.MIDDLEWARE):
        return ""
    return "MIDDLEWARE lets no client area call the API: nothing there answers CORS."


@_check(
    "E011",
    f'Write "EXCEPTION_HANDLER": "{EXCEPTION_HANDLER}". Where a handler of your own calls '
    "it, name affiliates.E011 in SILENCED_SYSTEM_CHECKS.",
)
def _exception_handler() -> str:
    handlers = (EXCEPTION_HANDLER, import_string(EXCEPTION_HANDLER))
    if _rest_framework().get("EXCEPTION_HANDLER") in handlers:
        return ""
    return (
        "REST_FRAMEWORK has another EXCEPTION_HANDLER: refusals would be answered "
        "as faults of the service."
    )


@_check("W002", f"Write {_ENTRIES}; a list of it where the name ends in CLASSES.")
def _api_classes() -> str:
    given = _rest_framework()
    missing = [
        name
        for name, path in API_CLASSES.items()
        if not any(_is_a(entry, path) for entry in _first(given.get(name)))
    ]
    if not missing:
        return ""
    return (
        f"REST_FRAMEWORK has another {', '.join(missing)}: what the API reads, "
        "answers or says of itself is not what its documentation says."
    )


def _unusable(setting: str, problems: Sequence[str], *, separator: str = ", ") -> str:
    return f"{setting} cannot be used: {separator.join(problems)}." if problems else ""


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
