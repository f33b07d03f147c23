"""What an ASGI server loads. Every secret comes from the environment or a .env."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

from affiliates.api.charset import asgi_with_readable_charset
from affiliates.clock import refuse_wrong_clock
from affiliates.telemetry.request_ids import asgi_with_request_id

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
# Every request has a thread of its own here: a connection that is kept is kept for nobody.
os.environ.setdefault("CONN_MAX_AGE", "0")

_application: Any = get_asgi_application()
refuse_wrong_clock()
if settings.VISIT_SHORT_PATH:
    # After the apps are ready: it imports their models.
    from affiliates.api.short_path import AsyncVisitShortPath

    _application = AsyncVisitShortPath(_application)
application = asgi_with_request_id(asgi_with_readable_charset(_application))
