"""The brand's colours as a stylesheet: the pages hold no style of their own."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from affiliates.brands.selectors import brand_of_page
from affiliates.contrib.area.colours import (
    DARK_PAGE,
    DEFAULT,
    LIGHT_PAGE,
    Palette,
    palette,
)
from affiliates.errors import AffiliatesError

FRESH_SECONDS = 300


@require_safe
@cache_control(max_age=FRESH_SECONDS)
def brand_style(request: HttpRequest) -> HttpResponse:
    try:
        brand = brand_of_page(request)
        colour = brand.colour or DEFAULT
    except AffiliatesError:
        colour = DEFAULT
    light, dark = (palette(colour, page=page) for page in (LIGHT_PAGE, DARK_PAGE))
    text = f"{_rule(light)}@media (prefers-color-scheme: dark) {{{_rule(dark)}}}"
    return HttpResponse(text, content_type="text/css")


def _rule(colours: Palette) -> str:
    return f":root {{--accent: {colours.accent}; --on-accent: {colours.on_accent};}}"
