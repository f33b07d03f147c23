"""The cache, the mail server and the files."""

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
from django.core.files.storage import FileSystemStorage, storages
from django.core.mail.backends.smtp import EmailBackend
from django.db import DEFAULT_DB_ALIAS

from affiliates.conf import conf
from affiliates.emails.mail_server import NOBODY_RECEIVES, default_backend, path_of
from affiliates.operations.health.findings import Finding, error, is_a, warning
from affiliates.operations.health.registry import Needs, register
from affiliates.telemetry.counters import MULTIPROCESS
from affiliates.uploads.images import PUBLIC_STORAGE

APP = "affiliates"
FILES = ("affiliates/referral.js", "affiliates/admin.css")
NOBODYS_ADDRESS = "webmaster@localhost"
CACHE_SECONDS = 60
MAIL_SECONDS = 5
DUMMY_CACHE = "django.core.cache.backends.dummy.DummyCache"
PROCESS_CACHE = "django.core.cache.backends.locmem.LocMemCache"
# By which servers are told how many processes to start.
PROCESS_COUNTS = ("WEB_CONCURRENCY", "GRANIAN_WORKERS")


@register(Needs.SETTINGS)
def shared_cache() -> Iterator[Finding]:
    backend = settings.CACHES.get("default", {}).get("BACKEND", "")
    if is_a(backend, DUMMY_CACHE):
        yield warning(
            "W006",
            "CACHES keeps nothing: no caller is ever limited.",
            "Use a cache that counts, such as Redis; where nothing shall be limited, "
            "write the endpoints' rates as empty texts in AFFILIATES_THROTTLE_RATES.",
        )
    is_atomic = settings.DATABASES.get(DEFAULT_DB_ALIAS, {}).get("ATOMIC_REQUESTS")
    for name in PROCESS_COUNTS if is_atomic and is_a(backend, PROCESS_CACHE) else ():
        count = os.environ.get(name, "")
        if count.isdecimal() and int(count) > 1:
            yield warning(
                "W006",
                f"CACHES is kept by each of the {count} processes ({name}) for itself, "
                "and with ATOMIC_REQUESTS calls are not counted in the database: "
                f"callers are admitted up to {count} times as often as they should be.",
                "Use a cache that all processes share, such as Redis.",
            )


@register(Needs.SETTINGS, reads=("metrics_token",))
def shared_counters() -> Iterator[Finding]:
    if not conf.metrics_token:
        return
    folder = os.environ.get(MULTIPROCESS)
    if folder is None:
        for name in PROCESS_COUNTS:
            count = os.environ.get(name, "")
            if count.isdecimal() and int(count) > 1:
                yield warning(
                    "W012",
                    f"Each of the {count} processes ({name}) has counters of its own: "
                    "/metrics shows those of the one that answers.",
                    f"Name a folder in {MULTIPROCESS} that is emptied before each start.",
                )
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield warning(
            "W012",
            f"{MULTIPROCESS} is {folder}, where nothing can be written: nothing is "
            "counted.",
            "Make the folder before the processes start, writable for them.",
        )


@register(Needs.SERVICES)
def counts(now: datetime) -> Iterator[Finding]:
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


@register(Needs.SERVICES)
def mail(now: datetime) -> Iterator[Finding]:
    backend = default_backend()
    if (path := path_of(backend)) in NOBODY_RECEIVES:
        yield warning(
            "D012",
            f"E-mails go to {path}: nobody receives one, as when the destination of a "
            "payout is changed.",
            "Name a mail server.",
        )
    if settings.DEFAULT_FROM_EMAIL == NOBODYS_ADDRESS:
        yield warning(
            "D012",
            f"E-mails come from {NOBODYS_ADDRESS}: mail servers refuse them.",
            "Write an address of yours in DEFAULT_FROM_EMAIL.",
        )
    if type(backend) is EmailBackend:
        yield from _mail_server(backend)


def _mail_server(server: EmailBackend) -> Iterator[Finding]:
    """Greeted and left again; nothing is sent."""
    server.timeout = MAIL_SECONDS
    try:
        server.open()
    except OSError as fault:
        yield error(
            "D012",
            f"The mail server {server.host}:{server.port} does not take us: "
            f"{type(fault).__name__}.",
            "Mend its host, its port, the user or the password.",
        )
    finally:
        server.close()


@register(Needs.SERVICES)
def files(now: datetime) -> Iterator[Finding]:
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


@register(Needs.SERVICES)
def uploads(now: datetime) -> Iterator[Finding]:
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
