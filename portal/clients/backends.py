"""Whose session a request carries: staff's of the admin, or a client's of the shop."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import BaseBackend, ModelBackend
from django.contrib.auth.models import AnonymousUser

from portal.clients.models import User


class EmailBackend(ModelBackend):
    """Django's own, which asks the manager's natural key: staff alone have one."""

    def user_can_authenticate(self, user: User | AnonymousUser | None) -> bool:
        # Checked again for every page: former staff are logged out.
        is_staff = isinstance(user, User) and user.is_staff and user.brand_id is None
        return is_staff and super().user_can_authenticate(user)


class ClientBackend(BaseBackend):
    """Knows a session's client again; ``portal.clients.sessions`` has let them in."""

    def get_user(self, user_id: Any) -> User | None:
        clients = User.objects.select_related("brand").filter(
            is_guest=False, is_active=True, brand__is_active=True
        )
        return clients.filter(pk=user_id).first()
