"""The menu above a list: its saved views, and its columns as checkboxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import label_for_field
from django.contrib.admin.views.main import ERROR_FLAG, ORDER_VAR, PAGE_VAR
from django.core.exceptions import PermissionDenied
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.urls import URLPattern, path
from django.utils.text import capfirst

from affiliates.admin_tools.lists.columns import (
    COLUMNS,
    chosen_columns,
)
from affiliates.admin_tools.lists.models import SavedView
from affiliates.admin_tools.lists.services import delete_view, normal_query, save_view
from affiliates.admin_tools.visible import visible_to
from affiliates.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMenu:
    """``kept`` are the other parameters of the address, for the form of the columns.

    They leave out the order, which counts the columns.
    """

    query: str
    views: Sequence[SavedView]
    current: SavedView | None
    columns: Sequence[tuple[str, str, bool]]
    kept: Sequence[tuple[str, str]]


class KeepsViews:
    """A mixin for a ModelAdmin whose lists keep filters and columns by a name."""

    # Of the ModelAdmin.
    opts: Any
    admin_site: Any

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        ours = (
            ("views/save/", self.save_list_view, "save_view"),
            ("views/<int:view_id>/delete/", self.delete_list_view, "delete_view"),
        )
        urls: list[URLPattern] = super().get_urls()  # type: ignore[misc] # ModelAdmin's
        return [
            *(
                path(route, self.admin_site.admin_view(view), name=f"{name}_{end}")
                for route, view, end in ours
            ),
            *urls,
        ]

    def get_list_display(self, request: HttpRequest) -> Any:
        return chosen_columns(self.all_columns(request), request.GET.getlist(COLUMNS))

    def all_columns(self, request: HttpRequest) -> Any:
        return super().get_list_display(request)  # type: ignore[misc] # ModelAdmin's

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        context = {"list_menu": self._menu(request), **(extra_context or {})}
        return super().changelist_view(request, context)  # type: ignore[misc] # ModelAdmin's

    def save_list_view(self, request: HttpRequest) -> HttpResponse:
        if refused := self._refused(request):
            return refused
        query = normal_query(request.POST.get("query", ""))
        try:
            view = save_view(
                person_id=request.user.pk,
                model=self.opts.label_lower,
                name=request.POST.get("name", ""),
                query=query,
            )
        except InvalidInput as error:
            messages.error(request, error.detail)
        else:
            messages.success(request, f"Saved as “{view}”. Find it under Views.")
        return HttpResponseRedirect(f"../../?{query}")

    def delete_list_view(self, request: HttpRequest, view_id: int) -> HttpResponse:
        if refused := self._refused(request):
            return refused
        name = delete_view(
            person_id=request.user.pk, model=self.opts.label_lower, view_id=view_id
        )
        if name is None:
            messages.warning(request, "There is no such view any more.")
        else:
            messages.success(request, f"The view “{name}” is deleted.")
        return HttpResponseRedirect("../../../")

    def _refused(self, request: HttpRequest) -> HttpResponse | None:
        if not self.has_view_or_change_permission(request):  # type: ignore[attr-defined] # ModelAdmin's
            raise PermissionDenied
        return None if request.method == "POST" else HttpResponseNotAllowed(["POST"])

    def _menu(self, request: HttpRequest) -> ListMenu:
        query = normal_query(request.GET.urlencode())
        own = SavedView.objects.filter(
            person_id=request.user.pk, model=self.opts.label_lower
        )
        views = list(visible_to(request.user, own.order_by("name")))
        shown = set(self.get_list_display(request))
        return ListMenu(
            query=query,
            views=views,
            current=next((view for view in views if view.query == query), None),
            columns=[
                (name, self._label(name), name in shown)
                for name in self.all_columns(request)
                if isinstance(name, str)
            ],
            kept=[
                (name, value)
                for name, values in request.GET.lists()
                if name not in (COLUMNS, ORDER_VAR, PAGE_VAR, ERROR_FLAG)
                for value in values
            ],
        )

    def _label(self, name: str) -> str:
        page: Any = self
        return str(capfirst(str(label_for_field(name, page.model, model_admin=page))))
