"""The application of an ASGI server. Secrets come from the environment or a .env."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

from affiliates.api.serving import wrap_asgi

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
# Every request has a thread of its own here: a connection that is kept is kept for nobody.
os.environ.setdefault("CONN_MAX_AGE", "0")

application = wrap_asgi(get_asgi_application(), short_path=settings.VISIT_SHORT_PATH)
