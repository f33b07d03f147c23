"""System checks: settings that must not go live, unusable values, mistyped names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.http.request import validate_host

PREFIX = "AFFILIATES_"
CONTACTS = ("mailto:", "https://", "tel:")


@register(Tags.security, deploy=True)
def check_demo_gateway(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    """The demonstration's bank accepts every payment."""
    if not settings.DEMO_GATEWAY:
        return []
    return [
        Error(
            "DEMO_GATEWAY is on: everybody can mark every invoice paid.",
            hint="Set DEMO_GATEWAY=off, or leave it out of the environment.",
            id="portal.E001",
        )
    ]


@register(Tags.security)
def check_hosts_and_contacts(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Hosts that would be refused, and contacts that readers of RFC 9116 reject."""
    refused: list[CheckMessage] = [
        Error(
            f"ALLOWED_HOSTS has no {host}, which ADMIN_HOSTS names.",
            hint="Add it to ALLOWED_HOSTS: the admin answers on no host until then.",
            id="portal.E002",
        )
        for host in settings.ADMIN_HOSTS
        if not validate_host(host.removeprefix("."), settings.ALLOWED_HOSTS)
    ]
    return refused + [
        Error(
            f"SECURITY_CONTACT has {contact!r}, which is no address of security.txt.",
            hint="Write mailto:security@example.com, or a page as https://...",
            id="portal.E003",
        )
        for contact in settings.SECURITY_CONTACT
        if not contact.startswith(CONTACTS)
    ]


@register
def check_breached_passwords(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Without the file every registration would fail."""
    path = settings.BREACHED_PASSWORDS_FILE
    if not path or os.access(path, os.R_OK):
        return []
    return [
        Error(
            f"BREACHED_PASSWORDS_FILE is {path!r}, which cannot be read.",
            hint="Put the file there, or leave the setting out.",
            id="portal.E004",
        )
    ]


@register
def check_environment(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    """A variable with a mistyped name is left out without a word."""
    from portal.settings import env

    known = sorted(name for name in env.names if name.startswith(PREFIX))
    return [
        Warning(
            f"The portal reads no {name} from the environment.",
            hint=f"Write one of {', '.join(get_close_matches(name, known, n=1) or known)}.",
            id="portal.W001",
        )
        for name in sorted(os.environ)
        if name.startswith(PREFIX) and name not in known
    ]
