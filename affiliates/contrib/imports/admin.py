from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from affiliates.admin_tools.base import ReadOnlyAdmin
from affiliates.admin_tools.columns import coloured_column, column, moment, row_column
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.imports.admin_actions import ImportActions, counts_of
from affiliates.contrib.imports.models import (
    ImportedRow,
    ImportFault,
    ImportFile,
    ImportState,
)
from affiliates.contrib.imports.sentences import sentence_of
from affiliates.payouts.selectors import grouped

SHOWN = 50
# While the worker is at it, the page is loaded again after so many seconds.
LOOK_AGAIN_SECONDS = 3
HUNDRED = 100
STATE_COLOURS = {
    ImportState.UPLOADED: "info",
    ImportState.CHECKED: "warning",
    ImportState.CONFIRMED: "info",
    ImportState.DONE: "success",
    ImportState.FAILED: "danger",
    ImportState.WITHDRAWN: "default",
}


@register_page(ImportFile)
class ImportFileAdmin(ImportActions, ReadOnlyAdmin):
    about = (
        "What other systems kept: affiliates, links, clients, balances, coupons, orders. "
        "A file is checked, then confirmed, then imported whole. The same rows again "
        "change nothing."
    )
    nothing_yet = "Import a file that another system has saved."
    list_display = (
        "name",
        "brand",
        "kind",
        "source",
        "coloured_state",
        "new_count",
        "same_count",
        "bad_count",
        "uploaded",
        "uploaded_by",
    )
    list_filter = ("state", "kind", "brand")
    list_select_related = ("brand", "uploaded_by")
    actions_list: ClassVar = ("upload",)
    actions_detail: ClassVar = ("confirm", "withdraw")
    change_form_outer_before_template = "affiliates/admin/import_file.html"
    fields = (
        "brand",
        ("kind", "source"),
        ("uploaded", "uploaded_by"),
        ("confirmed", "confirmed_by"),
        ("finished", "leaves_out_bad"),
        "fingerprint",
    )

    coloured_state = coloured_column("state", "State", STATE_COLOURS)
    fingerprint = row_column("SHA-256", lambda row: grouped(row.digest))
    uploaded = column("uploaded_at", "Uploaded", show=moment, ordering="id")
    confirmed = column("confirmed_at", "Confirmed", show=moment)
    finished = column("finished_at", "Finished", show=moment)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ImportFile]:
        """Without the files themselves: only the worker reads them."""
        files: QuerySet[ImportFile] = super().get_queryset(request)
        return files.defer("content")

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        *args: Any,
        **more: Any,
    ) -> HttpResponse:
        page: HttpResponse = super().changeform_view(request, object_id, *args, **more)
        shown = getattr(page, "context_data", None) or {}
        if shown.get("is_waiting"):
            page["Refresh"] = str(LOOK_AGAIN_SECONDS)
        return page

    def beside(self, row: ImportFile) -> dict[str, Any]:
        done = min(row.done_count * HUNDRED // row.line_count, HUNDRED)
        return {
            "file": row,
            "counts": counts_of(row),
            "is_waiting": ImportState(row.state).is_waiting,
            "percent": done,
            "looked_at": f"{row.done_count:,} of about {row.line_count:,} lines",
            "faults": [
                (fault.row_number, fault.column, sentence_of(fault.code, fault.params))
                for fault in row.faults.all()[:SHOWN]
            ],
            "shown": SHOWN,
        }


@register_page(ImportFault)
class ImportFaultAdmin(ReadOnlyAdmin):
    """Reached from the page of its file."""

    about = "What is wrong with the rows of a file, as of its last check."
    nothing_yet = "Nothing is wrong."
    list_display = ("row_number", "column", "sentence")
    ordering = ("pk",)
    fields = ("file", ("row_number", "column"), "sentence")

    sentence = row_column(
        "What is wrong", lambda row: sentence_of(row.code, row.params)
    )

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False


@register_page(ImportedRow)
class ImportedRowAdmin(ReadOnlyAdmin):
    about = "What was imported, and what the system left called it."
    nothing_yet = "Rows appear when a file is imported."
    list_display = ("key", "kind", "brand", "affiliate", "file", "row_number", "at")
    list_filter = ("kind", "brand")
    list_select_related = ("brand", "affiliate", "file")
    search_fields = ("=key", "=affiliate__code")
    search_help_text = "What it was called, or the affiliate's code"
    fields = (("kind", "key"), ("brand", "affiliate"), ("file", "row_number"))

    at = row_column("Imported", lambda row: moment(row.file.finished_at))
