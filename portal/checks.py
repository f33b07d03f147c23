"""What must not go live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register


@register(Tags.security, deploy=True)
def check_demo_gateway(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    """The demonstration's bank pays whatever is asked."""
    if not settings.DEMO_GATEWAY:
        return []
    return [
        Error(
            "DEMO_GATEWAY is on: everybody can mark every invoice paid.",
            hint="Set DEMO_GATEWAY=off, or leave it out of the environment.",
            id="portal.E001",
        )
    ]
