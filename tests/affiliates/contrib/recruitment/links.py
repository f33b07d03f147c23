"""The links of the e-mails that wait to be sent: opened as when they are handed over."""

from __future__ import annotations

import re

from affiliates.emails.links import open_link
from affiliates.emails.models import Email

SITE = "https://shop.example.com"


def links() -> dict[str, str]:
    """Each recipient's last link: the page's name, then what follows it."""
    written = Email.objects.exclude(text="").order_by("pk")
    return {
        one.recipient: open_link(one.link) or re.findall(r"https?://\S+", one.text)[0]
        for one in written
    }


def token_of(recipient: str) -> str:
    return links()[recipient].rstrip("/").rsplit("/", 1)[1]
