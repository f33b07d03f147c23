from __future__ import annotations

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html

from affiliates.admin_tools.base import ReadOnlyAdmin
from affiliates.admin_tools.columns import coloured_column, column, moment, row_column
from affiliates.admin_tools.confirmation import AsksFirst, Question
from affiliates.admin_tools.exports import FORMATS, MAX_AT_ONCE
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.desk.exports.models import SavedList, SavedListState
from affiliates.contrib.desk.exports.services import KEPT, ask_for_list, page_of

STATE_COLOURS = {
    SavedListState.WAITING: "info",
    SavedListState.READY: "success",
    SavedListState.FAILED: "danger",
    SavedListState.REMOVED: "warning",
}


@register_page(SavedList)
class SavedListAdmin(AsksFirst, ReadOnlyAdmin):
    """Everybody sees their own."""

    about = (
        f"Lists of more than {MAX_AT_ONCE:,} rows that you have saved. Each file is kept "
        f"for {KEPT.days} days, and nobody but you can open it."
    )
    nothing_yet = "Save a large list as CSV or XLSX, and its file is made here."
    list_display = ("asked", "what", "row_count", "coloured_state", "detail", "open")
    list_display_links = None
    export_formats = ()

    asked = column("asked_at", "Asked", show=moment, ordering="id")
    what = row_column("List", str)
    coloured_state = coloured_column("state", "State", STATE_COLOURS)

    @admin.display(description="File")
    def open(self, saved: SavedList) -> str:
        if saved.state != SavedListState.READY:
            return "-"
        page = reverse(
            f"{self.admin_site.name}:affiliates_desk_savedlist_file", args=[saved.pk]
        )
        return format_html('<a href="{}" class="text-link">Open</a>', page)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SavedList]:
        rows: QuerySet[SavedList] = super().get_queryset(request)
        return rows.filter(asker_id=request.user.pk)

    def get_urls(self) -> list[URLPattern]:
        ours = (
            ("make/", self.make, "make"),
            ("<int:object_id>/file/", self.file, "file"),
        )
        return [
            *(
                path(
                    route,
                    self.admin_site.admin_view(view),
                    name=f"affiliates_desk_savedlist_{name}",
                )
                for route, view, name in ours
            ),
            *super().get_urls(),
        ]

    def make(self, request: HttpRequest) -> HttpResponse:
        """The question to a person who saves a list that is too large to wait for."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        wanted = {
            name: request.GET.get(name, "")
            for name in ("site", "model", "query", "file_format")
        }
        page = page_of(wanted["site"], wanted["model"])
        if page is None or wanted["file_format"] not in FORMATS:
            raise Http404
        if not page.has_view_or_change_permission(request):
            raise Http404
        question = Question(
            title=f"Save {page.opts.verbose_name_plural}?",
            button="Have it made",
            paragraphs=[
                f"The list has more than {MAX_AT_ONCE:,} rows: the worker makes the file, "
                "and you get an e-mail when it is there."
            ],
        )
        return self.ask_or_do(request, question, lambda: self._ask(request, wanted))

    def _ask(self, request: HttpRequest, wanted: dict[str, str]) -> str:
        lists = request.build_absolute_uri(self.page_of())
        ask_for_list(
            asker_id=request.user.pk,
            url_of=lambda pk: f"{lists}{pk}/file/",
            now=timezone.now(),
            **wanted,
        )
        return "The file is being made: it appears here, and you get an e-mail then."

    def file(self, request: HttpRequest, object_id: int) -> HttpResponseBase:
        if not self.has_view_permission(request):
            raise PermissionDenied
        saved = self.row_of(request, str(object_id))
        page = page_of(saved.site, saved.model)
        if saved.state != SavedListState.READY or page is None:
            return HttpResponseRedirect(self.page_of())
        if not page.has_view_or_change_permission(request):
            raise Http404
        name = f"{page.opts.model_name}-{saved.asked_at:%Y-%m-%d}.{saved.file_format}"
        return FileResponse(
            default_storage.open(saved.file),
            as_attachment=True,
            filename=name,
            content_type=FORMATS[saved.file_format],
        )
