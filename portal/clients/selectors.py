from __future__ import annotations

from portal.clients.models import User
from portal.ids import parse_id


def find_client(client_id: str) -> User | None:
    """The client or guest with this id; never a member of staff."""
    user_id = parse_id(client_id)
    if user_id is None:
        return None
    return User.objects.filter(pk=user_id, brand__isnull=False).first()
