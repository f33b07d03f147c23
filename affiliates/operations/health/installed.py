"""Apps, extras, middleware and authentication classes of the host."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from importlib.util import find_spec
from inspect import isclass
from typing import Any

from django.apps import apps
from django.conf import settings
from django.utils.module_loading import import_string

from affiliates.conf import conf
from affiliates.hooks import own_apps
from affiliates.operations.health.findings import Finding, error, is_a, warning
from affiliates.operations.health.registry import Needs, register
from affiliates.operations.health.urls import endpoints, routes
from affiliates.payouts.models import PayoutTerms
from affiliates.payouts.papers.pdf import HAS_FPDF, statement_fonts
from affiliates.payouts.providers.bank import BankTransfer

ADMIN, ADMIN_THEME = "django.contrib.admin", "unfold"
OWN_CORS_MIDDLEWARE = "affiliates.extending.middleware.BrandCorsMiddleware"
OTHER_CORS_MIDDLEWARE = "corsheaders.middleware.CorsMiddleware"
ARRIVALS_MIDDLEWARE = "affiliates.extending.middleware.ReferralCookieMiddleware"
# Django's, and what others call theirs: a stored page is answered by it.
CACHE_MIDDLEWARE = ("CacheMiddleware", "FetchFromCacheMiddleware")
# What a middleware that answers both ways mentions in one of its names.
ASYNC_NAMES = ("async", "coroutine", "acall")


@register(Needs.SETTINGS)
def installed_apps() -> Iterator[Finding]:
    names = [config.name for config in apps.get_app_configs()]
    if [one for one in names if one in {ADMIN, ADMIN_THEME}] == [ADMIN, ADMIN_THEME]:
        yield error(
            "E009",
            f'INSTALLED_APPS has "{ADMIN}" before "{ADMIN_THEME}": the pages would be '
            "made of both.",
            f'Write "{ADMIN_THEME}", "{ADMIN}", ..., "affiliates".',
        )


@register(Needs.SETTINGS)
def needed_apps() -> Iterator[Finding]:
    for config in own_apps():
        for name in getattr(config, "needs", ()):
            if not apps.is_installed(name):
                yield error(
                    "E022",
                    f'INSTALLED_APPS has "{config.name}", which works with "{name}" '
                    "alone, and not that one.",
                    f'Add "{name}", or take "{config.name}" out.',
                )


@register(Needs.SETTINGS)
def cors() -> Iterator[Finding]:
    for entry in settings.MIDDLEWARE:
        if is_a(entry, OWN_CORS_MIDDLEWARE):
            return
        if is_a(entry, OTHER_CORS_MIDDLEWARE):
            yield error(
                "E010",
                f"MIDDLEWARE lets no client area call the API: {entry} refuses them.",
                f'Write "{OWN_CORS_MIDDLEWARE}" before it.',
            )
            return


@register(Needs.SETTINGS)
def arrivals() -> Iterator[Finding]:
    """A cached page is answered without the visit that led to it."""
    caches: list[str] = []
    for entry in settings.MIDDLEWARE:
        if is_a(entry, ARRIVALS_MIDDLEWARE):
            for cache in caches:
                yield warning(
                    "W015",
                    f"MIDDLEWARE has {cache} before {entry}: visits of cached pages by an "
                    "affiliate link are not recorded.",
                    f'Write "{entry}" directly behind SecurityMiddleware.',
                )
            return
        if entry.rpartition(".")[2] in CACHE_MIDDLEWARE:
            caches.append(entry)


@register(Needs.SETTINGS, reads=("cors_paths",))
def cors_paths() -> Iterator[Finding]:
    for path in conf.cors_paths:
        if not str(path).startswith("/"):
            yield error(
                "E021",
                f"AFFILIATES_CORS_PATHS has {path!r}, and no path begins so.",
                'Write how the paths begin, as "/api/".',
            )
    if conf.cors_paths and not any(
        is_a(entry, OWN_CORS_MIDDLEWARE) for entry in settings.MIDDLEWARE
    ):
        yield error(
            "E021",
            "AFFILIATES_CORS_PATHS is looked at by nobody: client areas may not call "
            f"{', '.join(conf.cors_paths)}.",
            f'Write "{OWN_CORS_MIDDLEWARE}" at the beginning of MIDDLEWARE.',
        )


@register(Needs.SETTINGS)
def authentication() -> Iterator[Finding]:
    if not endpoints(routes()):
        return
    # Only when asked: the REST framework takes long to import.
    from affiliates.api.orders import OrderConversionViewSet

    hint = (
        "Name the classes by which your clients sign in in "
        "AFFILIATES_AUTHENTICATION_CLASSES, or leave it out for those of "
        "REST_FRAMEWORK."
    )
    try:
        found = OrderConversionViewSet().get_authenticators()
    except Exception as fault:  # noqa: BLE001 - the host's module may raise anything
        problem = f"The authentication classes cannot be made: {fault}"
        yield error("E016", problem, hint)
        return
    if not found:
        yield error(
            "E016",
            "There are no authentication classes: nobody can convert an order or see "
            "what they earned.",
            hint,
        )


@register(Needs.SETTINGS)
def asynchronous_middleware() -> Iterator[Finding]:
    """A subclass that answers as if all were synchronous breaks every request there."""
    if not getattr(settings, "ASGI_APPLICATION", None):
        return
    is_asynchronous = True
    # Django makes them from the last to the first, and asks each what it can.
    for entry in reversed(settings.MIDDLEWARE):
        try:
            found = import_string(entry)
        except ImportError:
            return  # Django says so itself, at the first request.
        can_wait = getattr(found, "async_capable", False)
        is_asynchronous = can_wait and (
            is_asynchronous or not getattr(found, "sync_capable", True)
        )
        if is_asynchronous and _answers_at_once(found):
            yield warning(
                "W007",
                f"{entry} is called under ASGI as if it were asynchronous, and answers "
                "as if it were not: every request would fail.",
                "Write async_capable = False in it, or answer both ways.",
            )


@register(Needs.SETTINGS, reads=("scan_upload",))
def scan_upload() -> Iterator[Finding]:
    if not _can_be_called(path := conf.scan_upload):
        yield error(
            "E029",
            f"AFFILIATES_SCAN_UPLOAD is {path!r}, which cannot be called: no invoice and "
            "no file of a creative is taken.",
            'Write the dotted path of a function, as "shop.scanning.scan"; leave it '
            "unset, and files are not scanned.",
        )


@register(Needs.SETTINGS, reads=("stripe_client", "stripe_secrets"))
def stripe() -> Iterator[Finding]:
    if not _can_be_called(path := conf.stripe_client):
        yield error(
            "E030",
            f"AFFILIATES_STRIPE_CLIENT is {path!r}, which cannot be called: no order "
            "of Stripe Checkout is credited.",
            'Write the dotted path of a function, as "shop.stripe.client_of"; leave '
            "it unset, and client_reference_id is the client's id.",
        )
    for brand_id, secrets in conf.stripe_secrets.items():
        if type(brand_id) is not int or not secrets:
            yield error(
                "E031",
                f"AFFILIATES_STRIPE_SECRETS has no secret for {brand_id!r}, or it is no "
                "brand's id: events of Stripe are refused.",
                'Write the id and a list, as {1: ["whsec_…"]}.',
            )


def _can_be_called(path: str) -> bool:
    """Whether the dotted path is unset or names a function."""
    try:
        return not path or callable(import_string(path))
    except ImportError:
        return False


@register(Needs.SETTINGS, reads=("statement_fonts",))
def pdf_fonts() -> Iterator[Finding]:
    if HAS_FPDF and not statement_fonts():
        yield warning(
            "W013",
            "AFFILIATES_STATEMENT_FONTS names no file of this machine: no statement is "
            "offered as PDF.",
            "On Debian run apt-get install fonts-dejavu-core fonts-droid-fallback; "
            "elsewhere write the paths of TrueType files.",
        )


@register(Needs.DATABASE)
def bank_files(now: datetime) -> Iterator[Finding]:
    """Who pays by bank can write the files for it."""
    if find_spec("sepaxml") is not None:
        return
    own_accounts = PayoutTerms.objects.filter(brand__is_active=True)
    for terms in own_accounts.exclude(debtor_iban="").select_related("brand"):
        if BankTransfer.code not in terms.kinds:
            continue
        yield warning(
            "D030",
            f"The brand {terms.brand} pays by bank transfer, and no SEPA file can be written.",
            "Run pip install 'affiliates[payout-files]'.",
        )


def _answers_at_once(found: Any) -> bool:
    """Whether a class brings a ``__call__`` of its own that knows of no other way."""
    written = vars(found).get("__call__") if isclass(found) else None
    names = getattr(getattr(written, "__code__", None), "co_names", ())
    return written is not None and not any(
        word in name for name in names for word in ASYNC_NAMES
    )
