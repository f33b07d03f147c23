"""The parts of unfold that our admin pages use, made with Django's own admin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.forms import BaseInlineFormSet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse


@dataclass(frozen=True)
class Button:
    """An action of a list or of a row's page, with its path and view."""

    action_name: str
    description: str
    path: str
    view: Callable[..., HttpResponse]
    permissions: Sequence[str]


class ModelAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # of any model
    actions_list: ClassVar[Sequence[str]] = ()
    actions_detail: ClassVar[Sequence[str]] = ()
    change_list_template: ClassVar[Any] = "affiliates/admin/change_list.html"
    change_form_template: ClassVar[Any] = "affiliates/admin/plain/change_form.html"
    # Shown above the form of a row.
    change_form_outer_before_template: ClassVar[str | None] = None

    def get_urls(self) -> list[URLPattern]:
        return [
            *self._urls("", self.actions_list),
            *self._urls("<path:object_id>/", self.actions_detail),
            *super().get_urls(),
        ]

    def get_actions_list(self, request: HttpRequest) -> list[Button]:
        return [
            button
            for button in self._buttons(self.actions_list)
            if self._may(request, button)
        ]

    def get_actions_detail(self, request: HttpRequest, object_id: str) -> list[Button]:
        buttons = self._buttons(self.actions_detail)
        return [button for button in buttons if self._may(request, button, object_id)]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        shown = {"buttons": self._links(self.get_actions_list(request))}
        return super().changelist_view(request, {**shown, **(extra_context or {})})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> Any:
        buttons = self.get_actions_detail(request, object_id) if object_id else []
        shown = {"buttons": self._links(buttons, object_id)}
        return super().changeform_view(
            request, object_id, form_url, {**shown, **(extra_context or {})}
        )

    def _urls(self, prefix: str, names: Sequence[str]) -> Iterator[URLPattern]:
        for button in self._buttons(names):
            view = self.admin_site.admin_view(button.view)
            yield path(f"{prefix}{button.path}/", view, name=button.action_name)

    def _buttons(self, names: Sequence[str]) -> list[Button]:
        page = f"{self.opts.app_label}_{self.opts.model_name}"
        return [
            Button(
                action_name=f"{page}_{name}",
                description=getattr(view, "short_description", name),
                path=getattr(view, "url_path", name),
                view=view,
                permissions=getattr(view, "allowed_permissions", ()),
            )
            for name in names
            for view in [getattr(self, name)]
        ]

    def _may(self, request: HttpRequest, button: Button, *object_id: str) -> bool:
        return is_permitted(self, request, button.permissions, *object_id)

    def _links(
        self, buttons: Sequence[Button], object_id: str | None = None
    ) -> list[tuple[str, str]]:
        args = [] if object_id is None else [object_id]
        return [
            (
                button.description,
                reverse(f"{self.admin_site.name}:{button.action_name}", args=args),
            )
            for button in buttons
        ]


class InlineFormSet(BaseInlineFormSet):  # type: ignore[type-arg] # of any model
    """Shows the first ``per_page`` rows."""

    per_page: ClassVar[int | None] = None

    def get_queryset(self) -> Any:
        if not hasattr(self, "_shown"):
            self._shown = super().get_queryset()[: self.per_page]
        return self._shown


class _Inline:
    formset: Any = InlineFormSet
    per_page: ClassVar[int | None] = None

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)  # type: ignore[misc] # an inline's
        formset.per_page = self.per_page
        return formset


class TabularInline(_Inline, admin.TabularInline):  # type: ignore[type-arg] # of any model
    pass


class StackedInline(_Inline, admin.StackedInline):  # type: ignore[type-arg] # of any model
    pass


def action(
    *, permissions: Sequence[str] = (), description: str = "", url_path: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def permitted(
            page: Any, request: HttpRequest, *args: Any, **kwargs: Any
        ) -> Any:
            if not is_permitted(page, request, permissions, *kwargs.values()):
                raise PermissionDenied
            return function(page, request, *args, **kwargs)

        permissions_by_name = {
            "allowed_permissions": permissions,
            "short_description": description,
            "url_path": url_path,
        }
        permitted.__dict__.update(
            {name: value for name, value in permissions_by_name.items() if value}
        )
        return permitted

    return decorate


def display(
    *, label: Any = None, **options: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Django's; what unfold shows as labels is shown as text."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def text(*args: Any) -> Any:
            return _text_of(function(*args))

        shown: Callable[..., Any] = function if label is None else text
        decorated: Callable[..., Any] = admin.display(**options)(shown)
        return decorated

    return decorate


def is_permitted(
    page: Any, request: HttpRequest, permissions: Sequence[str], *object_id: Any
) -> bool:
    return all(
        getattr(page, f"has_{permission}_permission")(request, *object_id)
        for permission in permissions
    )


def _text_of(shown: Any) -> Any:
    """Returns the text of one label, given as (value, text), or of a list of labels."""
    if isinstance(shown, tuple):
        return shown[1]
    return ", ".join(shown) if isinstance(shown, list) else shown
