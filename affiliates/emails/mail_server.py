"""Sends by any e-mail backend of the host, and reports when sending begins."""

from __future__ import annotations

import logging
import smtplib
from collections.abc import Callable
from typing import Any

from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend

logger = logging.getLogger(__name__)

# Django's own default is to wait for ever.
TIMEOUT_SECONDS = 60
NOBODY_RECEIVES = {
    f"django.core.mail.backends.{name}.EmailBackend"
    for name in ("console", "dummy", "filebased", "locmem")
}


def default_backend() -> Any:
    """Of MAILERS, which Django has since 6.1, or else of EMAIL_BACKEND. Opens nothing."""
    mailers = getattr(mail, "mailers", None)
    return mail.get_connection() if mailers is None else mailers.default


def path_of(backend: Any) -> str:
    return f"{type(backend).__module__}.{type(backend).__qualname__}"


class MailServer:
    """A connection that is kept for several e-mails."""

    def __init__(self) -> None:
        self._backend: Any = None

    def connect(self) -> None:
        """Opens the connection. Raises the backend's errors; nothing was sent then."""
        if self._backend is None:
            backend = default_backend()
            if isinstance(backend, EmailBackend) and backend.timeout is None:
                backend.timeout = TIMEOUT_SECONDS
            self._backend = backend
        self._backend.open()

    def send(self, message: EmailMessage, *, hand_over: Callable[[], None]) -> None:
        """Sends it. Calls ``hand_over`` at the last moment before anything is sent.

        With SMTP that is after sender and recipient were accepted, and before the text.
        Raises the errors of ``hand_over`` and of the backend.
        """
        server = getattr(self._backend, "connection", None)
        if isinstance(server, smtplib.SMTP):
            _before_data(server, hand_over)
        else:
            hand_over()
        if self._backend.send_messages([message]) == 0:
            raise NothingSent

    def close(self) -> None:
        """Closes the connection. Ignores faults: the e-mails are sent already."""
        backend, self._backend = self._backend, None
        if backend is None:
            return
        try:
            backend.close()
        except Exception as error:  # noqa: BLE001 - any error of a host's backend
            logger.info("The mail server's connection: %s", type(error).__name__)


class NothingSent(Exception):  # noqa: N818 - says what happened
    """The backend reports that it sent no e-mail."""


def _before_data(server: smtplib.SMTP, act: Callable[[], None]) -> None:
    send_data = type(server).data

    def data(message: Any) -> Any:
        act()
        return send_data(server, message)

    # For this e-mail only: it is set again for the next one.
    vars(server)["data"] = data
