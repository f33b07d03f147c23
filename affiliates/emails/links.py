"""The addresses that e-mails lead to, and the signed one that needs no login."""

from __future__ import annotations

from cryptography.fernet import InvalidToken
from django.urls import reverse

from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.core.encryption import cipher
from affiliates.emails.kinds import KINDS
from affiliates.emails.models import Email
from affiliates.emails.types import EmailKind

_SALT = b"affiliates.unsubscribe.v1"


def site_url(brand: Brand) -> str:
    """Where people reach this site, without a path; "" where nobody says."""
    return conf.site_url.rstrip("/") or brand.client_area_url() or ""


def unsubscribe_url(email: Email) -> str:
    """Where one click switches its kind off; "" where that cannot be done."""
    if not email.kind or email.affiliate_id is None:
        return ""
    site = site_url(email.brand)
    if not site or not KINDS[EmailKind(email.kind)].is_optional:
        return ""
    token = cipher(conf.secret_keys, salt=_SALT).encrypt(str(email.pk).encode())
    return f"{site}{reverse('affiliates:email_unsubscribe', args=[token.decode()])}"


def email_of(token: str) -> Email | None:
    """The e-mail that an address leads from; None for one that we have not made."""
    try:
        key = cipher(conf.secret_keys, salt=_SALT).decrypt(token.encode())
    except InvalidToken:
        return None
    sent = Email.objects.select_related("brand", "affiliate")
    return sent.filter(pk=int(key), affiliate__isnull=False).first()
