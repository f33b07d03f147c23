"""The links in e-mails, including those only the recipient may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import NoReverseMatch, reverse

from affiliates.admin_tools.naming import page_name
from affiliates.brands.images import picture_url
from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.emails.kinds import KINDS
from affiliates.emails.models import Email
from affiliates.emails.types import EmailKind
from affiliates.encrypted.columns import Purpose, SecretUnreadable, register_column

_UNSUBSCRIBE = Purpose(b"affiliates.unsubscribe.v1")
_LINK = Purpose(b"affiliates.email_link.v1")

register_column("affiliates.Email", "link", purpose=_LINK)


class LinkUnreadable(Exception):
    """The key that encrypted the link is gone, so the e-mail cannot be sent."""


def site_url(brand: Brand) -> str:
    """The public address of this site, without a path; "" if unknown."""
    return conf.site_url.rstrip("/") or brand.client_area_url() or ""


def page_url(kind: EmailKind, values: Mapping[str, Any], brand: Brand) -> str:
    """The page that the e-mail's button opens; "" if the host does not have it.

    It grants no access: a reader who is not signed in is asked to.
    """
    known = KINDS[kind]
    button = known.button
    page = button.page.format(**values)
    arguments = [values[button.row]] if button.row else []
    if known.is_for_staff:
        return _url(site_url(brand), page_name(page, "change"), arguments)
    url = area_url(brand, page, *arguments)
    return f"{url}?{button.query.format(**values)}" if url and button.query else url


def area_url(brand: Brand, page: str, *arguments: Any) -> str:
    """A page of the affiliate's area, which is on the client area's host alone."""
    return _url(brand.client_area_url() or "", f"affiliates_area:{page}", arguments)


def _url(site: str, name: str, arguments: Sequence[Any]) -> str:
    try:
        path = reverse(name, args=arguments)
    except NoReverseMatch:
        return ""
    return f"{site}{path}" if site else ""


def logo_url(brand: Brand) -> str:
    """The brand's logo, the same for each recipient; "" if it has none."""
    url = picture_url(brand.logo, base=site_url(brand)) or ""
    return url if url.startswith("http") else ""


def has_unsubscribe_url(email: Email) -> bool:
    """Whether its kind can be turned off by one click."""
    return bool(_site_to_unsubscribe(email))


def unsubscribe_url(email: Email) -> str:
    """The page that turns off its kind by one click; "" if that is impossible."""
    site = _site_to_unsubscribe(email)
    if not site:
        return ""
    token = _UNSUBSCRIBE.encrypt(str(email.pk).encode())
    return f"{site}{reverse('affiliates:email_unsubscribe', args=[token])}"


def _site_to_unsubscribe(email: Email) -> str:
    if not email.kind or email.brand is None or email.affiliate_id is None:
        return ""
    return site_url(email.brand) if KINDS[EmailKind(email.kind)].is_optional else ""


def seal_link(link: str) -> str:
    """The link encrypted for storage, "" for none."""
    return _LINK.encrypt(link.encode()) if link else ""


def open_link(sealed: str) -> str:
    """Decrypts a stored link. Raises LinkUnreadable."""
    if not sealed:
        return ""
    try:
        return _LINK.decrypt(sealed).decode()
    except SecretUnreadable:
        raise LinkUnreadable from None


def email_of(token: str) -> Email | None:
    """The e-mail that contains this unsubscribe token; None for a foreign token."""
    try:
        key = _UNSUBSCRIBE.decrypt(token)
    except SecretUnreadable:
        return None
    sent = Email.objects.select_related("brand", "affiliate")
    return sent.filter(pk=int(key), affiliate__isnull=False).first()
