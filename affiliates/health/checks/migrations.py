"""A host's user model that points at a brand: which of our migrations it may wait for.

`makemigrations` makes it wait for our last one, and that one waits for the user model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.conf import settings
from django.core.checks import CheckMessage
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

from affiliates.health.checks.findings import message

OURS = "affiliates"
# It makes the brands and needs no user; every later one does.
MAKES_BRANDS = "0001_initial"
FIRST = "__first__"

Migrations = Mapping[tuple[str, str], Migration]


def order() -> Iterator[CheckMessage]:
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    user_app = settings.AUTH_USER_MODEL.partition(".")[0]
    for waiting, needed in circles(loader.disk_migrations, user_app=user_app):
        yield message(
            "E018",
            f"{waiting} waits for {OURS}.{needed}, and that one for the user model: "
            "nothing can be migrated.",
            f'Among the dependencies of {waiting} write ("{OURS}", "{MAKES_BRANDS}") '
            f'in place of ("{OURS}", "{needed}").',
        )


def circles(
    migrations: Migrations, *, user_app: str
) -> Iterator[tuple[Migration, str]]:
    """What waits for which of our migrations, though that one waits for it."""
    known = list(_named(migrations, (user_app, FIRST)))
    for one in known:
        for app, name in one.dependencies:
            if app != OURS:
                found = _named(migrations, (app, name))
                known.extend(each for each in found if each not in known)
            elif name not in (MAKES_BRANDS, FIRST):
                yield one, name


def _named(migrations: Migrations, key: tuple[str, str]) -> Iterator[Migration]:
    app, name = key
    if name != FIRST:
        if key in migrations:
            yield migrations[key]
        return
    for one in migrations.values():
        if one.app_label == app and all(
            one.app_label != of for of, _ in one.dependencies
        ):
            yield one
