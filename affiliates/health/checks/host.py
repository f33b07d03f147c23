"""What the host has installed beside us: time, databases, cache, tasks, middleware."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from inspect import isclass
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.checks import CheckMessage
from django.db import DEFAULT_DB_ALIAS, connections, router
from django.utils.module_loading import import_string

from affiliates.health.checks.findings import is_a, message
from affiliates.health.checks.urls import endpoints, routes
from affiliates.hooks import own_apps

DATABASES = ("postgresql", "sqlite")
DUMMY_CACHE = "django.core.cache.backends.dummy.DummyCache"
PROCESS_CACHE = "django.core.cache.backends.locmem.LocMemCache"
# By which servers are told how many processes to start.
PROCESS_COUNTS = ("WEB_CONCURRENCY", "GRANIAN_WORKERS")
# The app whose tables or queues a backend of django-tasks works with.
TASK_APPS = {"django_tasks_db": "django_tasks_db", "django_tasks_rq": "django_rq"}
# What a middleware that answers both ways mentions in one of its names.
ASYNC_NAMES = ("async", "coroutine", "acall")


def time_zones() -> Iterator[CheckMessage]:
    if not settings.USE_TZ:
        yield message(
            "E013",
            "USE_TZ is False: every visit would fail, and nobody could say which of "
            "two clicks came first when clocks go back.",
            "Write USE_TZ = True. Django then stores UTC and shows TIME_ZONE.",
        )


def databases() -> Iterator[CheckMessage]:
    vendor = connections[DEFAULT_DB_ALIAS].vendor
    if vendor not in DATABASES:
        yield message(
            "E014",
            f'The database "{DEFAULT_DB_ALIAS}" is {vendor}: the rows of money could '
            "be changed there, and visits would fail.",
            "Use PostgreSQL or SQLite.",
        )
    own_models = [model for app in own_apps() for model in app.get_models()]
    names: dict[str, list[str]] = {}
    for model in (*own_models, get_user_model()):
        alias = router.db_for_write(model)
        if alias != DEFAULT_DB_ALIAS:
            names.setdefault(f'writes {{}} to "{alias}"', []).append(model._meta.label)
        elif not router.allow_migrate_model(DEFAULT_DB_ALIAS, model):
            names.setdefault(
                f'makes no table for {{}} in "{DEFAULT_DB_ALIAS}"', []
            ).append(model._meta.label)
    for problem, labels in names.items():
        more = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
        yield message(
            "E014",
            f"DATABASE_ROUTERS {problem.format(labels[0] + more)}: a sale, its "
            "commission and its client would not be of one transaction.",
            f'Have the router answer "{DEFAULT_DB_ALIAS}" to db_for_write for the user '
            "model and for every model of affiliates; replicas may be read from.",
        )


def cache() -> Iterator[CheckMessage]:
    backend = settings.CACHES.get("default", {}).get("BACKEND", "")
    if is_a(backend, DUMMY_CACHE):
        yield message(
            "W006",
            "CACHES keeps nothing: no caller is ever limited.",
            "Use a cache that counts, such as Redis; where nothing shall be limited, "
            "write the endpoints' rates as empty texts in AFFILIATES_THROTTLE_RATES.",
        )
    for name in PROCESS_COUNTS:
        count = os.environ.get(name, "")
        if count.isdecimal() and int(count) > 1 and is_a(backend, PROCESS_CACHE):
            yield message(
                "W006",
                f"CACHES is kept by each of the {count} processes ({name}) for itself: "
                f"callers are admitted up to {count} times as often as they should be.",
                "Use a cache that all processes share, such as Redis.",
            )


def tasks() -> Iterator[CheckMessage]:
    backends: Any = getattr(settings, "TASKS", {})
    for alias, options in backends.items() if isinstance(backends, Mapping) else ():
        package = str(options.get("BACKEND", "")).partition(".")[0]
        app = TASK_APPS.get(package)
        if app is not None and not apps.is_installed(app):
            yield message(
                "E017",
                f'The backend of TASKS["{alias}"] works with the app "{app}", which is '
                "not installed: no task would ever be run.",
                f'Write "{app}" in INSTALLED_APPS and run migrate.',
            )


def authentication() -> Iterator[CheckMessage]:
    if not endpoints(routes()):
        return
    # Only when asked: the REST framework takes long to import.
    from affiliates.api.orders import OrderConversionViewSet

    hint = (
        "Name the classes by which your clients sign in in "
        "AFFILIATES_AUTHENTICATION_CLASSES, or leave it out for those of "
        "REST_FRAMEWORK."
    )
    try:
        found = OrderConversionViewSet().get_authenticators()
    except Exception as error:  # noqa: BLE001 - the host's module may raise anything
        problem = f"The authentication classes cannot be made: {error}"
        yield message("E016", problem, hint)
        return
    if not found:
        yield message(
            "E016",
            "There are no authentication classes: nobody can convert an order or see "
            "what they earned.",
            hint,
        )


def asynchronous_middleware() -> Iterator[CheckMessage]:
    """A subclass that answers as if all were synchronous breaks every request there."""
    if not getattr(settings, "ASGI_APPLICATION", None):
        return
    is_asynchronous = True
    # Django makes them from the last to the first, and asks each what it can.
    for entry in reversed(settings.MIDDLEWARE):
        try:
            found = import_string(entry)
        except ImportError:
            return  # Django says so itself, at the first request.
        can_wait = getattr(found, "async_capable", False)
        is_asynchronous = can_wait and (
            is_asynchronous or not getattr(found, "sync_capable", True)
        )
        if is_asynchronous and _answers_at_once(found):
            yield message(
                "W007",
                f"{entry} is called under ASGI as if it were asynchronous, and answers "
                "as if it were not: every request would fail.",
                "Write async_capable = False in it, or answer both ways.",
            )


def _answers_at_once(found: Any) -> bool:
    """Whether a class brings a ``__call__`` of its own that knows of no other way."""
    written = vars(found).get("__call__") if isclass(found) else None
    names = getattr(getattr(written, "__code__", None), "co_names", ())
    return written is not None and not any(
        word in name for name in names for word in ASYNC_NAMES
    )


def kept_connections() -> Iterator[CheckMessage]:
    age = settings.DATABASES.get(DEFAULT_DB_ALIAS, {}).get("CONN_MAX_AGE", 0)
    if getattr(settings, "ASGI_APPLICATION", None) and age != 0:
        yield message(
            "W009",
            f"CONN_MAX_AGE is {age} under ASGI: each request has a thread of its own, "
            "and leaves its connection behind.",
            'Write 0, and for PostgreSQL "OPTIONS": {"pool": True}.',
        )


CHECKS = (
    time_zones,
    databases,
    cache,
    tasks,
    authentication,
    asynchronous_middleware,
    kept_connections,
)
