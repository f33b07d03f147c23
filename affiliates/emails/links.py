"""The links in e-mails, including those only the recipient may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse

from affiliates.admin_tools.naming import page_name
from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.emails.kinds import KINDS
from affiliates.emails.models import Email
from affiliates.emails.types import EmailKind
from affiliates.encrypted.columns import Purpose, SecretUnreadable, register_column
from affiliates.uploads.images import picture_url

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
    is_for_staff = KINDS[kind].is_for_staff
    site = site_url(brand) if is_for_staff else brand.client_area_url()
    path = page_path(kind, values)
    return f"{site}{path}" if site and path else ""


def page_path(kind: EmailKind, values: Mapping[str, Any]) -> str:
    """The path of that page; "" if ``values`` are incomplete."""
    known = KINDS[kind]
    button = known.button
    try:
        page = button.page.format(**values)
        arguments = [values[button.row]] if button.row else []
        query = {name: values[name] for name in button.query}
    except KeyError:
        return ""
    name = page_name(page, "change") if known.is_for_staff else _in_area(page)
    path = _path(name, arguments)
    return f"{path}?{urlencode(query)}" if path and query else path


def area_url(brand: Brand, page: str) -> str:
    """A page of the affiliate's area, which is on the client area's host alone."""
    site, path = brand.client_area_url(), _path(_in_area(page))
    return f"{site}{path}" if site and path else ""


def _in_area(page: str) -> str:
    return f"affiliates_area:{page}"


def _path(name: str, arguments: Sequence[Any] = ()) -> str:
    try:
        return reverse(name, args=arguments)
    except NoReverseMatch:
        return ""


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
