"""What `makemigrations` gets wrong about a user model with a brand, and is told."""

from __future__ import annotations

import pytest
from django.db.migrations import Migration

from affiliates.operations.health.database import circles, order


def made(*migrations):
    """Each is its app, its name and what it waits for."""
    result = {}
    for app, name, *dependencies in migrations:
        result[app, name] = Migration(name, app)
        result[app, name].dependencies = dependencies
    return result


OURS = (
    ("affiliates", "0001_base_1_0"),
    (
        "affiliates",
        "0002_later",
        ("affiliates", "0001_base_1_0"),
        ("users", "__first__"),
    ),
)


@pytest.mark.parametrize(
    ("_case", "migrations", "expected"),
    [
        (
            "as makemigrations writes it",
            [("users", "0001_initial", ("affiliates", "0002_later"))],
            [("users.0001_initial", "0002_later")],
        ),
        (
            "edited",
            [("users", "0001_initial", ("affiliates", "0001_base_1_0"))],
            [],
        ),
        (
            "a brand that came later",
            [
                ("users", "0001_initial"),
                (
                    "users",
                    "0002_brand",
                    ("users", "0001_initial"),
                    ("affiliates", "0002_later"),
                ),
            ],
            [],
        ),
        (
            "through another app",
            [
                ("users", "0001_initial", ("shops", "__first__")),
                ("shops", "0001_initial", ("shops", "0000_squashed_away")),
                ("shops", "0001_other", ("regions", "0001_initial")),
                ("regions", "0001_initial", ("affiliates", "0002_later")),
            ],
            [("regions.0001_initial", "0002_later")],
        ),
        (
            "another app alone",
            [
                ("users", "0001_initial"),
                ("shops", "0001_initial", ("affiliates", "0002_later")),
            ],
            [],
        ),
    ],
)
def test_circle_through_the_user_model_is_found(_case, migrations, expected):
    found = circles(made(*OURS, *migrations), user_app="users")

    assert [(str(one), name) for one, name in found] == expected


def test_host_of_the_tests_has_none():
    assert list(order()) == []
