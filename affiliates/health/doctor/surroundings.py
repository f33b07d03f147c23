"""What stands around the app: the adapter, the cache, the mail server, the files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import cache
from django.core.checks import CheckMessage
from django.core.files.storage import FileSystemStorage, storages
from django.core.mail import get_connection

from affiliates.adapter import get_adapter
from affiliates.brands.images import PUBLIC_STORAGE
from affiliates.emails.mail_server import NOBODY_RECEIVES
from affiliates.health.doctor.findings import error, warning

APP = "affiliates"
FILES = ("affiliates/referral.js", "affiliates/admin.css")
SMTP = "django.core.mail.backends.smtp.EmailBackend"
NOBODYS_ADDRESS = "webmaster@localhost"
CACHE_SECONDS = 60
MAIL_SECONDS = 5


def adapter(now: datetime) -> Iterator[CheckMessage]:
    try:
        get_adapter()
    except Exception as fault:  # noqa: BLE001 - the host's class may raise anything
        yield error(
            "D014",
            f"The adapter cannot be made: {type(fault).__name__}: {fault}",
            "Mend its constructor; manage.py check looks at the rest.",
        )


def counts(now: datetime) -> Iterator[CheckMessage]:
    """The cache keeps a number from one call to the next."""
    key = f"affiliates:doctor:{uuid4().hex}"
    remedy = "Mend CACHES: without it no caller is limited."
    try:
        cache.add(key, 1, CACHE_SECONDS)
        cache.incr(key)
        kept = cache.get(key)
        cache.delete(key)
    except Exception as fault:  # noqa: BLE001 - each backend has errors of its own
        yield error(
            "D011", f"The cache does not count: {type(fault).__name__}: {fault}", remedy
        )
        return
    if kept != 2:
        yield error("D011", f"The cache counted 2 calls as {kept}.", remedy)


def mail(now: datetime) -> Iterator[CheckMessage]:
    backend = settings.EMAIL_BACKEND
    if backend in NOBODY_RECEIVES:
        yield warning(
            "D012",
            f"EMAIL_BACKEND is {backend}: nobody receives an e-mail, as when the "
            "destination of a payout is changed.",
            "Name a mail server.",
        )
    if settings.DEFAULT_FROM_EMAIL == NOBODYS_ADDRESS:
        yield warning(
            "D012",
            f"E-mails come from {NOBODYS_ADDRESS}: mail servers refuse them.",
            "Write an address of yours in DEFAULT_FROM_EMAIL.",
        )
    if backend == SMTP:
        yield from _mail_server()


def _mail_server() -> Iterator[CheckMessage]:
    """Greeted and left again; nothing is sent."""
    server = get_connection(timeout=MAIL_SECONDS)
    try:
        server.open()
    except OSError as fault:
        yield error(
            "D012",
            f"The mail server {settings.EMAIL_HOST}:{settings.EMAIL_PORT} does not "
            f"take us: {type(fault).__name__}.",
            "Mend EMAIL_HOST, EMAIL_PORT, the user or its password.",
        )
    finally:
        server.close()


def files(now: datetime) -> Iterator[CheckMessage]:
    if not settings.STATIC_ROOT:
        return  # Served from the packages, where they are.
    for name in FILES:
        source = finders.find(name)
        if not isinstance(source, str):
            continue
        if not staticfiles_storage.exists(name):
            problem = f"{name} is not among the collected files."
        elif _collected(name) != Path(source).read_bytes():
            problem = f"{name} was collected from another version."
        else:
            continue
        yield error("D013", problem, "Run manage.py collectstatic.")


def uploads(now: datetime) -> Iterator[CheckMessage]:
    """Folders alone: what else holds files would have to be written to."""
    for alias in ("default", PUBLIC_STORAGE):
        storage = storages[alias] if alias in storages.backends else None
        if isinstance(storage, FileSystemStorage) and not _is_writable(storage):
            yield error(
                "D024",
                f"Nothing can be written to {storage.location}: logos, creatives and "
                "large lists are kept there.",
                "Name a folder in MEDIA_ROOT that the services may write to and that "
                "outlives a release.",
            )


def _is_writable(storage: FileSystemStorage) -> bool:
    """Its folder, or the one above in which the first upload makes it."""
    place = Path(storage.location) / APP
    there = next(path for path in (place, *place.parents) if path.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _collected(name: str) -> bytes:
    with staticfiles_storage.open(name) as file:
        content: bytes = file.read()
    return content
