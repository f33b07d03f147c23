"""Every column and every row of the guarded tables, as the models have them."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import models

from affiliates.contrib.imports.models import ImportedRow
from affiliates.db.seals import SealField, seal_field
from affiliates.hooks import own_apps
from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.payouts.models import PayoutTerms
from affiliates.program.history_models import AffiliateTransfer
from affiliates.referrals.external_fields import EMPTIED
from affiliates.referrals.models import ClientReferral
from affiliates.verification.guards import GUARDS
from affiliates.verification.seals import SEALED
from tests.affiliates.verification.finding import everything_found, is_found, prove
from tests.affiliates.verification.program import Program
from tests.append_only import unguarded
from tests.factories.affiliates import BrandFactory
from tests.factories.imports import ImportedRowFactory
from tests.factories.payouts import PayoutTermsFactory
from tests.lengths import in_steps

pytestmark = pytest.mark.django_db
SEALED_ALONE = (AffiliateTransfer, ClientReferral, ImportedRow, PayoutTerms)


def test_a_program_in_which_everything_happened_agrees(program):
    assert everything_found() == []


@in_steps(example=131, sweep=7)
def test_every_change_of_a_column_and_every_deletion_is_found(step, program):
    """Also in rows that were proved before."""
    prove()

    with unguarded():
        cases = [
            (model, *case)
            for model in [guard.model for guard in GUARDS]
            for case in [*_changes(model), *_deletions(model)]
        ]
        unseen = [
            name
            for model, name, corrupt in cases[::step]
            if not is_found(corrupt, model=model)
        ]

    assert unseen == []


@in_steps(example=13, sweep=3)
def test_every_change_of_a_row_that_is_sealed_alone_is_found(step, program):
    """No trigger keeps these: staff change the terms, and transfers whose a client is."""
    add_to(program)
    prove()

    cases = [
        (model, *case)
        for model in SEALED_ALONE
        for case in _changes(model, but=EMPTIED)
    ]
    unseen = [
        name
        for model, name, corrupt in cases[::step]
        if not is_found(corrupt, model=model)
    ]

    assert unseen == []


def test_a_program_with_rows_that_are_sealed_alone_agrees(program):
    add_to(program)

    assert everything_found() == []


def test_every_sealed_table_is_read():
    sealed = {model for model in apps_models() if seal_field(model) is not None}

    assert set(SEALED) == sealed


def add_to(program: Program) -> None:
    """What a program has without any order: imports, transfers, another brand's terms."""
    world = program.world
    staff = world.host.client(world.brand, email="operator@example.com").pk
    first, second, third = world.affiliates
    for source, target in ((first, second), (second, third)):
        wanted = Transfer(
            source_id=source.pk,
            target_id=target.pk,
            parts=list(TransferPart),
            merges=False,
            reason="They work together.",
            key=uuid.uuid4(),
        )
        transfer(wanted, actor_id=staff, now=world.now)
        ImportedRowFactory(affiliate=target, key=target.code)
    other = BrandFactory(name="Third", client_area="third.example.com")
    PayoutTermsFactory(brand=other, minimums={"EUR": 1})


def apps_models() -> list[type[models.Model]]:
    return [model for app in own_apps() for model in app.get_models()]


def _changes(
    model: type[models.Model], but: Collection[str] = ()
) -> Iterator[tuple[str, Any]]:
    """Each column of the table's first and last row becomes something else."""
    rows = model._base_manager.order_by("pk")
    assert rows.count() > 1, f"The program has too few rows of {model.__name__}."
    for row in (rows.first(), rows.last()):
        for field in model._meta.concrete_fields:
            if field.primary_key or field.name in but:
                continue
            for value in _others(field, row):
                name = f"{model.__name__} {row.pk}: {field.attname} = {value!r:.60}"
                yield name, _update(row, field, value)


def _update(row: models.Model, field: Any, value: Any) -> Any:
    of_row = type(row)._base_manager.filter(pk=row.pk)
    return lambda: of_row.update(**{field.attname: value})


def _deletions(model: type[models.Model]) -> Iterator[tuple[str, Any]]:
    for pk in model._base_manager.order_by("pk").values_list("pk", flat=True):
        of_row = model._base_manager.filter(pk=pk)
        yield (
            f"{model.__name__} {pk}: gone",
            lambda of_row=of_row: of_row._raw_delete("default"),
        )


def _others(field: Any, row: models.Model) -> Iterator[Any]:
    """Values that the column could hold and does not."""
    value = getattr(row, field.attname)
    match field:
        case models.ForeignKey():
            others = field.related_model._base_manager.exclude(pk=value)
            if others.exists():
                yield others.values_list("pk", flat=True).first()
            if field.null and value is not None:
                yield None
        case models.JSONField():
            yield {}
            yield _with_another_leaf(value)
        case models.DateField() if value is None:
            return
        case models.BooleanField():
            yield not value
        case models.DateTimeField():
            yield value + timedelta(seconds=1)
        case models.UUIDField():
            yield uuid.uuid4()
        case models.DecimalField():
            yield value.amount - 1
        case models.IntegerField():
            yield value + 1
        case SealField():
            yield ""
        case models.CharField() if field.choices:
            yield next(one for one, _ in field.flatchoices if one not in ("", value))
        case models.CharField():
            yield f"{value}x" if len(value) < field.max_length else f"{value[:-1]}x"
        case _:
            raise NotImplementedError(f"Say how {field} is changed.")


def _with_another_leaf(value: Any) -> Any:
    """The document with its last leaf changed."""
    if isinstance(value, dict) and value:
        last = list(value)[-1]
        return {**value, last: _with_another_leaf(value[last])}
    if isinstance(value, list) and value:
        return [*value[:-1], _with_another_leaf(value[-1])]
    return f"{value}x"
