"""Where Django finds the admin pages of every part of the portal."""

from __future__ import annotations

from portal.billing import admin as billing_admin
from portal.billing import order_admin
from portal.clients import admin as clients_admin
from portal.orders import admin as orders_admin

__all__ = ["billing_admin", "clients_admin", "order_admin", "orders_admin"]
