"""The base classes of every admin page, drawn by unfold or by Django's own admin.

unfold has no types. This module's subclasses are plain classes and decorators for the
type checker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from django.contrib import messages
from django.contrib.admin import ShowFacets
from django.db.models import PROTECT, ForeignObjectRel, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from affiliates.admin_tools import theme
from affiliates.admin_tools.editing.fieldsets import FilledFields
from affiliates.admin_tools.editing.offering import FilledFromAddress, offered
from affiliates.admin_tools.editing.pages import MergesEdits, MergingInline
from affiliates.admin_tools.editing.returning import Returning
from affiliates.admin_tools.exports import Exportable
from affiliates.admin_tools.leaving import AsksIdentity, asks_identity
from affiliates.admin_tools.lists import invoice_numbers, search
from affiliates.admin_tools.lists.changelist import BoundedPaginator, ChangeList
from affiliates.admin_tools.lists.filters import visible_filters
from affiliates.admin_tools.lists.views import KeepsViews
from affiliates.admin_tools.visible import VisibleRows, has_brands
from affiliates.db.audit.selectors import changes_of

Function = TypeVar("Function", bound=Callable[..., Any])


class ModelAdmin(
    AsksIdentity,
    FilledFromAddress,
    Exportable,
    KeepsViews,
    Returning,
    MergesEdits,
    VisibleRows,
    theme.admin.ModelAdmin,  # type: ignore[misc] # unfold has no types
):
    """``fixed_once_saved`` are fields that cannot be edited after the first save.

    ``search_fields`` are finders of ``search``: what they find of a whole value is
    shown, and what ``search_parts`` find only where they find nothing.
    """

    fixed_once_saved: ClassVar[tuple[str, ...]] = ()
    inlines_of_saved: ClassVar[tuple[type[TabularInline], ...]] = ()
    search_parts: ClassVar[tuple[search.Finder, ...]] = ()
    # The path from a row, which has a brand, to the reference of its invoice.
    invoice_path: ClassVar[str] = ""
    # The sums below the list: by label, the paths of their amounts, then of the currency.
    totals_of: ClassVar[dict[str, tuple[Any, ...]]] = {}
    change_list_template: Any = "affiliates/admin/change_list.html"
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    paginator: Any = BoundedPaginator
    object_history_template: Any = "affiliates/admin/history.html"

    class Media:
        css: ClassVar = {"all": theme.STYLES}
        js: ClassVar = (
            "affiliates/admin.js",
            "affiliates/amounts.js",
            "affiliates/landmarks.js",
            "affiliates/drafts.js",
        )

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """Adds auditlog's records of the row."""
        shown = {"changes": changes_of(self.model, object_id), **(extra_context or {})}
        page: HttpResponse = super().history_view(request, object_id, shown)
        return page

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if obj is None else (*self.fixed_once_saved, *fields)

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        inlines = super().get_inlines(request, obj)
        return inlines if obj is None else (*inlines, *self.inlines_of_saved)

    def get_list_filter(self, request: HttpRequest) -> Any:
        return visible_filters(self.model, super().get_list_filter(request))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return ChangeList

    def prepare_rows(self, rows: list[Any]) -> None:
        """Looks up shared data for all rows of a page, or of a part of a file."""
        invoice_numbers.number_invoices(rows, self.invoice_path)

    def all_columns(self, request: HttpRequest) -> Any:
        """Omits the brand if there is only one, unless rows are about it."""
        columns = super().all_columns(request)
        if "brand" not in columns[1:] or has_brands(request):
            return columns
        return [column for column in columns if column != "brand"]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        rows, finders = offered(request, queryset), self.get_search_fields(request)
        if not all(map(callable, finders)):
            result: Any = super().get_search_results(request, rows, search_term)
            return result  # type: ignore[no-any-return] # unfold has no types
        return search.found(rows, search_term, finders, self.search_parts), False

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Any:
        """Reads the row once for a page, though its buttons ask for it too."""
        rows = request.__dict__.setdefault("_affiliates_rows", {})
        key = self.model, object_id, from_field
        if request.method != "GET" or key not in rows:
            rows[key] = super().get_object(request, object_id, from_field)
            self.prepare_rows([row for row in [rows[key]] if row is not None])
        return rows[key]


class _Inline(MergingInline, VisibleRows):
    show_title = True

    # unfold before 0.104 asks for the opposite.
    if not hasattr(theme.admin.TabularInline, "show_title"):

        @property
        def hide_title(self) -> bool:
            return not self.show_title


class TabularInline(_Inline, theme.admin.TabularInline):  # type: ignore[misc] # unfold has no types
    template = "affiliates/admin/rows.html"

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Labels each field, since the visible label is in the column's head."""
        formset = super().get_formset(request, obj, **kwargs)
        for field in formset.form.base_fields.values():
            field.widget.attrs.setdefault("aria-label", field.label or "")
        return formset


class StackedInline(_Inline, theme.admin.StackedInline): ...  # type: ignore[misc] # unfold has no types


class InlineFormSet(invoice_numbers.NumberedInvoices, theme.InlineFormSet): ...  # type: ignore[misc] # unfold has no types


def action(**options: Any) -> Callable[[Function], Function]:
    """A button of a list, of a row's page, or a bulk action."""
    decorate: Callable[[Function], Function] = theme.decorators.action(**options)
    return lambda do: decorate(asks_identity(do, options.get("permissions", ())))


def display(**options: Any) -> Callable[[Function], Function]:
    """Django's, with labels in colour where unfold draws them."""
    decorator: Callable[[Function], Function] = theme.decorators.display(**options)
    return decorator


def requires(*permissions: str) -> Any:
    """The method that allows or hides an action with its own permissions."""

    def has_permissions(
        page: Any, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return request.user.has_perms(permissions)

    has_permissions.permissions = permissions  # type: ignore[attr-defined] # for asks_identity
    return has_permissions


class LookOnly:
    """Allows viewing only: nothing is added, edited or deleted."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(FilledFields, LookOnly, ModelAdmin):
    """Rows that only services write. ``about`` tells operators what they are,
    ``nothing_yet`` how the first comes about.

    Newest first by primary key, which has an index and grows with time; what may be
    told late by its moment. Where they are many, only columns with an index sort.
    """

    about: ClassVar[str]
    nothing_yet = (
        "These rows appear by themselves as visitors come, register, order and pay."
    )
    change_list_template = "affiliates/admin/read_only_list.html"
    ordering = ("-pk",)
    list_per_page = 50

    def beside(self, row: Any) -> dict[str, Any]:
        """Returns further values for the template of a row's page, besides its fields."""
        return {}

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], **options: Any
    ) -> HttpResponse:
        context |= self.beside(options["obj"])
        page: HttpResponse = super().render_change_form(request, context, **options)
        return page


class ReadOnlyInline(LookOnly, TabularInline):
    formset = InlineFormSet
    extra = 0
    can_delete = False
    per_page = 50
    invoice_path: ClassVar[str] = ""
    # What the rows name and show of other tables, read with them.
    related: ClassVar[tuple[str, ...]] = ()

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related(*self.related) if self.related else rows

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
        formset.invoice_path = self.invoice_path
        return formset


class KeptWhileUsed:
    """Refuses to delete a row that others use, without loading those as Django does."""

    instead: ClassVar[str]

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions: dict[str, Any] = super().get_actions(request)  # type: ignore[misc] # ModelAdmin's
        actions.pop("delete_selected", None)
        return actions

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], **options: Any
    ) -> HttpResponse:
        row = options.get("obj")
        context["show_delete"] = row is None or _user_of(row) is None
        shown: HttpResponse = super().render_change_form(request, context, **options)  # type: ignore[misc] # ModelAdmin's
        return shown

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        page: Any = self
        row = page.get_object(request, object_id)
        user = None if row is None else _user_of(row)
        if user is None or not page.has_delete_permission(request, row):
            answer: HttpResponse = super().delete_view(  # type: ignore[misc] # ModelAdmin's
                request, object_id, extra_context
            )
            return answer
        page.message_user(
            request,
            f"{row} cannot be deleted, because {user} name it. {self.instead}",
            messages.ERROR,
        )
        name = f"{page.admin_site.name}:{page.opts.app_label}_{page.opts.model_name}"
        return HttpResponseRedirect(reverse(f"{name}_change", args=[object_id]))


def _user_of(row: Model) -> str | None:
    """The plural name of the first kind of row that protects this one."""
    for relation in row._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.on_delete is PROTECT:
            model = relation.related_model
            named = model._base_manager.filter(**{relation.field.name: row})
            if named.exists():
                return str(model._meta.verbose_name_plural)
    return None
