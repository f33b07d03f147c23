"""The links in e-mails, including those only the recipient may read."""

from __future__ import annotations

from cryptography.fernet import InvalidToken
from django.urls import reverse

from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.core.secrets.encryption import cipher
from affiliates.emails.kinds import KINDS
from affiliates.emails.models import Email
from affiliates.emails.types import EmailKind

_SALT = b"affiliates.unsubscribe.v1"
_LINK_SALT = b"affiliates.email_link.v1"


class LinkUnreadable(Exception):
    """The key that encrypted the link is gone, so the e-mail cannot be sent."""


def site_url(brand: Brand) -> str:
    """The public address of this site, without a path; "" if unknown."""
    return conf.site_url.rstrip("/") or brand.client_area_url() or ""


def unsubscribe_url(email: Email) -> str:
    """The page that turns off its kind by one click; "" if that is impossible."""
    if not email.kind or email.brand is None or email.affiliate_id is None:
        return ""
    site = site_url(email.brand)
    if not site or not KINDS[EmailKind(email.kind)].is_optional:
        return ""
    token = cipher(conf.secret_keys, salt=_SALT).encrypt(str(email.pk).encode())
    return f"{site}{reverse('affiliates:email_unsubscribe', args=[token.decode()])}"


def seal_link(link: str) -> str:
    """The link encrypted for storage, "" for none."""
    if not link:
        return ""
    return cipher(conf.secret_keys, salt=_LINK_SALT).encrypt(link.encode()).decode()


def open_link(sealed: str) -> str:
    """Decrypts a stored link. Raises LinkUnreadable."""
    if not sealed:
        return ""
    try:
        link = cipher(conf.secret_keys, salt=_LINK_SALT).decrypt(sealed.encode())
    except InvalidToken:
        raise LinkUnreadable from None
    return link.decode()


def email_of(token: str) -> Email | None:
    """The e-mail that contains this unsubscribe token; None for a foreign token."""
    try:
        key = cipher(conf.secret_keys, salt=_SALT).decrypt(token.encode())
    except InvalidToken:
        return None
    sent = Email.objects.select_related("brand", "affiliate")
    return sent.filter(pk=int(key), affiliate__isnull=False).first()
