"""What a WSGI server loads. Every secret comes from the environment or a .env."""

from __future__ import annotations

import os
from wsgiref.types import WSGIApplication

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from affiliates.api.charset import wsgi_with_readable_charset
from affiliates.telemetry.request_ids import wsgi_with_request_id

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

_application: WSGIApplication = get_wsgi_application()
if settings.VISIT_SHORT_PATH:
    # After the apps are ready: it imports their models.
    from affiliates.api.short_path import VisitShortPath

    _application = VisitShortPath(_application)
application = wsgi_with_request_id(wsgi_with_readable_charset(_application))
