"""Where Django finds the models of every part of the portal."""

from __future__ import annotations

from portal.billing import models as billing
from portal.billing import payment_events
from portal.clients import authenticators, open_sessions, reset_requests
from portal.clients import models as clients
from portal.orders import catalogue
from portal.orders import models as orders

__all__ = [
    "authenticators",
    "billing",
    "catalogue",
    "clients",
    "open_sessions",
    "orders",
    "payment_events",
    "reset_requests",
]
