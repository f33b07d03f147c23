"""The head of a row's page: what it is, its status, and what can be done now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from affiliates.admin_tools.editing.fieldsets import EMPTY

BUTTONS = 3
Act = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """``facts`` are names with values; those without a value are not shown.

    Acts are titles with addresses: the first are ``buttons``, the others in a ``menu``.
    """

    name: object
    status: str = ""
    colour: str = "default"
    amount: str = ""
    facts: Sequence[tuple[str, object]] = ()
    note: str = ""
    buttons: Sequence[Act] = ()
    menu: Sequence[Act] = ()

    @property
    def shown_facts(self) -> list[tuple[str, object]]:
        return [(name, value) for name, value in self.facts if value not in EMPTY]

    def with_acts(self, acts: Sequence[Act]) -> Head:
        return replace(self, buttons=acts[:BUTTONS], menu=acts[BUTTONS:])


class HasHead:
    """A mixin for a ModelAdmin: the head shows the buttons in place of the theme."""

    # The paths of the acts that come first, in this order.
    first_acts: ClassVar[Sequence[str]] = ()
    change_form_outer_before_template: Any = "affiliates/admin/head.html"

    def head_of(self, request: HttpRequest, row: Any) -> Head:
        raise NotImplementedError

    def acts_of(self, request: HttpRequest, row: Any) -> list[Act]:
        page: Any = self
        details = page.get_actions_detail(request, str(row.pk))
        first = [*self.first_acts]
        details.sort(
            key=lambda act: first.index(act.path) if act.path in first else len(first)
        )
        site = page.admin_site.name
        return [
            (act.description, reverse(f"{site}:{act.action_name}", args=[row.pk]))
            for act in details
        ]

    def whole_head(self, request: HttpRequest, row: Any) -> Head:
        return self.head_of(request, row).with_acts(self.acts_of(request, row))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], **options: Any
    ) -> HttpResponse:
        if row := options.get("obj"):
            head = self.whole_head(request, row)
            context |= {"head": head, "actions_detail": [], "buttons": []}
        shown: HttpResponse = super().render_change_form(request, context, **options)  # type: ignore[misc] # ModelAdmin's
        return shown


class OnlyWhatIsPossible:
    """Hides buttons on a row's page whose action would be refused."""

    def is_possible(self, request: HttpRequest, row: Any, path: str) -> bool:
        """Whether to show the button whose action has this ``url_path``."""
        raise NotImplementedError

    def get_actions_detail(self, request: HttpRequest, object_id: str) -> Any:
        page: Any = self
        row = page.get_object(request, object_id)
        buttons = super().get_actions_detail(request, object_id)  # type: ignore[misc] # ModelAdmin's
        return [
            item
            for item in buttons
            if row and self.is_possible(request, row, item.path)
        ]
