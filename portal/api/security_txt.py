"""``/.well-known/security.txt`` (RFC 9116): how to report a weakness to the operator."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

# The content is the running configuration: it is as current as the answer.
VALID_FOR = timedelta(days=30)


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """404 unless SECURITY_CONTACT is set."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    expires = timezone.now() + VALID_FOR
    fields = [
        *(("Contact", contact) for contact in settings.SECURITY_CONTACT),
        ("Expires", f"{expires:%Y-%m-%dT%H:%M:%SZ}"),
        ("Preferred-Languages", ", ".join(settings.SECURITY_LANGUAGES)),
        ("Canonical", request.build_absolute_uri(request.path)),
    ]
    text = "".join(f"{name}: {value}\n" for name, value in fields)
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
