"""full_clean and forms read from the database that the router names for writing."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connections, models
from django.forms import ModelChoiceField

from affiliates.db.records import Record
from affiliates.models import Brand
from tests.cases import each

RELATIONS = [
    (model._meta.label, field.name)
    for model in apps.get_models()
    if issubclass(model, Record) and model._meta.app_label.startswith("affiliates")
    for field in model._meta.concrete_fields
    if isinstance(field, models.ForeignKey)
]


@pytest.fixture(autouse=True)
def replica(db, settings, monkeypatch):
    """A database without any table: a query to it fails."""
    empty = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    behind = connections.settings["default"] | empty
    monkeypatch.setitem(connections.settings, "replica", behind)
    settings.DATABASE_ROUTERS = ["tests.hosts.replica.router.ReadsFromReplica"]


def test_the_first_brand_starts_behind_a_replica():
    call_command(
        *("affiliates_start", "Example", "--domain", "shop.example.com"),
        *("--percent", "20", "--hold-days", "0"),
        verbosity=0,
    )

    assert Brand.objects.get().name == "Example"


@each(("label", "name"), RELATIONS)
def test_every_foreign_key_is_looked_for_where_it_is_written(label: str, name: str):
    model = apps.get_model(label)
    field: Any = model._meta.get_field(name)
    others = {other.name for other in model._meta.fields} - {name}
    is_uuid = isinstance(field.target_field, models.UUIDField)
    key = UUID(int=1) if is_uuid else 987654321
    row = model(**{field.attname: key})

    with pytest.raises(ValidationError) as refusal:
        row.clean_fields(exclude=others)

    [fault] = refusal.value.error_dict[name]
    assert fault.code == "invalid"
    if field.related_model._meta.app_label.startswith("affiliates"):
        form_field = field.formfield()
        assert form_field is None or isinstance(form_field, ModelChoiceField)
        assert form_field is None or form_field.queryset.db == "default"
