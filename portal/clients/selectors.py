from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from portal.clients.models import User
from portal.ids import parse_id


def find_client(client_id: str) -> User | None:
    """The client or guest with this id; never a member of staff."""
    user_id = parse_id(client_id)
    if user_id is None:
        return None
    return User.objects.filter(pk=user_id, brand__isnull=False).first()


def find_clients(client_ids: Collection[str]) -> QuerySet[User]:
    """Returns the existing clients and guests with these ids."""
    ids = filter(None, map(parse_id, client_ids))
    return User.objects.filter(pk__in=ids, brand__isnull=False)


def staff_language(email: str) -> str:
    staff = User.objects.with_email(email).filter(is_staff=True)
    return staff.values_list("language", flat=True).first() or ""


def clients_with_emails(emails: Collection[str], *, brand_id: int) -> dict[str, User]:
    """The brand's clients, no guests, by those of these addresses in small letters."""
    of_brand = User.objects.filter(brand=brand_id, is_guest=False)
    users = of_brand.annotate(lower_email=Lower("email")).filter(lower_email__in=emails)
    return {user.lower_email: user for user in users}


def search_clients(text: str, *, brand_id: int | None = None) -> QuerySet[User]:
    """By the whole e-mail where somebody has it; else by a part of it or of the name."""
    of_brand = Q(brand__isnull=False) if brand_id is None else Q(brand=brand_id)
    text = text.strip()
    by_email = User.objects.with_email(text).filter(of_brand)
    if by_email.exists():
        return by_email
    is_meant = Q()
    for word in text.split():
        is_meant &= (
            Q(email__icontains=word)
            | Q(firstname__icontains=word)
            | Q(lastname__icontains=word)
        )
    clients = User.objects.filter(of_brand)
    return clients.filter(is_meant) if is_meant else clients.none()
