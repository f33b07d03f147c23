"""Imports, as rows and no more."""

from __future__ import annotations

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.imports.files.rows import ImportKind, Source
from affiliates.contrib.imports.models import (
    ImportedRow,
    ImportFault,
    ImportFile,
    ImportState,
)
from tests.factories.ledger import NOW
from tests.guard.markers import marker, number_of


class ImportFileFactory(DjangoModelFactory):
    """One that was checked. ``brand`` must be given."""

    class Meta:
        model = ImportFile

    kind = ImportKind.AFFILIATES
    source = Source.OWN
    name = f"{marker('staff', 'file')}.csv"
    digest = "0" * 64
    state = ImportState.CHECKED
    line_count = 2
    new_count = 1
    uploaded_at = NOW


class ImportFaultFactory(DjangoModelFactory):
    """``file__brand`` must be given."""

    class Meta:
        model = ImportFault

    file = factory.SubFactory(ImportFileFactory)
    row_number = 2
    code = "required"
    params = factory.LazyFunction(lambda: {"value": marker("affiliate", "cell")})


class ImportedRowFactory(DjangoModelFactory):
    """``affiliate`` must be given."""

    class Meta:
        model = ImportedRow

    brand = factory.SelfAttribute("affiliate.brand")
    file = factory.SubFactory(
        ImportFileFactory, brand=factory.SelfAttribute("..affiliate.brand")
    )
    kind = ImportKind.AFFILIATES
    key = factory.LazyAttribute(
        lambda row: marker("affiliate", "former", number_of(row.affiliate.user))
    )
    row_number = 2
