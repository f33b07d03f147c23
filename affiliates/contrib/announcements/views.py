"""What the links of announcements lead to."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from affiliates.contrib.announcements.models import Announcement
from affiliates.contrib.announcements.selectors import LINK
from affiliates.contrib.announcements.services import record_opening
from affiliates.encrypted.columns import SecretUnreadable


@never_cache
@require_safe
def open_link(request: HttpRequest, token: str) -> HttpResponse:
    """Leads to the URL. Programs that check an e-mail's links are recorded too."""
    try:
        announcement, recipient, number = map(int, LINK.decrypt(token).split(b":"))
        url = Announcement.objects.get(pk=announcement).links[number]
    except (SecretUnreadable, Announcement.DoesNotExist, IndexError):
        raise Http404 from None
    if request.method == "GET":
        record_opening(recipient, number, now=timezone.now())
    response = HttpResponseRedirect(url)
    # The address names the e-mail: the page it leads to must not learn it.
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
