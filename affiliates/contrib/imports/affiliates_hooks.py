"""Registers the job of the imports; imported rows are sealed."""

from __future__ import annotations

from affiliates.brands.roles import register
from affiliates.contrib.imports import services
from affiliates.contrib.imports.models import ImportedRow
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import ACT, IMPORT
from affiliates.verification.seals import SEALED

__all__ = ["services"]

SEALED[ImportedRow] = "brand_id"

register("affiliates_imports", {})

declare(
    "affiliates_imports.ImportFile",
    {IMPORT: "name content options", ACT: "uploaded_by confirmed_by"},
    shared={Person.AFFILIATE: {"rows__affiliate": Key.AFFILIATE}},
    other="digest",
)
declare("affiliates_imports.ImportFault", {IMPORT: "params"}, other="column code")
declare(
    "affiliates_imports.ImportedRow",
    {IMPORT: "key"},
    of={Person.AFFILIATE: {"affiliate": Key.AFFILIATE}},
    deletes={Person.AFFILIATE},
)
