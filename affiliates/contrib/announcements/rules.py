"""States and reasons of announcements, and the links in their texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import TextChoices

# A sentence may end or close a bracket after an address.
URL = re.compile(r"""(https?://[^\s<>"]*[^\s<>".,:;!?)\]}'])""")


class AnnouncementState(TextChoices):
    DRAFT = "draft", "Draft"
    SENDING = "sending", "Being sent"
    SENT = "sent", "Sent"


class LeftOut(TextChoices):
    NOT_ACTIVE = "not_active", "Not active: applied, suspended or left"
    SWITCHED_OFF = "switched_off", "Has switched announcements off"
    NO_ADDRESS = "no_address", "Has no e-mail address"
    ONE_TODAY = "one_today", "Has an announcement of today already"


def urls_in(texts: Iterable[str]) -> list[str]:
    """Every URL of the texts once, in their order."""
    return list(dict.fromkeys(url for text in texts for url in URL.findall(text)))


def parts_of(text: str, addresses: Mapping[str, str]) -> Sequence[Mapping[str, str]]:
    """The text in parts. A URL has the address of its link, or else leads to itself."""
    return [
        {"text": part, "url": addresses.get(part, part) if number % 2 else ""}
        # Every second part is a URL.
        for number, part in enumerate(URL.split(text))
        if part
    ]
