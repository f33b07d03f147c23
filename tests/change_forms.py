"""Change forms of the admin, as a browser sends them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.forms import MultiWidget

from tests.drawing import undrawn_pages

TYPED = ("cap_amounts", "hold_days_by_cycle", "fixed_amounts", "joining_bonus", "tiers")
SHOWN = "_shown_values"


def filled_in(client: Any, address: str) -> dict[str, Any]:
    """What the browser sends of a row's page when nothing was changed."""
    with undrawn_pages():
        return posted_again(client.get(address))


def posted_again(page: Any) -> dict[str, Any]:
    """What the browser sends of a page that was shown, perhaps with errors."""
    context = page.context
    formsets = [inline.formset for inline in context["inline_admin_formsets"]]
    forms = [context["adminform"].form]
    for formset in formsets:
        forms += [formset.management_form, *formset.forms]
    values = {
        name: value for form in forms for field in form for name, value in _sent(field)
    }
    shown = {SHOWN: context["shown_values"]} if "shown_values" in context else {}
    return shown | {
        name: "on" if value is True else value
        for name, value in values.items()
        if value is not None and value is not False
    }


def _sent(field: Any) -> Iterator[tuple[str, Any]]:
    value = field.value()
    if field.name in TYPED:
        value = field.field.prepare_value(value)
    widget = field.field.widget
    if isinstance(widget, MultiWidget):
        for name, part in zip(
            widget.widgets_names, widget.decompress(value), strict=True
        ):
            yield f"{field.html_name}{name}", part
    else:
        yield field.html_name, value
