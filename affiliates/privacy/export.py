"""The stored data of a person, as JSON and as a page to read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.serializers.json import DjangoJSONEncoder
from django.template.loader import render_to_string
from django.utils.translation import get_language, gettext

from affiliates.privacy.selectors import RowsOfPerson, Subject, rows_of, said_of

JSON_NAME, HTML_NAME = "person.json", "person.html"
TEMPLATE = "affiliates/privacy/person.html"


def export_of(
    subjects: Iterable[Subject], *, email: str, now: datetime
) -> dict[str, Any]:
    """Plain data: a part for each brand in which something is stored of the person."""
    parts = (
        {
            "brand": gettext("Staff") if subject.brand is None else subject.brand.name,
            "tables": [_table(row) for row in rows_of(subject)],
        }
        for subject in subjects
    )
    return {
        "email": email,
        "made_at": now.isoformat(),
        "parts": [part for part in parts if part["tables"]],
    }


def _table(rows_of_person: RowsOfPerson) -> dict[str, Any]:
    return {
        "table": rows_of_person.declared.name,
        "title": str(rows_of_person.declared.model._meta.verbose_name_plural),
        "person": str(rows_of_person.person.label),
        "processed": [said_of(use) for use in rows_of_person.uses],
        "rows": rows_of_person.rows,
    }


def files_of(export: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The name and content of each file."""
    text = json.dumps(export, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
    yield JSON_NAME, f"{text}\n"
    # The same values in both: as JSON writes them.
    context = {"person": json.loads(text), "language": get_language()}
    yield HTML_NAME, render_to_string(TEMPLATE, context)


def archive_of(export: dict[str, Any]) -> bytes:
    """Both files in a ZIP archive."""
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in files_of(export):
            archive.writestr(name, content)
    return file.getvalue()
