"""Chooses unfold or Django's own admin for the pages, and the AdminSite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.apps import apps
from django.contrib.admin import AdminSite
from django.contrib.admin import site as default_site
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model
from django.utils.module_loading import import_string

from affiliates.conf import conf

P = TypeVar("P")

OURS = "affiliates."
HAS_UNFOLD = apps.is_installed("unfold")
# The parts that our templates are made of, with those of unfold.
UNFOLD_PARTS = {
    "card": "unfold/components/card.html",
    "button": "unfold/components/button.html",
    "field": "unfold/helpers/field.html",
    "label": "unfold/helpers/label.html",
    "errors": "unfold/helpers/form_errors.html",
}

admin: Any
decorators: Any
InlineFormSet: Any
ChangeList: Any

if HAS_UNFOLD:
    from unfold import admin as unfold
    from unfold import decorators as unfold_decorators
    from unfold import forms, views

    admin, decorators = unfold, unfold_decorators
    InlineFormSet = forms.PaginationInlineFormSet
    ChangeList = views.ChangeList
    PARTS = UNFOLD_PARTS
    FOLDED_ROWS = "affiliates/admin/folded_rows.html"
    STYLES: tuple[str, ...] = ("affiliates/admin.css",)
else:
    from django.contrib.admin.views import main

    from affiliates.admin_tools import plain

    admin, decorators = plain, plain
    InlineFormSet = plain.InlineFormSet
    ChangeList = main.ChangeList
    PARTS = {name: f"affiliates/admin/plain/{name}.html" for name in UNFOLD_PARTS}
    FOLDED_ROWS = "admin/edit_inline/stacked.html"
    STYLES = ("affiliates/admin.css", "affiliates/plain.css")


# By model: the classes that `extend_page` mixes into its page.
EXTENSIONS: dict[type[Model], list[type[Any]]] = {}


def host_site() -> AdminSite:
    """The site of AFFILIATES_ADMIN_SITE, else Django's default one."""
    path = conf.admin_site
    if not path:
        return default_site
    try:
        site = import_string(path)
    except ImportError as fault:
        raise ImproperlyConfigured(f"AFFILIATES_ADMIN_SITE: {fault}") from fault
    if not isinstance(site, AdminSite):
        raise ImproperlyConfigured(
            f"AFFILIATES_ADMIN_SITE is {path!r}, which is no AdminSite."
        )
    return site


def register_page(*models: type[Model]) -> Callable[[type[P]], type[P]]:
    """Registers the decorated page, also in place of the page of ours that it extends.

    On the host's site as well; a page that the host has of its own is left alone.
    """

    def decorate(page: type[P]) -> type[P]:
        for site in {default_site, host_site()}:
            for model in models:
                _register(site, model, page)
        return page

    return decorate


def extend_page(*models: type[Model]) -> Callable[[type[P]], type[P]]:
    """Mixes the decorated class into our page of these models.

    Unlike a subclass in `register_page`, it need not know which other apps extend the
    page, nor their order. Its ``actions`` and ``actions_list`` come after the page's own.
    """

    def decorate(part: type[P]) -> type[P]:
        for model in models:
            EXTENSIONS.setdefault(model, []).append(part)
            for site in {default_site, host_site()}:
                if site.is_registered(model):
                    _register(site, model, _own(type(site.get_model_admin(model))))
        return part

    return decorate


def _register(site: AdminSite, model: type[Model], page: type[Any]) -> None:
    if site.is_registered(model):
        held = type(site.get_model_admin(model))
        if not held.__module__.startswith(OURS) or not issubclass(page, _own(held)):
            return
        site.unregister(model)
    site.register(model, _extended(model, page))


def _own(page: type[Any]) -> type[Any]:
    """Returns the page as it was registered, without the parts."""
    own: type[Any] = vars(page).get("page_without_parts", page)
    return own


def _extended(model: type[Model], page: type[Any]) -> type[Any]:
    parts = [part for part in EXTENSIONS.get(model, ()) if not issubclass(page, part)]
    if not parts:
        return page
    added = {
        kind: [name for part in parts for name in getattr(part, kind, ())]
        for kind in ("actions", "actions_list")
    }
    attributes = {
        "__module__": page.__module__,
        **{kind: (*getattr(page, kind), *names) for kind, names in added.items()},
        "page_without_parts": page,
    }
    kind: Any = type(page)
    extended: type[Any] = kind(page.__name__, (*parts, page), attributes)
    return extended
