"""Change forms that show what matters first and fold the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse


class FoldedTopics:
    """Mixed into a ModelAdmin: the first fieldset and the first inline stand open.

    The other fieldsets are folded, each with the summary of its values in its title.
    """

    change_form_template: Any = "affiliates/admin/folded_form.html"

    def summaries_of(self, row: Any) -> Mapping[str, str]:
        """Returns a line for each folded fieldset, by its name."""
        raise NotImplementedError

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        page: Any = self
        first, *others = super().get_fieldsets(request, obj)  # type: ignore[misc] # ModelAdmin's
        summaries = self.summaries_of(page.model() if obj is None else obj)
        return (
            first,
            *(
                (f"{name}: {summaries[name]}", {**options, "classes": ("collapse",)})
                for name, options in others
            ),
        )

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], **options: Any
    ) -> HttpResponse:
        base = super().change_form_template or "admin/change_form.html"  # type: ignore[misc] # ModelAdmin's
        context["form_template"] = base
        page: HttpResponse = super().render_change_form(request, context, **options)  # type: ignore[misc] # ModelAdmin's
        return page
