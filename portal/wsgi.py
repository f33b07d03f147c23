"""What a WSGI server loads. Every secret comes from the environment or a .env."""

from __future__ import annotations

import os
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

_application: WSGIApplication = get_wsgi_application()
if settings.VISIT_SHORT_PATH:
    # After the apps are ready: it imports their models.
    from affiliates.api.short_path import VisitShortPath

    _application = VisitShortPath(_application)


def application(
    environ: WSGIEnvironment, start_response: StartResponse
) -> Iterable[bytes]:
    """Django, told nothing of a body's charset: every body here is read as UTF-8.

    Before any middleware or view runs, Django decodes the query by the Content-Type's
    charset, and breaks on one such as "hex".
    """
    media_type, _, parameters = environ.get("CONTENT_TYPE", "").partition(";")
    if "charset" in parameters.lower():
        environ["CONTENT_TYPE"] = media_type
    return _application(environ, start_response)
