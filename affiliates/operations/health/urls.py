"""Whether the URLconf and the hosts lead browsers to our pages and endpoints."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.http.request import validate_host
from django.urls import Resolver404, URLPattern, URLResolver, get_resolver
from django.urls.resolvers import LocalePrefixPattern, RoutePattern
from django.utils.module_loading import import_string

from affiliates.api.descriptions import HAS_OPENAPI
from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.hooks import own_apps
from affiliates.operations.health.findings import Finding, error, is_a, warning
from affiliates.operations.health.registry import Needs, register

INCLUDE = 'path("", include("affiliates.api.urls"))'
CATCH_ALL = "affiliates.api.unknown_urls"
DESCRIPTION, ITS_NAME = "affiliates.api.schema_urls", "affiliates_schema"
UNKNOWN_PATH = "affiliates.api.http.errors.unknown_path"
# URLconfs with pages on the client areas' own hosts; apps add theirs.
PAGES: list[str] = []
# A host whose own pages do what the endpoints would do.
COOKIE_MIDDLEWARE = "affiliates.extending.middleware.ReferralCookieMiddleware"
# A value for each of Django's converters, to ask for a path that is like others.
SAMPLES = {
    "IntConverter": "1",
    "PathConverter": "x",
    "SlugConverter": "x",
    "StringConverter": "x",
    "UUIDConverter": "00000000-0000-0000-0000-000000000000",
}
# What Django allows where DEBUG is on and no host is named.
WHILE_DEVELOPING = (".localhost", "127.0.0.1", "[::1]")


class Route(NamedTuple):
    """A pattern of the URLconf, and a path that is meant for it where one can be said."""

    pattern: URLPattern
    path: str | None
    has_prefix_arguments: bool

    @property
    def view(self) -> str:
        view: Any = self.pattern.callback
        named = getattr(view, "cls", None) or getattr(view, "view_class", view)
        return f"{named.__module__}.{getattr(named, '__qualname__', named)}"


def routes() -> list[Route]:
    return list(_walk(get_resolver(), path="", has_arguments=False))


def endpoints(known_routes: list[Route]) -> list[Route]:
    """Returns the routes of our endpoints, the specification's and further ones."""
    from affiliates.api.urls import urlpatterns

    return [route for route in known_routes if route.pattern in urlpatterns]


@register(Needs.SETTINGS)
def urls() -> Iterator[Finding]:
    known_routes = routes()
    ours = endpoints(known_routes)
    if not ours and not _does_without():
        yield warning(
            "W005",
            "The URLconf has none of our endpoints: no client area can call them.",
            f"Write {INCLUDE}. Where the host has only pages of its own that call "
            "host_events, name affiliates.W005 in SILENCED_SYSTEM_CHECKS.",
        )
    for route in ours:
        yield from _faults(route)
    yield from _hidden(known_routes)


def has_pages() -> bool:
    """Whether this host answers on the client areas' own hosts: the area, or a page."""
    return _does_without() or any(
        route.pattern in import_string(f"{pages}.urlpatterns")
        for pages in PAGES
        for route in routes()
    )


def _does_without() -> bool:
    return any(
        is_a(middleware, COOKIE_MIDDLEWARE) for middleware in settings.MIDDLEWARE
    )


def _faults(route: Route) -> Iterator[Finding]:
    if route.has_prefix_arguments:
        yield error(
            "E015",
            f"{route.view} is under a prefix with arguments: it takes none of them.",
            f"Include our URLs under a fixed prefix: {INCLUDE}.",
        )
        return
    if route.path is None:
        return
    instead = _view_at(route.path)
    if instead is not None and instead != route.view:
        yield error(
            "E015",
            f"/{route.path} is answered by {instead}, not by {route.view}.",
            f"Move {INCLUDE} before it.",
        )


def _hidden(known_routes: list[Route]) -> Iterator[Finding]:
    """Endpoints of the host behind the view that answers unknown paths."""
    views = [route.view for route in known_routes]
    behind = views.index(UNKNOWN_PATH) + 1 if UNKNOWN_PATH in views else len(views)
    for route in known_routes[behind:]:
        if route.path is not None and _view_at(route.path) == UNKNOWN_PATH:
            yield warning(
                "W008",
                f"/{route.path} of {route.view} is answered as an unknown path.",
                f'Move path("", include("{CATCH_ALL}")) behind it.',
            )


def _view_at(path: str) -> str | None:
    try:
        match = get_resolver().resolve(f"/{path}")
    except Resolver404:
        return None
    return Route(URLPattern(RoutePattern(""), match.func), None, False).view


def _walk(
    resolver: URLResolver, *, path: str | None, has_arguments: bool
) -> Iterator[Route]:
    for entry in resolver.url_patterns:
        part = _sample(entry.pattern)
        here = None if path is None or part is None else path + part
        if isinstance(entry, URLPattern):
            yield Route(entry, here, has_arguments)
        else:
            yield from _walk(
                entry,
                path=here,
                has_arguments=has_arguments or _has_arguments(entry.pattern),
            )


def _has_arguments(pattern: Any) -> bool:
    if isinstance(pattern, RoutePattern):
        return bool(pattern.converters)
    return bool(getattr(pattern, "regex", None) and pattern.regex.groups)


def _sample(pattern: Any) -> str | None:
    """A piece of a path that the pattern takes; None where none can be said."""
    if isinstance(pattern, LocalePrefixPattern):
        return str(pattern.language_prefix)
    if not isinstance(pattern, RoutePattern):
        return None if pattern.regex.pattern else ""
    route = str(pattern)
    for name, converter in pattern.converters.items():
        sample = SAMPLES.get(type(converter).__name__)
        start = route.find("<")
        if sample is None or start < 0 or name not in route:
            return None
        route = route[:start] + sample + route[route.find(">") + 1 :]
    return route


@register(Needs.SETTINGS)
def api_description() -> Iterator[Finding]:
    """The API's description, where the URLconf asks for it and its package is missing."""
    if not HAS_OPENAPI and _includes(get_resolver(), ITS_NAME):
        yield warning(
            "W011",
            f"The URLconf includes {DESCRIPTION}, and drf-spectacular is not installed: "
            "the API's description and its page are left out.",
            "Run pip install 'affiliates[openapi]', or leave out "
            f'path("", include("{DESCRIPTION}")).',
        )


def _includes(resolver: URLResolver, app_name: str) -> bool:
    return any(
        entry.app_name == app_name or _includes(entry, app_name)
        for entry in resolver.url_patterns
        if isinstance(entry, URLResolver)
    )


@register(Needs.SETTINGS)
def admin_pages() -> Iterator[Finding]:
    """Ours are on one of the sites that the URLconf has, where it has any."""
    views: list[Any] = [route.pattern.callback for route in routes()]
    sites = {view.admin_site.name for view in views if hasattr(view, "admin_site")}
    pages = [view.model_admin for view in views if hasattr(view, "model_admin")]
    ours = {config.label for config in own_apps()}
    if sites and not any(page.opts.app_label in ours for page in pages):
        yield warning(
            "W010",
            f"The admin ({', '.join(sorted(sites))}) has no page of affiliates: staff "
            "can neither add a brand nor approve a payout.",
            "Write the dotted path of your AdminSite in AFFILIATES_ADMIN_SITE, or make "
            "it Django's default_site.",
        )


@register(Needs.DATABASE)
def allowed_hosts(now: datetime) -> Iterator[Finding]:
    """Only where this host has pages of a client area: the area, or its own."""
    if not has_pages():
        return
    for brand, hosts in _client_areas():
        if hosts and not any(map(_is_allowed, hosts)):
            yield error(
                "D025",
                f"ALLOWED_HOSTS has no client area of the brand {brand} "
                f"({', '.join(hosts)}): its pages here are answered with 400.",
                "Add the host under which these pages are reached.",
            )


@register(Needs.DATABASE)
def cookie_domain(now: datetime) -> Iterator[Finding]:
    domain = (conf.cookie_domain or "").removeprefix(".").lower()
    if not domain:
        return
    hosts = [host for _, area_hosts in _client_areas() for host in area_hosts]
    outside = [host for host in hosts if not _is_in(host, domain)]
    if len(outside) < len(hosts):
        # Client areas with a server of their own have another cookie.
        outside = [host for host in outside if _is_allowed(host)]
    if outside:
        yield error(
            "D026",
            f"AFFILIATES_COOKIE_DOMAIN is {conf.cookie_domain}: browsers refuse the "
            f"referral cookie on {', '.join(outside)}.",
            "Write a domain that these hosts are under, or leave it out: the cookie is "
            "then set for the page's own host.",
        )


def _client_areas() -> Iterator[tuple[Brand, list[str]]]:
    """The hosts of each brand's client areas, without their ports.

    Test brands are left out: their hosts need not exist.
    """
    counted = Brand.objects.filter(is_active=True, is_test=False)
    for brand in counted.prefetch_related("domains"):
        entries = [domain.to_entry() for domain in brand.domains.all()]
        yield brand, [entry.host for entry in entries if entry.is_client_area]


def _is_allowed(host: str) -> bool:
    allowed = settings.ALLOWED_HOSTS
    if settings.DEBUG and not allowed:
        allowed = WHILE_DEVELOPING
    return validate_host(host, allowed)


def _is_in(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")
