"""htmx on the pages: what a form or a link asks for is shown without loading them anew.

Only where the host has installed django_htmx. Whole pages are answered all the same: the
templates say which part is taken (``hx-select``), and nothing depends on it.
"""

from __future__ import annotations

from django.apps import apps
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers


def htmx_script() -> str:
    """Nothing without django_htmx."""
    if not apps.is_installed("django_htmx"):
        return ""
    from django_htmx.jinja import htmx_script

    return htmx_script(version=2)


def answer_to_htmx(
    request: HttpRequest, response: HttpResponseBase, *, frame: str
) -> HttpResponseBase:
    """Returns the response; htmx gets a refresh or a page to take a part from."""
    if not apps.is_installed("django_htmx"):
        return response
    from django_htmx.http import HttpResponseClientRefresh
    from django_htmx.middleware import HtmxDetails

    if HtmxDetails(request):
        is_elsewhere = response.status_code in (302, 403)
        # To a login, the end of a look, or another person's page: not a part of this one.
        if is_elsewhere or request.headers.get("Area-Frame") != frame:
            response = HttpResponseClientRefresh()
        # An answer like any other, which no console is to call a failure.
        elif response.status_code == 400:
            response.status_code = 200
    patch_vary_headers(response, ["HX-Request"])
    return response
