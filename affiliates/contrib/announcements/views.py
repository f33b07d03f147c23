"""The page behind the links of announcements."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from affiliates.contrib.announcements.links import link_of, url_of
from affiliates.contrib.announcements.services import record_opening


@never_cache
@require_safe
def open_link(request: HttpRequest, token: str) -> HttpResponse:
    """Leads to the URL. Programs that check an e-mail's links are recorded too."""
    link = link_of(token)
    url = None if link is None else url_of(link)
    if link is None or url is None:
        raise Http404
    if request.method == "GET":
        record_opening(link, now=timezone.now())
    response = HttpResponseRedirect(url)
    # The address names the e-mail: the page it leads to must not learn it.
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
