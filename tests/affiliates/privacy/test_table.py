from __future__ import annotations

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import models
from djmoney.models.fields import CurrencyField

from affiliates.privacy.columns import may_be_personal, names_of, undeclared
from affiliates.privacy.registry import declared
from tests.cases import each

USER = get_user_model()


def _ours(names):
    return [one for one in names if one.startswith("affiliates")]


def test_every_column_of_ours_is_declared():
    assert _ours(undeclared()) == []


def test_a_new_column_is_missed():
    """Of each type that may hold personal data."""
    model = apps.get_model("affiliates.Brand")
    column = models.CharField(max_length=10)
    column.set_attributes_from_name("nickname")
    column.model = model
    model._meta.local_fields.append(column)
    model._meta._expire_cache()
    try:
        found = _ours(undeclared())
    finally:
        model._meta.local_fields.remove(column)
        model._meta._expire_cache()

    assert found == ["affiliates.Brand.nickname"]


@each(
    ("field", "expected"),
    [
        (models.CharField(max_length=9), True),
        (models.TextField(), True),
        (models.EmailField(), True),
        (models.JSONField(), True),
        (models.FileField(), True),
        (models.BinaryField(), True),
        (models.UUIDField(), True),
        (models.GenericIPAddressField(), True),
        (models.ForeignKey(USER, on_delete=models.CASCADE), True),
        (models.OneToOneField(USER, on_delete=models.CASCADE), True),
        (models.CharField(max_length=9, primary_key=True), True),
        (models.CharField(max_length=9, choices=[("a", "A")]), False),
        (models.UUIDField(primary_key=True), False),
        (models.BigAutoField(primary_key=True), False),
        (models.PositiveSmallIntegerField(), False),
        (models.BooleanField(), False),
        (models.DateTimeField(), False),
        (models.DecimalField(), False),
        (CurrencyField(), False),
        (models.ForeignKey("affiliates.Brand", on_delete=models.CASCADE), False),
    ],
)
def test_types_that_may_hold_personal_data(field, expected):
    assert may_be_personal(field) is expected


def test_each_declared_column_exists_and_is_declared_once():
    wrong = []
    for one in declared():
        names = [*one.other, *(name for name, _ in one.uses())]
        fields = {field.name: field for field in one.model._meta.concrete_fields}
        wrong += [
            f"{one.name}.{name}"
            for name in names
            if name not in fields
            or names.count(name) > 1
            or not may_be_personal(fields[name])
        ]

    assert wrong == []


def test_rows_with_data_of_a_person_are_found_or_are_of_several():
    """Tables whose rows cannot be attributed to one person, each with the reason."""
    without = {
        one.name
        for one in _ours_declared()
        if {use.person for _, use in one.uses() if not use.is_secret} - {"staff"}
        and not one.of
    }

    assert without <= {
        # Files with the data of many.
        "affiliates.PayoutBatch",
        "affiliates.PayoutSending",
        "affiliates_imports.ImportFault",
        "affiliates_imports.ImportFile",
        "affiliates_payout_runs.PayoutAnswer",
        # Given out by itself: an export names the digest of its invoice.
        "affiliates_invoices.InvoiceFile",
        # Emptied by the act that it records.
        "affiliates.Erasure",
        # Names a refund of another table.
        "affiliates.RefundCancellation",
    }


def _ours_declared():
    return [one for one in declared() if one.name.startswith("affiliates")]


def test_what_opens_a_column_is_of_that_table():
    assert [one.name for one in declared() if not set(one.opens) <= names_of(one)] == []
