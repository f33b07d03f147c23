"""The brand's colours as a stylesheet: the pages hold no style of their own."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from affiliates.brands.rules import Font
from affiliates.brands.selectors import brand_of_page
from affiliates.core.colours import DEFAULT_COLOUR, Palette, palette
from affiliates.errors import AffiliatesError

FRESH_SECONDS = 300
# Of the grounds that links are on, the one that a colour is harder to tell from: around
# the cards where it is light, and of the cards where it is dark. static/affiliates/area.css
LIGHT_PAGE, DARK_PAGE = "#f4f5f7", "#1b1f26"


@require_safe
@cache_control(max_age=FRESH_SECONDS)
def brand_style(request: HttpRequest) -> HttpResponse:
    try:
        brand = brand_of_page(request)
        colour, font = brand.colour or DEFAULT_COLOUR, brand.font
    except AffiliatesError:
        colour, font = DEFAULT_COLOUR, Font.SYSTEM
    light, dark = (palette(colour, page=page) for page in (LIGHT_PAGE, DARK_PAGE))
    text = (
        f"{_rule(light)}@media (prefers-color-scheme: dark) {{{_rule(dark)}}}"
        f":root {{--font: {font.stack};}}"
    )
    return HttpResponse(text, content_type="text/css")


def _rule(colours: Palette) -> str:
    return f":root {{--accent: {colours.accent}; --on-accent: {colours.on_accent};}}"
