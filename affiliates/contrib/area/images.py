"""Uploaded pictures, for everybody: affiliates show them on their own sites."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from affiliates.uploads.images import open_picture

TYPES = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}
HEADERS = {
    # A name never gets another picture.
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
}


@require_safe
def image(request: HttpRequest, stem: str, ending: str) -> HttpResponseBase:
    if ending not in TYPES:
        raise Http404
    try:
        file = open_picture(f"{stem}.{ending}")
    except FileNotFoundError:
        raise Http404 from None
    return FileResponse(file, content_type=TYPES[ending], headers=HEADERS)
