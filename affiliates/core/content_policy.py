"""Content-Security-Policy: what a browser may load and run on a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

HEADER = "Content-Security-Policy"
SELF = "'self'"
# Our own files and nothing else, on a page that nobody may show inside theirs.
STRICT: Mapping[str, str] = MappingProxyType(
    {
        "default-src": "'none'",
        "script-src": SELF,
        "style-src": SELF,
        "img-src": f"{SELF} data:",
        "font-src": SELF,
        "connect-src": SELF,
        "base-uri": "'none'",
        "form-action": SELF,
        "frame-ancestors": "'none'",
    }
)
# Django's own lists hold a style element.
ADMIN: Mapping[str, str] = MappingProxyType(
    {**STRICT, "style-src": f"{SELF} 'unsafe-inline'"}
)
# Alpine, of which unfold's pages are made, evaluates attributes.
THEMED: Mapping[str, str] = MappingProxyType(
    {**ADMIN, "script-src": f"{SELF} 'unsafe-eval'"}
)
# Of JSON, which is no page and loads nothing.
NO_PAGE = "default-src 'none'; frame-ancestors 'none'"


def content_policy(
    directives: Mapping[str, str] = STRICT,
    *,
    more: Mapping[str, Iterable[str]] | None = None,
    report_uri: str = "",
) -> str:
    """The header's value. ``more`` adds sources to directives."""
    parts = {
        name: " ".join([sources, *(more or {}).get(name, ())])
        for name, sources in directives.items()
    }
    if report_uri:
        parts["report-uri"] = report_uri
    return "; ".join(f"{name} {value}" for name, value in parts.items())
