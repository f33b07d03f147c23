"""Writes the migrations that create triggers, from the lists of triggers in the code.

``python -m tests.migrations.write_triggers``; a test compares what is written with the
lists.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent

import django
from django.apps import apps

ROOT = Path(__file__).resolve().parents[2]
VENDORS = ("postgresql", "sqlite")
PLACES = {
    "affiliates": ("affiliates/migrations/0003_guards.py", "0002_clients_and_money"),
    "affiliates_offers": (
        "affiliates/contrib/offers/migrations/0002_guards.py",
        "0001_initial",
    ),
    "affiliates_payout_runs": (
        "affiliates/contrib/payout_runs/migrations/0002_guards.py",
        "0001_initial",
    ),
    "affiliates_statistics": (
        "affiliates/contrib/statistics/migrations/0002_triggers.py",
        "0001_initial",
    ),
}
HEAD = '''"""Written by ``python -m tests.migrations.write_triggers`` from the lists in the code."""

from django.db import migrations

from affiliates.db.migration_operations import CreateTriggers


class Migration(migrations.Migration):
    dependencies = [("{label}", "{before}")]

    operations = [
        CreateTriggers(
            functions={{
{functions}            }},
            triggers={{
{triggers}            }},
        ),
    ]
'''


def files() -> dict[str, str]:
    """The text of each migration by its path. A host may be without an app."""
    return {
        path: _text(label, before, _functions(label))
        for label, (path, before) in PLACES.items()
        if label in apps.app_configs
    }


def _functions(label: str) -> Mapping[str, str]:
    from affiliates.contrib.statistics import feed
    from affiliates.verification import guards

    own = {"affiliates": guards.FUNCTIONS, "affiliates_statistics": feed.functions()}
    return own.get(label, {})


def _triggers(label: str, vendor: str) -> Iterable[tuple[str, ...]]:
    from affiliates.contrib.statistics import feed
    from affiliates.verification import guards

    if label == "affiliates_statistics":
        return feed.triggers(vendor)
    return [
        one
        for model, one in guards.triggers(vendor)
        if model._meta.app_label == label
    ]


def _text(label: str, before: str, functions: Mapping[str, str]) -> str:
    written = "".join(
        f'{name!r}: """{body}""",\n'.replace("'", '"', 2)
        for name, body in functions.items()
    )
    triggers = "".join(
        f'"{vendor}": (\n'
        + "".join(f"    {tuple(one[:3])!r},\n" for one in _triggers(label, vendor))
        + "),\n"
        for vendor in VENDORS
    )
    return HEAD.format(
        label=label,
        before=before,
        functions=indent(written, " " * 16, lambda line: line.startswith('"')),
        triggers=indent(triggers, " " * 16),
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    for path, text in files().items():
        (ROOT / path).write_text(text, "utf-8")
