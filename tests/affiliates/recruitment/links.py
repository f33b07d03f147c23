"""The links in the e-mails that wait to be sent."""

from __future__ import annotations

import re

from affiliates.emails.models import Email

SITE = "https://shop.example.com"


def links() -> dict[str, str]:
    """Each recipient's last link: the page's name, then what follows it."""
    return {
        one.recipient: re.search(r"https://\S+", one.text).group()  # type: ignore[union-attr] # there is one
        for one in Email.objects.order_by("pk")
    }


def token_of(recipient: str) -> str:
    return links()[recipient].rstrip("/").rsplit("/", 1)[1]
