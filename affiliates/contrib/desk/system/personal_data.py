"""The record of processing: whose data is stored, why, how long, and who gets it."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib import admin
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone

from affiliates.admin_tools.exports import Row, file_answer
from affiliates.privacy.columns import undeclared
from affiliates.privacy.selectors import record_of_processing

PAGE = "affiliates/admin/desk/personal_data.html"
HEADER = ("Person", "Purpose", "Ground", "Stored", "Received by", "Table", "Columns")


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponseBase:
    if request.GET.get("format") == "csv":
        name = f"record-of-processing-{timezone.localdate()}.csv"
        return file_answer(_lines(), name, "csv")
    context = {
        **site.each_context(request),
        "title": "Personal data",
        "rows": record_of_processing(),
        "undeclared": list(undeclared()),
    }
    return TemplateResponse(request, PAGE, context)


def _lines() -> Iterator[Row]:
    yield list(HEADER)
    for row in record_of_processing():
        said = [row[name] for name in ("person", "why", "ground", "kept")]
        receivers = "; ".join(row["receivers"])
        for table, columns in row["places"].items():
            yield [*said, receivers, table, ", ".join(columns)]
