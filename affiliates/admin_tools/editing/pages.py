"""The parts of admin pages whose forms two people, or one for long, may have open."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db import router, transaction
from django.http import HttpRequest

from affiliates.admin_tools.editing.drafts import form_shown_again
from affiliates.admin_tools.editing.merging import merging_form, shown_values


class MergesEdits:
    """Mixed into a ModelAdmin. Its change form includes ``shown_values``."""

    model: Any
    # unfold includes it inside the form, as our form for Django's own admin does.
    change_form_before_template: Any = "affiliates/admin/shown_values.html"

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Any:
        if request.method == "POST":
            self._lock(object_id)
        return super().get_object(request, object_id, from_field)  # type: ignore[misc] # ModelAdmin's

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)  # type: ignore[misc] # ModelAdmin's
        form = form_shown_again(form, request)
        return merging_form(form, request) if change else form

    def render_change_form(
        self, request: Any, context: Any, *args: Any, **options: Any
    ) -> Any:
        if options.get("change"):
            form, inlines = context["adminform"].form, context["inline_admin_formsets"]
            context["shown_values"] = shown_values(form, inlines)
        return super().render_change_form(request, context, *args, **options)  # type: ignore[misc] # ModelAdmin's

    def _lock(self, object_id: str) -> None:
        """Makes a save wait for another one of the same row."""
        if not transaction.get_connection(
            router.db_for_write(self.model)
        ).in_atomic_block:
            return
        try:
            key = self.model._meta.pk.to_python(object_id)
        except ValidationError:
            return
        rows = self.model._base_manager.select_for_update(no_key=True)
        rows.filter(pk=key).values_list("pk").first()


class MergingInline:
    """Mixed into an inline of such a page."""

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)  # type: ignore[misc] # an inline's
        formset.form = merging_form(formset.form, request)
        return formset
