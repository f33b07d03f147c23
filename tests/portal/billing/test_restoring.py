"""After a restore, invoice numbers that may have been given are left out."""

from __future__ import annotations

import pytest

from affiliates.signals import database_restored
from portal.billing.models import InvoiceCounter
from tests.factories.affiliates import BrandFactory

pytestmark = pytest.mark.django_db


def restored(numbers: int) -> list[str]:
    ((_, said),) = database_restored.send(object, numbers=numbers, now=None)
    return said


def test_numbers_of_each_brand_are_left_out(brand):
    other = BrandFactory(client_area="other.example.net")
    InvoiceCounter.objects.create(brand=brand, last_number=7)

    said = restored(50)

    assert dict(InvoiceCounter.objects.values_list("brand", "last_number")) == {
        brand.pk: 57,
        other.pk: 50,
    }
    assert said[0] == "50 invoice numbers of each brand left out."


def test_nothing_is_left_out_if_nothing_was_lost(brand):
    InvoiceCounter.objects.create(brand=brand, last_number=7)

    restored(0)

    assert InvoiceCounter.objects.get().last_number == 7
