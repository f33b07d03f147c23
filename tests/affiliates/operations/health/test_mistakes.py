"""Whoever configures the app wrongly is told what is wrong and what to do about it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.core.checks import run_checks
from django.db import connection
from django.http import HttpResponse
from django.test import override_settings
from django.urls import include, path, re_path

from affiliates.operations.health.examine import check_settings
from tests.affiliates.operations.health.mistakes import PATH
from tests.cases import each

OURS = path("", include("affiliates.api.urls"))
OWN_SITE = admin.AdminSite("ops")
UNKNOWN = path("", include("affiliates.api.unknown_urls"))


def page(request: object, **kwargs: object) -> HttpResponse:
    return HttpResponse()


def adapter(name: str) -> dict[str, Any]:
    return {"AFFILIATES_ADAPTER": f"{PATH}.{name}"}


def serializer(endpoint: str, name: str) -> dict[str, Any]:
    return {"AFFILIATES_SERIALIZERS": {endpoint: name}}


def routers(*names: str) -> dict[str, Any]:
    return {"DATABASE_ROUTERS": [f"{PATH}.{name}" for name in names]}


CACHE = "django.middleware.cache"
ARRIVALS = "affiliates.extending.middleware.ReferralCookieMiddleware"


# What is set, under which id it is named, what is said of it, and what to do.
MISTAKES: list[tuple[str, dict[str, Any], str, str, str]] = [
    # The adapter.
    (
        "none",
        {"AFFILIATES_ADAPTER": ""},
        "E001",
        "AFFILIATES_ADAPTER is not set.",
        "Set AFFILIATES_ADAPTER to the dotted path of your HostAdapter.",
    ),
    (
        "no such module",
        {"AFFILIATES_ADAPTER": "no.such.Thing"},
        "E001",
        "No module named 'no'",
        "dotted path",
    ),
    (
        "no adapter",
        {"AFFILIATES_ADAPTER": "decimal.Decimal"},
        "E001",
        "'decimal.Decimal', which is no HostAdapter",
        "made from affiliates.adapter.HostAdapter",
    ),
    (
        "a module",
        {"AFFILIATES_ADAPTER": "os.path"},
        "E001",
        "which is no HostAdapter",
        "Name a class",
    ),
    (
        "unfinished",
        {"AFFILIATES_ADAPTER": "affiliates.adapter.HostAdapter"},
        "E001",
        "HostAdapter lacks ",
        "docs/adapter.md",
    ),
    (
        "constructor with arguments",
        adapter("NeedsAnArgument"),
        "E001",
        "NeedsAnArgument() needs shop: it is made without arguments.",
        "Give shop a default",
    ),
    (
        "renamed argument",
        adapter("RenamedArgument"),
        "E001",
        "RenamedArgument.prepare_conversion cannot be called as it will be",
        "Write def prepare_conversion(self, conversion: 'OrderConversion', *, now",
    ),
    (
        "missing argument",
        adapter("MissingArgument"),
        "E001",
        "too many positional arguments",
        "Write def finish_conversion(self, prepared",
    ),
    (
        "argument too many",
        adapter("OneArgumentTooMany"),
        "E001",
        "missing a required argument: 'site'",
        "Write def admin_url(self, reference: 'Reference', ref: 'str')",
    ),
    (
        "signature of an earlier version",
        adapter("OldSignature"),
        "E001",
        "an unexpected keyword argument 'brand_id'",
        "brand_id: 'int | None' = None",
    ),
    (
        "asynchronous method",
        adapter("Asynchronous"),
        "E001",
        "Asynchronous.get_client is asynchronous: it is called without await.",
        "Write def get_client(",
    ),
    (
        "no method",
        adapter("NoMethod"),
        "E001",
        "NoMethod.get_client is no method.",
        "Write def get_client(",
    ),
    (
        "static method that asks for self",
        adapter("StaticWithSelf"),
        "E001",
        "StaticWithSelf.admin_url cannot be called as it will be: missing a required",
        "Write def admin_url(",
    ),
    (
        "mistyped method",
        adapter("Mistyped"),
        "W003",
        "Nobody calls Mistyped.find_cleints.",
        "Did you mean find_clients?",
    ),
    # Keys, numbers and texts.
    (
        "no keys",
        {"AFFILIATES_COOKIE_KEYS": ""},
        "E002",
        "There is no key.",
        'Write "1:<base64 of 32 random bytes>"',
    ),
    (
        "short key",
        {"AFFILIATES_COOKIE_KEYS": "1:AAAA"},
        "E002",
        "Key 1 is not 32 bytes in base64.",
        "newest first",
    ),
    (
        "keys of another type",
        {"AFFILIATES_COOKIE_KEYS": ["1:secret"]},
        "E012",
        "AFFILIATES_COOKIE_KEYS is no text.",
        "Write a text.",
    ),
    (
        "short secret key",
        {"AFFILIATES_SECRET_KEYS": "1:AAAA"},
        "E007",
        "AFFILIATES_SECRET_KEYS cannot be used",
        "Leave it out to use the cookie keys",
    ),
    (
        "number in words",
        {"AFFILIATES_TRUSTED_PROXIES": "two"},
        "E012",
        "AFFILIATES_TRUSTED_PROXIES is 'two', which is no whole number.",
        "Write a whole number.",
    ),
    (
        "negative number",
        {"AFFILIATES_TRUSTED_PROXIES": -1},
        "E005",
        "AFFILIATES_TRUSTED_PROXIES must be 0 or more.",
        "how many proxies of yours",
    ),
    (
        "number with its unit",
        {"AFFILIATES_CONFIG_REFRESH_SECONDS": "2s"},
        "E012",
        "AFFILIATES_CONFIG_REFRESH_SECONDS is '2s', which is no number.",
        "Write a number.",
    ),
    (
        "refresh too slow",
        {"AFFILIATES_CONFIG_REFRESH_SECONDS": 6},
        "E005",
        "must be 0 to 5",
        "Leave it unset for 2 seconds.",
    ),
    (
        "visit that waits for minutes",
        {"AFFILIATES_VISIT_DEADLINE_SECONDS": 60},
        "E005",
        "AFFILIATES_VISIT_DEADLINE_SECONDS must be 0.1 to 10.",
        "Leave it unset for 1 second.",
    ),
    (
        "no body is small enough",
        {"AFFILIATES_MAX_BODY_BYTES": 0},
        "E005",
        "AFFILIATES_MAX_BODY_BYTES must be 1 or more.",
        "Leave it unset for 65536.",
    ),
    (
        "no invoice is small enough",
        {"AFFILIATES_MAX_INVOICE_BYTES": 0},
        "E005",
        "AFFILIATES_MAX_INVOICE_BYTES must be 1 or more.",
        "Leave it unset for 5000000.",
    ),
    (
        "no scanner",
        {"AFFILIATES_SCAN_UPLOAD": "shop.scanning.scan"},
        "E029",
        "AFFILIATES_SCAN_UPLOAD is 'shop.scanning.scan', which cannot be called",
        "leave it unset, and files are not scanned.",
    ),
    (
        "a scanner that is no function",
        {"AFFILIATES_SCAN_UPLOAD": "affiliates.__version__"},
        "E029",
        "AFFILIATES_SCAN_UPLOAD is 'affiliates.__version__', which cannot be called",
        'Write the dotted path of a function, as "shop.scanning.scan"',
    ),
    (
        "no function for Stripe's customers",
        {"AFFILIATES_STRIPE_CLIENT": "shop.stripe.client_of"},
        "E030",
        "AFFILIATES_STRIPE_CLIENT is 'shop.stripe.client_of', which cannot be called",
        "leave it unset, and client_reference_id is the client's id.",
    ),
    (
        "no secret of Stripe",
        {"AFFILIATES_STRIPE_SECRETS": {1: [""]}},
        "E031",
        "AFFILIATES_STRIPE_SECRETS has no secret for 1",
        'Write the id and a list, as {1: ["whsec_…"]}.',
    ),
    (
        "standby that is no database",
        {"AFFILIATES_REPORTS_DATABASE": "standby"},
        "E028",
        "AFFILIATES_REPORTS_DATABASE is 'standby', which is no alias in DATABASES",
        "Write DATABASES['standby'], and \"affiliates.db.routers.ReportsRouter\"",
    ),
    (
        "clocks that may never differ",
        {"AFFILIATES_MAX_CLOCK_SKEW_SECONDS": -1},
        "E005",
        "AFFILIATES_MAX_CLOCK_SKEW_SECONDS must be 0 or more.",
        "Leave it unset for 60; 0 refuses no clock.",
    ),
    (
        "e-mails of no day are kept",
        {"AFFILIATES_KEEP_EMAILS_DAYS": 0},
        "E005",
        "AFFILIATES_KEEP_EMAILS_DAYS must be 1 or more.",
        "Leave it unset for 90.",
    ),
    (
        "interval of a job that is not there",
        {"AFFILIATES_JOB_INTERVALS": {"report": 60}},
        "E020",
        "AFFILIATES_JOB_INTERVALS cannot be used: 'report' is no background job.",
        "manage.py affiliates_run --list shows the names.",
    ),
    (
        "interval that is no number",
        {"AFFILIATES_JOB_INTERVALS": {"emails": "5"}},
        "E020",
        "AFFILIATES_JOB_INTERVALS cannot be used: the interval of emails is '5'.",
        'Write {"name": seconds}, from a second to a year; ',
    ),
    (
        "interval of less than a second",
        {"AFFILIATES_JOB_INTERVALS": {"emails": 0.5}},
        "E020",
        "AFFILIATES_JOB_INTERVALS cannot be used: the interval of emails is 0.5.",
        'Write {"name": seconds}, from a second to a year; ',
    ),
    (
        "lease shorter than a conversation",
        {"AFFILIATES_DELIVERY_LEASE_SECONDS": 44},
        "W001",
        "another process may notify it again",
        "Leave it unset for 60 seconds.",
    ),
    (
        "lease that never ends",
        {"AFFILIATES_DELIVERY_LEASE_SECONDS": float("nan")},
        "W001",
        "should be 45 to 86400",
        "Leave it unset for 60 seconds.",
    ),
    (
        "unknown writer",
        {"AFFILIATES_CLICK_WRITER": "fast"},
        "E006",
        "AFFILIATES_CLICK_WRITER is 'fast'.",
        "Use one of auto, direct, leader.",
    ),
    (
        "no file of countries",
        {"AFFILIATES_GEOIP_FILE": "/nowhere/countries.mmdb"},
        "E024",
        "AFFILIATES_GEOIP_FILE cannot be used: [Errno 2]",
        "leave it unset, and clicks have no country.",
    ),
    (
        "no fonts of statements",
        {"AFFILIATES_STATEMENT_FONTS": ["/nowhere/font.ttf"]},
        "W013",
        "AFFILIATES_STATEMENT_FONTS names no file of this machine",
        "apt-get install fonts-dejavu-core fonts-droid-fallback",
    ),
    (
        "a text for a list",
        {"AFFILIATES_TRACKING_ALLOWED_HOSTS": "127.0.0.1:8090"},
        "E012",
        "'127.0.0.1:8090', which is no list.",
        "Write a list.",
    ),
    (
        "allowed host without a port",
        {"AFFILIATES_TRACKING_ALLOWED_HOSTS": ["127.0.0.1"]},
        "E008",
        "cannot be used: 127.0.0.1.",
        'Write a list of "host:port"',
    ),
    (
        "allowed host as a URL",
        {"AFFILIATES_TRACKING_ALLOWED_HOSTS": ["http://127.0.0.1:8090"]},
        "E008",
        "cannot be used: http://127.0.0.1:8090.",
        'as "127.0.0.1:8090"',
    ),
    (
        "unknown setting",
        {"AFFILIATES_TRUSTED_PROXY": 1},
        "W004",
        "There is no setting AFFILIATES_TRUSTED_PROXY: nothing reads it.",
        "Did you mean AFFILIATES_TRUSTED_PROXIES?",
    ),
    (
        "blank in the name of the cookie",
        {"AFFILIATES_COOKIE_NAME": "referral cookie"},
        "E025",
        "AFFILIATES_COOKIE_NAME is 'referral cookie', which is no name of a cookie.",
        "Write letters, digits, - and _ only",
    ),
    (
        "no name of the cookie",
        {"AFFILIATES_COOKIE_NAME": ""},
        "E025",
        "AFFILIATES_COOKIE_NAME is ''",
        "or leave it unset for referral_cookie.",
    ),
    (
        "cookie domain with its scheme",
        {"AFFILIATES_COOKIE_DOMAIN": "https://example.com"},
        "E026",
        "AFFILIATES_COOKIE_DOMAIN is 'https://example.com', which is no domain",
        'Write a domain alone, as "example.com"',
    ),
    (
        "cookie domain with a port",
        {"AFFILIATES_COOKIE_DOMAIN": "example.com:8000"},
        "E026",
        "AFFILIATES_COOKIE_DOMAIN is 'example.com:8000'",
        "leave it unset for the page's own host.",
    ),
    # Rates.
    (
        "a text for a dictionary",
        {"AFFILIATES_THROTTLE_RATES": "visit=1/minute"},
        "E012",
        "which is no dictionary.",
        "Write a dictionary.",
    ),
    (
        "unknown throttle",
        {"AFFILIATES_THROTTLE_RATES": {"visits": "1/minute"}},
        "E004",
        "'visits' is no endpoint.",
        "Did you mean visit?",
    ),
    (
        "unreadable rate",
        {"AFFILIATES_THROTTLE_RATES": {"visit": "many"}},
        "E004",
        "visit is 'many'.",
        'as "600/minute"',
    ),
    (
        "nothing for a dictionary",
        {"AFFILIATES_SERIALIZERS": None},
        "E012",
        "AFFILIATES_SERIALIZERS is None, which is no dictionary.",
        "Write a dictionary.",
    ),
    # Serializers.
    (
        "unknown endpoint",
        serializer("regster", f"{PATH}.WithVat"),
        "E003",
        "'regster' is no endpoint.",
        "Did you mean register?",
    ),
    (
        "no such serializer",
        serializer("register", "no.such.Thing"),
        "E003",
        "No module named 'no'",
        "made from affiliates.api.serializers.RegistrationSerializer.",
    ),
    (
        "no serializer",
        serializer("register", f"{PATH}.NoSerializer"),
        "E003",
        "NoSerializer', which is no serializer.",
        "made from affiliates.api.serializers.RegistrationSerializer.",
    ),
    (
        "serializer itself for its path",
        serializer("convert", 7),
        "E003",
        "convert is 7",
        "made from affiliates.api.serializers.ConversionSerializer.",
    ),
    (
        "serializer whose fields cannot be made",
        serializer("convert", f"{PATH}.Broken"),
        "E003",
        "Broken cannot be made: AssertionError: It is redundant",
        "made from affiliates.api.serializers.ConversionSerializer.",
    ),
    # What stands beside us.
    (
        "no time zones",
        {"USE_TZ": False},
        "E013",
        "USE_TZ is False",
        "Write USE_TZ = True.",
    ),
    (
        "all writes elsewhere",
        routers("WritesElsewhere"),
        "E014",
        'to "sales": a sale, its commission and its client',
        'answer "default" to db_for_write',
    ),
    (
        "one table elsewhere",
        routers("ToReplica", "SplitsClicks"),
        "E014",
        'DATABASE_ROUTERS writes affiliates.Click to "clicks"',
        'answer "default" to db_for_write',
    ),
    (
        "no tables",
        routers("MakesNoTables"),
        "E014",
        'more in "default"',
        'answer "default"',
    ),
    (
        "cache that keeps nothing",
        {
            "CACHES": {
                "default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
            }
        },
        "W006",
        "no caller is ever limited",
        "Use a cache that counts, such as Redis",
    ),
    (
        "middleware that answers one way only under ASGI",
        {"ASGI_APPLICATION": "x.asgi", "MIDDLEWARE": [f"{PATH}.SynchronousOnly"]},
        "W007",
        "SynchronousOnly is called under ASGI as if it were asynchronous",
        "Write async_capable = False",
    ),
    (
        "nobody can sign in",
        {"AFFILIATES_AUTHENTICATION_CLASSES": []},
        "E016",
        "There are no authentication classes",
        "AFFILIATES_AUTHENTICATION_CLASSES, or leave it out",
    ),
    (
        "authentication that is not there",
        {"AFFILIATES_AUTHENTICATION_CLASSES": ["no.such.Authentication"]},
        "E016",
        "cannot be made: Could not import 'no.such.Authentication'",
        "Name the classes by which your clients sign in",
    ),
    (
        "paths that nobody looks at",
        {"AFFILIATES_CORS_PATHS": ["/api/", "/shop/"], "MIDDLEWARE": []},
        "E021",
        "client areas may not call /api/, /shop/.",
        'BrandCorsMiddleware" at the beginning of MIDDLEWARE.',
    ),
    (
        "cached pages before arrivals",
        {
            "MIDDLEWARE": [f"{CACHE}.FetchFromCacheMiddleware", ARRIVALS],
            "AFFILIATES_CORS_PATHS": [],
        },
        "W015",
        "visits of cached pages by an affiliate link are not recorded.",
        f'Write "{ARRIVALS}" directly behind SecurityMiddleware.',
    ),
    (
        "paths that begin with nothing",
        {"AFFILIATES_CORS_PATHS": ["api/"]},
        "E021",
        "AFFILIATES_CORS_PATHS has 'api/', and no path begins so.",
        'as "/api/"',
    ),
    (
        "nothing for the paths",
        {"AFFILIATES_CORS_PATHS": None},
        "E012",
        "AFFILIATES_CORS_PATHS is None, which is no list.",
        "Write a list.",
    ),
    # URLs.
    (
        "none of ours",
        {"ROOT_URLCONF": (path("", page),)},
        "W005",
        "The URLconf has none of our endpoints",
        'Write path("", include("affiliates.api.urls")).',
    ),
    (
        "shadowed by a page of the host",
        {"ROOT_URLCONF": (re_path(r"^api/clients/", page), OURS)},
        "E015",
        "/api/clients/register is answered by tests.affiliates.operations.health.test_mistakes."
        "page, not by affiliates.api.clients.RegistrationViewSet.",
        'Move path("", include("affiliates.api.urls")) before it.',
    ),
    (
        "shadowed under a prefix",
        {
            "ROOT_URLCONF": (
                path("shop/<path:rest>", page),
                path("shop/", include("affiliates.api.urls")),
            )
        },
        "E015",
        "/shop/api/affiliate_link/visit is answered by ",
        "before it",
    ),
    (
        "under a prefix with arguments",
        {"ROOT_URLCONF": (path("<slug:shop>/", include("affiliates.api.urls")),)},
        "E015",
        "is under a prefix with arguments",
        "fixed prefix",
    ),
    (
        "endpoint of the host behind the unknown ones",
        {"ROOT_URLCONF": (OURS, UNKNOWN, path("api/orders", page))},
        "W008",
        "/api/orders of tests.affiliates.operations.health.test_mistakes.page is answered as an "
        "unknown path.",
        "unknown_urls",
    ),
    (
        "another AdminSite than the one that has our pages",
        {"ROOT_URLCONF": (OURS, path("ops/", OWN_SITE.urls))},
        "W010",
        "The admin (ops) has no page of affiliates: staff can neither add a brand",
        "dotted path of your AdminSite in AFFILIATES_ADMIN_SITE",
    ),
]


@pytest.fixture(autouse=True)
def no_kept_connections(monkeypatch, settings) -> None:
    """As on SQLite: the mistakes under ASGI are of one kind each."""
    monkeypatch.setitem(settings.DATABASES["default"], "CONN_MAX_AGE", 0)


@each(("_case", "changes", "code", "problem", "hint"), MISTAKES)
def test_a_mistake_is_named_with_its_remedy(changes, code, problem, hint):
    with override_settings(**changes):
        messages = check_settings(None)

    assert {message.id for message in messages} == {f"affiliates.{code}"}
    assert any(problem in one.msg and hint in one.hint for one in messages)


def test_there_are_many_mistakes():
    assert len(MISTAKES) >= 40


@each(
    ("_case", "changes"),
    [
        ("adapter that takes more", adapter("WithMore")),
        ("serializer with more", serializer("register", f"{PATH}.WithVat")),
        ("a number as text", {"AFFILIATES_TRUSTED_PROXIES": "2"}),
        ("as if not set", {"AFFILIATES_TRACKING_ALLOWED_HOSTS": None}),
        ("no secret keys", {"AFFILIATES_SECRET_KEYS": None}),
        ("marks in a cookie's name", {"AFFILIATES_COOKIE_NAME": "__Secure-ref.1"}),
        ("no cookie domain", {"AFFILIATES_COOKIE_DOMAIN": None}),
        ("cookie domain with a dot", {"AFFILIATES_COOKIE_DOMAIN": ".example.com"}),
        ("a cookie's host while developing", {"AFFILIATES_COOKIE_DOMAIN": "localhost"}),
        ("a replica to read from", routers("ToReplica")),
        ("a tuple for a list", {"AFFILIATES_TRACKING_ALLOWED_HOSTS": ("h:1",)}),
        (
            "two AdminSites, of which one has our pages",
            {
                "ROOT_URLCONF": (
                    OURS,
                    path("admin/", admin.site.urls),
                    path("ops/", OWN_SITE.urls),
                )
            },
        ),
        (
            "a fixed prefix, and an endpoint of the host before the unknown ones",
            {
                "ROOT_URLCONF": (
                    path("shop/", include("affiliates.api.urls")),
                    path("api/orders", page),
                    UNKNOWN,
                )
            },
        ),
    ],
)
def test_what_is_no_mistake_is_not_named(changes):
    with override_settings(**changes):
        assert check_settings(None) == []


@each(
    ("name", "count", "problems"),
    [
        ("WEB_CONCURRENCY", "4", 1),
        ("GRANIAN_WORKERS", "2", 1),
        ("WEB_CONCURRENCY", "1", 0),
        ("WEB_CONCURRENCY", "auto", 0),
    ],
)
def test_a_cache_of_each_process_is_named_where_several_serve_in_transactions(
    name, count, problems, monkeypatch, settings
):
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend}}
    with monkeypatch.context() as patch:
        patch.setitem(settings.DATABASES["default"], "ATOMIC_REQUESTS", True)
        patch.setenv(name, count)
        messages = check_settings(None)

    assert [one.id for one in messages] == ["affiliates.W006"] * problems
    assert all(f"each of the {count} processes ({name})" in one.msg for one in messages)
    assert all("such as Redis" in one.hint for one in messages)


def test_another_database_is_named(monkeypatch):
    monkeypatch.setattr(connection, "vendor", "mysql")

    (message,) = check_settings(None)

    assert (message.id, message.hint) == (
        "affiliates.E014",
        "Use PostgreSQL or SQLite.",
    )
    assert 'The database "default" is mysql' in message.msg


def test_connections_kept_under_asgi_are_named(monkeypatch, settings):
    settings.ASGI_APPLICATION = "x.asgi.application"
    monkeypatch.setitem(settings.DATABASES["default"], "CONN_MAX_AGE", 600)

    messages = {one.id: one for one in check_settings(None)}

    assert "CONN_MAX_AGE is 600 under ASGI" in messages["affiliates.W009"].msg
    assert messages["affiliates.W009"].hint.startswith("Write 0")


def test_every_check_is_silent_on_a_correct_host():
    assert [one for one in run_checks() if not one.is_silenced()] == []


def test_no_key_is_shown(settings):
    settings.AFFILIATES_COOKIE_KEYS = settings.AFFILIATES_SECRET_KEYS = "1:c2VjcmV0"

    shown = " ".join(f"{one.msg} {one.hint}" for one in check_settings(None))

    assert "affiliates" in shown.casefold()
    assert "c2VjcmV0" not in shown
