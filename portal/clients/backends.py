"""Login to the admin: staff, by e-mail. Clients log in through the API."""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser

from portal.clients.models import User


class EmailBackend(ModelBackend):
    """Django's own, which asks the manager's natural key: staff alone have one."""

    def user_can_authenticate(self, user: User | AnonymousUser | None) -> bool:
        # Asked again with every page: whoever is staff no longer is logged out.
        is_staff = isinstance(user, User) and user.is_staff and user.brand_id is None
        return is_staff and super().user_can_authenticate(user)
