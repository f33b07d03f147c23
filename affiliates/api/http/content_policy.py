"""The Content-Security-Policy of every answer on our pages' paths, also of refusals.

Pages of the area and the API's description set their own. The middleware adds those of
the admin, redirects and errors, and of the host's paths in AFFILIATES_CSP_PATHS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.deprecation import MiddlewareMixin

from affiliates.admin_tools.theme import HAS_UNFOLD, host_site
from affiliates.conf import conf
from affiliates.core.content_policy import (
    ADMIN,
    HEADER,
    NO_PAGE,
    STRICT,
    THEMED,
    content_policy,
)
from affiliates.uploads.images import picture_origins

# By the names of pages: the paths below each are covered.
PAGES = ("affiliates_area:dashboard", "affiliates_schema:docs")
# What the view of a host sets on its answer: sources, by directive, besides ours.
MORE = "csp_sources"


class ContentPolicyMiddleware(MiddlewareMixin):
    """Leaves alone what has a policy already, and every other path of the host."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if self.async_mode:
            return self._answer_async(request)
        return _with_policy(request, self.get_response(request))

    async def _answer_async(self, request: HttpRequest) -> Any:
        return _with_policy(request, await self.get_response(request))


def _with_policy(request: HttpRequest, response: Any) -> Any:
    if HEADER in response.headers:
        return response
    directives = _directives(request.path)
    if directives is None:
        return response
    if response.headers.get("Content-Type", "").startswith("application/json"):
        response.headers[HEADER] = NO_PAGE
    else:
        more = {"img-src": picture_origins(), **getattr(response, MORE, {})}
        response.headers[HEADER] = content_policy(
            directives, more=more, report_uri=conf.csp_report_uri
        )
    return response


def _directives(path: str) -> Mapping[str, str] | None:
    if _is_below(path, f"{host_site().name}:index"):
        return THEMED if HAS_UNFOLD else ADMIN
    if any(_is_below(path, page) for page in PAGES):
        return STRICT
    return STRICT if path.startswith(conf.csp_paths) else None


def _is_below(path: str, page: str) -> bool:
    try:
        return path.startswith(reverse(page))
    except NoReverseMatch:
        return False
