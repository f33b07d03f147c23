"""The parts of our admin pages, as unfold or Django's own admin draws them."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.html import format_html_join

from affiliates.admin_tools.theme import PARTS, STYLES

register = template.Library()


@register.simple_block_tag
def card(content: str, title: str = "") -> str:
    return render_to_string(PARTS["card"], {"title": title, "children": content})


@register.simple_block_tag
def submit(content: str, variant: str = "") -> str:
    context = {"submit": 1, "variant": variant, "children": content}
    return render_to_string(PARTS["button"], context)


@register.simple_tag
def form_field(field: Any) -> str:
    return render_to_string(PARTS["field"], {"field": field})


@register.simple_tag
def form_errors(errors: Any) -> str:
    return render_to_string(PARTS["errors"], {"errors": errors})


@register.simple_tag
def label(text: object, type: str = "") -> str:  # noqa: A002 - unfold's word
    return render_to_string(PARTS["label"], {"text": text, "type": type})


@register.simple_tag
def page_styles() -> str:
    links = ((static(path),) for path in STYLES)
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', links)
