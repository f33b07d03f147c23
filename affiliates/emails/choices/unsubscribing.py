"""The unsubscribe page of an e-mail: one click, without a login (RFC 8058)."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from affiliates.conf import conf
from affiliates.core.content_policy import HEADER, content_policy
from affiliates.emails.choices import services
from affiliates.emails.kinds import KINDS
from affiliates.emails.links import email_of
from affiliates.emails.rendering import known_language
from affiliates.emails.selectors import client_of
from affiliates.emails.types import EmailKind

TEMPLATE = "affiliates/emails/unsubscribe.html"


# Mail programs post without cookies: the token in the address authorises it.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """A GET changes nothing, since programs open every link of an e-mail."""
    email = email_of(token)
    if email is None or email.affiliate_id is None:
        raise Http404
    kind = EmailKind(email.kind)
    is_done = request.method == "POST"
    if is_done:
        services.unsubscribe(
            email.affiliate_id,
            email,
            from_all="all" in request.POST,
            now=timezone.now(),
        )
    language = known_language(client_of(email).language)
    shown = {
        "brand": email.brand,
        "about": KINDS[kind].about,
        "is_done": is_done,
        "language": language,
    }
    with translation.override(language):
        response = TemplateResponse(request, TEMPLATE, shown).render()
    response.headers[HEADER] = content_policy(report_uri=conf.csp_report_uri)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
