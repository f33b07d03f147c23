"""Registration steps of clients, and clients who are their own affiliate. Pure."""

from __future__ import annotations

import re

from django.db.models import TextChoices

# RFC 5321: "name"@domain and name@domain are one mailbox.
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


class RegistrationStep(TextChoices):
    REGISTER = "register", "Registration"
    GUEST = "guest", "Guest registration"
    COMPLETE = "complete", "Completion of a guest registration"
    IMPORT = "import", "Import from another system"


def is_same_person(
    *, affiliate_user_id: str, affiliate_email: str, client_id: str, client_email: str
) -> bool:
    """Whether the affiliate is the client, or uses the client's e-mail address."""
    if affiliate_user_id == client_id:
        return True
    email = normalise_email(client_email)
    return email != "" and email == normalise_email(affiliate_email)


def normalise_email(email: str) -> str:
    """The mailbox behind an address: lower case, without quotes and a +tag."""
    local, at, domain = email.strip().casefold().rpartition("@")
    if _QUOTED.fullmatch(local):
        local = re.sub(r"\\(.)", r"\1", local[1:-1])
    return f"{local.partition('+')[0]}{at}{domain}"


def mask_email(email: str) -> str:
    """Masks an address; people who know it recognise it: ``a…@e….org``."""
    local, _, domain = email.rpartition("@")
    host, _, ending = domain.rpartition(".")
    return f"{local[:1]}…@{host[:1]}….{ending}" if local and host else ""
