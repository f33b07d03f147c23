"""Reads settings from the environment, and writes the .env of a development machine."""

from __future__ import annotations

import base64
import os
import secrets
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

SECRET_KEY_BYTES = 48
COOKIE_KEY_BYTES = 32
WEBHOOK_SECRET_BYTES = 32
OWNER_ONLY = 0o600

MISSING_SECRETS = (
    "SECRET_KEY and AFFILIATES_COOKIE_KEYS are not set. Set both in the environment "
    "(docs/settings.md), or run `python manage.py check` once: it writes a .env for "
    "development."
)


OFF = ("false", "off", "no", "n", "0", "")
# What to write, by what the value is turned into.
EXPECTED: dict[Any, str] = {
    bool: "on or off",
    int: "a whole number, as 2",
    float: "a number, as 60",
    dict: "name=value,name=value",
}
# Once connected, affiliates/db/deadlines/sockets.py limits each wait.
CONNECT_SECONDS = 5
# A silent Redis may delay a request, not hold it: a visit has a second in all.
CACHE_LIMITS = {"socket_connect_timeout": 0.25, "socket_timeout": 0.25}
DATABASE_EXAMPLE = "postgres://user:password@host/name"
CACHE_EXAMPLE = "redis://host:6379/0"
EMAIL_EXAMPLE = "smtp+tls://user:password@host:587"


class Environment(environ.Env):  # type: ignore[misc]  # it has no types
    """environ.Env, which names the variable that it cannot read, and what to write.

    It raises ImproperlyConfigured, so that nothing runs with another value than meant.
    ``names`` are the variables it was asked for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get_value(self, var: str, cast: Any = None, *args: Any, **options: Any) -> Any:
        self.names.add(var)
        if cast not in EXPECTED or var not in self.ENVIRON:
            return super().get_value(var, cast, *args, **options)
        value = self.ENVIRON[var]
        with _named(f"{var} is {value!r}: write {EXPECTED[cast]}."):
            if cast is bool and value.strip().lower() not in (
                *self.BOOLEAN_TRUE_STRINGS,
                *OFF,
            ):
                raise ValueError
            if cast is float:
                float(value)  # The library takes "1m" for 1.
            return super().get_value(var, cast, *args, **options)

    def db(self, var: str, **options: Any) -> Any:
        database = _url(super().db, var, example=DATABASE_EXAMPLE, **options)
        if "postgresql" in database["ENGINE"]:
            limits = {"connect_timeout": CONNECT_SECONDS}
            database["OPTIONS"] = limits | database.get("OPTIONS", {})
        return database

    def cache_url(self, var: str, **options: Any) -> Any:
        cache = _url(super().cache_url, var, example=CACHE_EXAMPLE, **options)
        cache["OPTIONS"] = CACHE_LIMITS | cache.get("OPTIONS", {})
        return cache

    def email(self, var: str, **options: Any) -> Any:
        return _url(super().email, var, example=EMAIL_EXAMPLE, **options)


def write_development_environment(path: Path) -> bool:
    """Write generated secrets to ``path`` unless it exists. True when it was written."""
    try:
        # O_EXCL: two first runs at once leave one file, complete and private.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.writelines(
            f"{name}={value}\n" for name, value in development_environment().items()
        )
    return True


def development_environment() -> dict[str, str]:
    return {
        "SECRET_KEY": secrets.token_urlsafe(SECRET_KEY_BYTES),
        "AFFILIATES_COOKIE_KEYS": f"1:{_random_base64(COOKIE_KEY_BYTES)}",
        "HTTPS": "off",
        "DEMO_GATEWAY": "on",
        "PAYMENT_WEBHOOK_SECRET_DEMO": f"whsec_{_random_base64(WEBHOOK_SECRET_BYTES)}",
    }


def _url(read: Callable[..., Any], var: str, *, example: str, **options: Any) -> Any:
    # What was given is not shown: it may hold a password.
    with (
        _named(f"{var} cannot be read: write a URL such as {example}."),
        warnings.catch_warnings(action="error"),
    ):
        return read(var, **options)


@contextmanager
def _named(fault: str) -> Iterator[None]:
    try:
        yield
    except (ImproperlyConfigured, TypeError, ValueError, UserWarning) as error:
        raise ImproperlyConfigured(fault) from error


def _random_base64(length: int) -> str:
    return base64.b64encode(secrets.token_bytes(length)).decode("ascii")
