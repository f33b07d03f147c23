"""What an ASGI server loads. Every secret comes from the environment or a .env."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

from affiliates.api.charset import asgi_with_readable_charset
from affiliates.telemetry.request_ids import asgi_with_request_id

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
# Every request has a thread of its own here: a connection that is kept is kept for nobody.
os.environ.setdefault("CONN_MAX_AGE", "0")

application = asgi_with_request_id(asgi_with_readable_charset(get_asgi_application()))
