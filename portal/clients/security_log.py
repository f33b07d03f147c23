"""``portal.security``: a line about each login, log-out, code and changed password.

Without an address: the line's request id leads to the line of the server in front.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.utils.crypto import salted_hmac

logger = logging.getLogger("portal.security")

SALT = "portal.security_log"


def note_logged_in(sender: Any, user: Any, **kwargs: Any) -> None:
    """Receives ``user_logged_in``."""
    logger.info("Logged in", extra={"user": str(user.pk), "by": "password"})


def note_login_failed(sender: Any, credentials: Mapping[str, Any], **_: Any) -> None:
    """Receives ``user_login_failed``. What was typed may be a password: a keyed hash."""
    email = credentials.get("email") or credentials.get("username") or ""
    typed = f"{credentials.get('brand_id', '')}:{email}".lower()
    hashed = salted_hmac(SALT, typed, algorithm="sha256").hexdigest()[:16]
    logger.warning("Login failed", extra={"account": hashed})


def note_logged_out(sender: Any, user: Any, **kwargs: Any) -> None:
    """Receives ``user_logged_out``."""
    if user is not None:
        logger.info("Logged out", extra={"user": str(user.pk)})


def note_token(user: Any) -> None:
    logger.info("Logged in", extra={"user": str(user.pk), "by": "password for a token"})


def note_confirmed(user: Any) -> None:
    logger.info("Password confirmed", extra={"user": str(user.pk)})


def note_code(user: Any, *, is_right: bool) -> None:
    said = {"user": str(user.pk)}
    if is_right:
        logger.info("Second factor passed", extra=said)
    else:
        logger.warning("Second factor failed", extra=said)


def note_changed(user: Any, what: str, *, is_by_staff: bool) -> None:
    said = {"user": str(user.pk), "changed": what, "is_by_staff": is_by_staff}
    logger.info("Credentials changed", extra=said)
