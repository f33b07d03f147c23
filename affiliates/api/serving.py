"""The layers around a host's WSGI or ASGI application, for ``wsgi.py`` and ``asgi.py``.

From the outside: the request's id, readable charsets, and with ``short_path`` the plain
visits, which are answered before Django. Make the application by Django's function
first. Raises WrongClock if the machine's clock is too far from the database's.
"""

from __future__ import annotations

from wsgiref.types import WSGIApplication

from affiliates.api.charset import (
    ASGIApplication,
    asgi_with_readable_charset,
    wsgi_with_readable_charset,
)
from affiliates.db.clock import refuse_wrong_clock
from affiliates.telemetry.request_ids import (
    asgi_with_request_id,
    wsgi_with_request_id,
)


def wrap_wsgi(application: WSGIApplication, *, short_path: bool) -> WSGIApplication:
    refuse_wrong_clock()
    if short_path:
        # After the apps are ready: it imports their models.
        from affiliates.api.short_path import VisitShortPath

        application = VisitShortPath(application)
    return wsgi_with_request_id(wsgi_with_readable_charset(application))


def wrap_asgi(application: ASGIApplication, *, short_path: bool) -> ASGIApplication:
    refuse_wrong_clock()
    if short_path:
        from affiliates.api.short_path import AsyncVisitShortPath

        application = AsyncVisitShortPath(application)
    return asgi_with_request_id(asgi_with_readable_charset(application))
