"""The base classes of every admin page, drawn by unfold or by Django's own admin.

unfold has no types. Everything here that takes after it is a class and a decorator that a
type checker knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from django.contrib import messages
from django.contrib.admin import ShowFacets
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import PROTECT, ForeignObjectRel, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import cached_property

from affiliates.admin_tools import theme

MAX_COUNTED_ROWS = 10_000

Function = TypeVar("Function", bound=Callable[..., Any])


class ModelAdmin(theme.admin.ModelAdmin):  # type: ignore[misc] # unfold has no types
    """``fixed_once_saved`` are fields that nobody edits from then on."""

    fixed_once_saved: ClassVar[tuple[str, ...]] = ()
    inlines_of_saved: ClassVar[tuple[type[TabularInline], ...]] = ()

    class Media:
        css: ClassVar = {"all": theme.STYLES}

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if obj is None else (*self.fixed_once_saved, *fields)

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        inlines = super().get_inlines(request, obj)
        return inlines if obj is None else (*inlines, *self.inlines_of_saved)


class TabularInline(theme.admin.TabularInline):  # type: ignore[misc] # unfold has no types
    pass


class StackedInline(theme.admin.StackedInline):  # type: ignore[misc] # unfold has no types
    pass


class InlineFormSet(theme.InlineFormSet):  # type: ignore[misc] # unfold has no types
    pass


def action(**options: Any) -> Callable[[Function], Function]:
    """A button of a list, of a row's page, or a bulk action."""
    decorator: Callable[[Function], Function] = theme.decorators.action(**options)
    return decorator


def display(**options: Any) -> Callable[[Function], Function]:
    """Django's, with labels in colour where unfold draws them."""
    decorator: Callable[[Function], Function] = theme.decorators.display(**options)
    return decorator


def requires(*permissions: str) -> Any:
    """The method by which an action with permissions of its own is allowed or hidden."""

    def has_permissions(
        page: Any, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return request.user.has_perms(permissions)

    return has_permissions


class BoundedPaginator(Paginator):  # type: ignore[type-arg] # of whatever rows
    """Counts no further than 10,000 rows: a filter or a search leads to the rest."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:MAX_COUNTED_ROWS].count())


class LookOnly:
    """Everything can be looked at, nothing added, edited or deleted."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(LookOnly, ModelAdmin):
    """Rows that only services write. ``about`` tells operators what they are,
    ``nothing_yet`` how the first comes about.

    Newest first by primary key, which has an index and grows with time.
    """

    about: ClassVar[str]
    nothing_yet = (
        "These rows appear by themselves as visitors come, register, order and pay."
    )
    change_list_template = "affiliates/admin/read_only_list.html"
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    paginator = BoundedPaginator

    def beside(self, row: Any) -> dict[str, Any]:
        """What the page of a row shows besides its fields, for the page's template."""
        return {}

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], **options: Any
    ) -> HttpResponse:
        context |= self.beside(options["obj"])
        page: HttpResponse = super().render_change_form(request, context, **options)
        return page


class ReadOnlyInline(LookOnly, TabularInline):
    extra = 0
    can_delete = False
    per_page = 50
    # What the rows name and show of other tables, read with them.
    related: ClassVar[tuple[str, ...]] = ()

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related(*self.related) if self.related else rows


class FilledFromAddress:
    """Ids in the address that name no row are left out: autocomplete fails at some."""

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        page: Any = self
        initial: dict[str, Any] = super().get_changeform_initial_data(request)  # type: ignore[misc] # ModelAdmin's
        for name in initial.keys() & set(page.autocomplete_fields):
            try:
                page.opts.get_field(name).clean(initial[name], None)
            except ValidationError:
                del initial[name]
        return initial


class KeptWhileUsed:
    """Refuses to delete what other rows name, in one sentence and at little cost.

    Django would load every one of those rows to list them.
    """

    instead: ClassVar[str]

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions: dict[str, Any] = super().get_actions(request)  # type: ignore[misc] # ModelAdmin's
        actions.pop("delete_selected", None)
        return actions

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
        if not isinstance(relation, ForeignObjectRel):
            continue
        if getattr(relation, "on_delete", None) is PROTECT:
            model = relation.related_model
            named = model._base_manager.filter(**{relation.field.name: row})
            if named.exists():
                return str(model._meta.verbose_name_plural)
    return None
