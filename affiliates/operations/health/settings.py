"""Each ``AFFILIATES_*`` setting by itself: known, of its type, and within its bounds."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, get_origin, get_type_hints

from django.conf import settings

from affiliates.conf import DEFAULT_THROTTLE_RATES, Settings, conf
from affiliates.core.network import is_host_port
from affiliates.core.secrets.sealing import KeyRing
from affiliates.operations.health.findings import Finding, error, is_a, meant, warning
from affiliates.operations.health.registry import Needs, register
from affiliates.telemetry.counters import HAS_PROMETHEUS
from affiliates.visits.country import UNUSABLE, open_file
from affiliates.worker.registry import is_registered

PREFIX = "AFFILIATES_"
THROTTLE_RATE = re.compile(r"[1-9][0-9]*/(second|minute|hour|day)")
# A conversation is four calls at most, each of ten seconds.
MIN_LEASE_SECONDS, MAX_LEASE_SECONDS = 45, 86_400
# Of RFC 6265: the name of a cookie, and what its Domain may be.
COOKIE_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
COOKIE_DOMAIN = re.compile(r"\.?([A-Za-z0-9-]+\.)*[A-Za-z0-9-]+")
YEAR_SECONDS = 31_536_000
ROUTER = "affiliates.db.routers.ReportsRouter"
MIN_TOKEN = 20
CLICK_WRITERS = ("auto", "direct", "leader")
NAMES = frozenset(
    name for name, value in vars(Settings).items() if isinstance(value, cached_property)
)
# What to write, by the type that a setting is read as.
EXPECTED: Mapping[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    KeyRing: "a text",
    Mapping: "a dictionary",
    Collection: "a list",
}
TEXTS = (str, bytes)


def unreadable() -> dict[str, Finding]:
    """By name, each setting whose value is of another type than it is read as."""
    values = {}
    for name in sorted(NAMES):
        setting = f"{PREFIX}{name.upper()}"
        kind = _kind(name)
        if kind is None or not hasattr(settings, setting):
            continue
        value = getattr(settings, setting)
        if _fits(name, value, kind):
            continue
        # Nobody's keys are shown.
        shown = "" if kind is KeyRing else f" {value!r}, which is"
        values[name] = error(
            "E012",
            f"{setting} is{shown} no {EXPECTED[kind].removeprefix('a ')}.",
            f"Write {EXPECTED[kind]}.",
        )
    return values


def _kind(name: str) -> Any:
    """The key of EXPECTED that a setting is read as; None where it may be anything."""
    read = vars(Settings)[name].func
    hint = get_type_hints(read)["return"]
    kind = get_origin(hint) or hint
    if kind in EXPECTED:
        return kind
    if isinstance(kind, type) and issubclass(kind, Collection):
        return Collection
    return None


def _fits(name: str, value: Any, kind: Any) -> bool:
    if kind is KeyRing:
        return value is None or isinstance(value, str)
    if kind in (bool, str, Mapping):
        return isinstance(value, kind)
    if kind is Collection and isinstance(value, (*TEXTS, Mapping)):
        return False
    try:
        getattr(conf, name)
    except (TypeError, ValueError):
        return False
    return True


@register(Needs.SETTINGS)
def unknown_names() -> Iterator[Finding]:
    known = {f"{PREFIX}{name.upper()}" for name in NAMES}
    for name in dir(settings):
        if name.startswith(PREFIX) and name not in known:
            yield warning(
                "W004",
                f"There is no setting {name}: nothing reads it.",
                f"Did you mean {meant(name, known)}?",
            )


@register(Needs.SETTINGS, reads=("throttle_rates",))
def throttle_rates() -> Iterator[Finding]:
    for endpoint, rate in conf.throttle_rates.items():
        if endpoint not in DEFAULT_THROTTLE_RATES:
            yield error(
                "E004",
                f"AFFILIATES_THROTTLE_RATES cannot be used: {endpoint!r} is no endpoint.",
                f"Did you mean {meant(str(endpoint), DEFAULT_THROTTLE_RATES)}?",
            )
        elif rate and THROTTLE_RATE.fullmatch(str(rate)) is None:
            yield error(
                "E004",
                f"AFFILIATES_THROTTLE_RATES cannot be used: {endpoint} is {rate!r}.",
                'Write a number per second, minute, hour or day, as "600/minute".',
            )


@register(Needs.SETTINGS, reads=("job_intervals",))
def job_intervals() -> Iterator[Finding]:
    intervals: Mapping[str, object] = conf.job_intervals
    for name, seconds in intervals.items():
        if not is_registered(name):
            problem = f"{name!r} is no background job"
        elif not isinstance(seconds, int | float) or not 1 <= seconds <= YEAR_SECONDS:
            problem = f"the interval of {name} is {seconds!r}"
        else:
            continue
        yield error(
            "E020",
            f"AFFILIATES_JOB_INTERVALS cannot be used: {problem}.",
            'Write {"name": seconds}, from a second to a year; '
            "manage.py affiliates_run --list shows the names.",
        )


LOWEST = {
    "trusted_proxies": (
        0,
        "Write how many proxies of yours append to X-Forwarded-For.",
    ),
    # A pause that is longer is taken for a clock that went wrong.
    "own_webhook_calls_per_hour": (60, "Leave it unset for 600."),
    "max_body_bytes": (1, "Leave it unset for 65536."),
    "max_invoice_bytes": (1, "Leave it unset for 5000000."),
    "keep_deliveries_days": (0, "Leave it unset for 30; 0 keeps them for ever."),
    "keep_emails_days": (1, "Leave it unset for 90."),
    "keep_user_agents_days": (1, "Leave it unset for 90."),
    "keep_declined_days": (1, "Leave it unset for 183."),
    "keep_books_years": (1, "Leave it unset for 10."),
    "max_clock_skew_seconds": (0, "Leave it unset for 60; 0 refuses no clock."),
}


@register(
    Needs.SETTINGS, reads=("config_refresh_seconds", "visit_deadline_seconds", *LOWEST)
)
def numbers() -> Iterator[Finding]:
    if not 0.1 <= conf.visit_deadline_seconds <= 10:
        yield error(
            "E005",
            "AFFILIATES_VISIT_DEADLINE_SECONDS must be 0.1 to 10.",
            "Leave it unset for 1 second.",
        )
    if not 0 <= conf.config_refresh_seconds <= 5:
        yield error(
            "E005",
            "AFFILIATES_CONFIG_REFRESH_SECONDS must be 0 to 5.",
            "Leave it unset for 2 seconds.",
        )
    for name, (lowest, hint) in LOWEST.items():
        if getattr(conf, name) < lowest:
            yield error(
                "E005", f"{PREFIX}{name.upper()} must be {lowest} or more.", hint
            )


@register(Needs.SETTINGS, reads=("reports_database",))
def reports_database() -> Iterator[Finding]:
    alias = conf.reports_database
    if alias and (alias not in settings.DATABASES or not _has_router()):
        yield error(
            "E028",
            f"AFFILIATES_REPORTS_DATABASE is {alias!r}, which is no alias in DATABASES, "
            "or DATABASE_ROUTERS has no ReportsRouter.",
            f'Write DATABASES[{alias!r}], and "{ROUTER}" in DATABASE_ROUTERS; leave it '
            "unset, and reports read where rows are written.",
        )


def _has_router() -> bool:
    return any(is_a(entry, ROUTER) for entry in settings.DATABASE_ROUTERS)


@register(Needs.SETTINGS, reads=("click_writer",))
def click_writer() -> Iterator[Finding]:
    if conf.click_writer not in CLICK_WRITERS:
        yield error(
            "E006",
            f"AFFILIATES_CLICK_WRITER is {conf.click_writer!r}.",
            f"Use one of {', '.join(CLICK_WRITERS)}.",
        )


@register(Needs.SETTINGS, reads=("geoip_file",))
def geoip_file() -> Iterator[Finding]:
    if not conf.geoip_file:
        return
    try:
        open_file(conf.geoip_file)
    except UNUSABLE as fault:
        yield error(
            "E024",
            f"AFFILIATES_GEOIP_FILE cannot be used: {fault}",
            "Write the path of an .mmdb file of countries or cities, and install "
            "affiliates[geoip]; leave it unset, and clicks have no country.",
        )


@register(Needs.SETTINGS, reads=("tracking_allowed_hosts",))
def tracking_allowed_hosts() -> Iterator[Finding]:
    wrong = sorted(
        host for host in conf.tracking_allowed_hosts if not is_host_port(host)
    )
    if wrong:
        yield error(
            "E008",
            f"AFFILIATES_TRACKING_ALLOWED_HOSTS cannot be used: {', '.join(wrong)}.",
            'Write a list of "host:port", as "127.0.0.1:8090"; '
            "leave it empty in production.",
        )


@register(Needs.SETTINGS, reads=("delivery_lease_seconds",))
def delivery_lease() -> Iterator[Finding]:
    if not MIN_LEASE_SECONDS <= conf.delivery_lease_seconds <= MAX_LEASE_SECONDS:
        yield warning(
            "W001",
            "AFFILIATES_DELIVERY_LEASE_SECONDS should be "
            f"{MIN_LEASE_SECONDS} to {MAX_LEASE_SECONDS}: while a slow provider is "
            "still being notified of a sale, another process may notify it again.",
            "Leave it unset for 60 seconds.",
        )


@register(Needs.SETTINGS, reads=("metrics_token",))
def metrics_token() -> Iterator[Finding]:
    token = conf.metrics_token
    if token and not (token.isascii() and len(token) >= MIN_TOKEN):
        yield error(
            "E027",
            f"AFFILIATES_METRICS_TOKEN is shorter than {MIN_TOKEN} characters, or has "
            "others than ASCII's.",
            "Write a random one, as openssl rand -hex 24 prints it; leave it unset, and "
            "nobody may read /metrics.",
        )
    elif token and not HAS_PROMETHEUS:
        yield error(
            "E027",
            "AFFILIATES_METRICS_TOKEN is set, and prometheus_client is not installed: "
            "/metrics is not found.",
            "Run pip install 'affiliates[metrics]', or leave the token unset.",
        )


@register(Needs.SETTINGS, reads=("cookie_name",))
def cookie_name() -> Iterator[Finding]:
    if COOKIE_NAME.fullmatch(conf.cookie_name) is None:
        yield error(
            "E025",
            f"AFFILIATES_COOKIE_NAME is {conf.cookie_name!r}, which is no name of a "
            "cookie.",
            "Write letters, digits, - and _ only, or leave it unset for referral_cookie.",
        )


@register(Needs.SETTINGS, reads=("cookie_domain",))
def cookie_domain() -> Iterator[Finding]:
    domain = conf.cookie_domain
    if domain and COOKIE_DOMAIN.fullmatch(str(domain)) is None:
        yield error(
            "E026",
            f"AFFILIATES_COOKIE_DOMAIN is {domain!r}, which is no domain: browsers "
            "refuse the referral cookie.",
            'Write a domain alone, as "example.com", or leave it unset for the page\'s '
            "own host.",
        )
