"""The application of a WSGI server. Secrets come from the environment or a .env."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from affiliates.api.serving import wrap_wsgi

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

application = wrap_wsgi(get_wsgi_application(), short_path=settings.VISIT_SHORT_PATH)
