"""Registers the job of the imports; imported rows are sealed."""

from __future__ import annotations

from affiliates.contrib.imports import services
from affiliates.contrib.imports.models import ImportedRow
from affiliates.roles import register
from affiliates.verification.seals import SEALED

__all__ = ["services"]

SEALED[ImportedRow] = "brand_id"

register("affiliates_imports", {})
