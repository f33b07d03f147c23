"""The .env of a development machine: made once, never touched again."""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path

SECRET_KEY_BYTES = 48
COOKIE_KEY_BYTES = 32
WEBHOOK_SECRET_BYTES = 32
OWNER_ONLY = 0o600

MISSING_SECRETS = (
    "SECRET_KEY and AFFILIATES_COOKIE_KEYS are not set. Set both in the environment "
    "(docs/settings.md), or run `python manage.py check` once: it writes a .env for "
    "development."
)


def write_development_environment(path: Path) -> bool:
    """Write generated secrets to ``path`` unless it exists. True when it was written."""
    try:
        # O_EXCL: two first runs at once leave one file, complete and private.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(development_environment())
    return True


def development_environment() -> str:
    values = {
        "SECRET_KEY": secrets.token_urlsafe(SECRET_KEY_BYTES),
        "AFFILIATES_COOKIE_KEYS": f"1:{_random_base64(COOKIE_KEY_BYTES)}",
        "HTTPS": "off",
        "DEMO_GATEWAY": "on",
        "PAYMENT_WEBHOOK_SECRET_DEMO": f"whsec_{_random_base64(WEBHOOK_SECRET_BYTES)}",
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def _random_base64(length: int) -> str:
    return base64.b64encode(secrets.token_bytes(length)).decode("ascii")
