"""What must not go live, and what was meant to be set and is not."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

PREFIX = "AFFILIATES_"


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
