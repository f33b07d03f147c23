"""Addresses of ours that stand for the links of an announcement in one e-mail."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse

from affiliates.contrib.announcements.models import Announcement, AnnouncementRecipient
from affiliates.emails.links import site_url
from affiliates.encrypted.columns import Purpose, SecretUnreadable

_LINK = Purpose(b"affiliates.announcement_link.v1")


class LinkInEmail(NamedTuple):
    announcement_id: int
    recipient_id: int
    number: int


def addresses_for(recipient: AnnouncementRecipient) -> dict[str, str]:
    """The address of each URL; empty if the public address of this site is unknown."""
    announcement = recipient.announcement
    site = site_url(announcement.brand)
    return {
        url: f"{site}{path_of(LinkInEmail(announcement.pk, recipient.pk, number))}"
        for number, url in enumerate(announcement.links)
        if site
    }


def path_of(link: LinkInEmail) -> str:
    token = _LINK.encrypt(":".join(map(str, link)).encode())
    return reverse("affiliates:announcement_link", args=[token])


def link_of(token: str) -> LinkInEmail | None:
    """None for a foreign token."""
    try:
        return LinkInEmail(*map(int, _LINK.decrypt(token).split(b":")))
    except SecretUnreadable:
        return None


def url_of(link: LinkInEmail) -> str | None:
    """The URL in the announcement's text: a link leads nowhere else."""
    sent = Announcement.objects.filter(pk=link.announcement_id)
    urls = sent.values_list("links", flat=True).first() or []
    return urls[link.number] if link.number < len(urls) else None
