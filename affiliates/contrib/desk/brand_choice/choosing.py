"""The brand and days of a page: the brand asked for, or the one last looked at."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import HttpRequest

from affiliates.admin_tools.visible import visible_to
from affiliates.brands.models.brand import Brand
from affiliates.contrib.desk.brand_choice.models import LastBrand
from affiliates.contrib.desk.brand_choice.services import remember_brand
from affiliates.contrib.statistics.spans import ALL, Chosen, SpanForm, choose_days


def choose(
    request: HttpRequest, *, now: datetime, offers_all: bool = False
) -> Chosen | None:
    """Returns None if this person sees no brand. Remembers the brand asked for.

    ``offers_all``: the page can show all brands but test brands side by side.
    """
    last = LastBrand.objects.filter(person_id=request.user.pk)
    known: Any = Brand.objects.annotate(
        is_last=Exists(last.filter(brand=OuterRef("pk"))),
        all_are_last=Exists(last.filter(brand=None)),
    )
    brands = list(visible_to(request.user, known.order_by("name", "pk")))
    if not brands:
        return None
    data = request.GET.copy()
    asks_all = data.get("brand") == ALL
    if asks_all:
        del data["brand"]
    form = SpanForm(data, brands)
    form.is_valid()
    asked = form.cleaned_data.get("brand")
    offers_all = offers_all and sum(not brand.is_test for brand in brands) > 1
    is_all = offers_all and (asks_all or (asked is None and brands[0].all_are_last))
    if is_all and not brands[0].all_are_last:
        remember_brand(person_id=request.user.pk, brand_id=None)
    if asked is not None and not asked.is_last:
        remember_brand(person_id=request.user.pk, brand_id=asked.pk)
    brand = asked or min(brands, key=_preference)
    place = {"brand": ALL if is_all else str(brand.pk)}
    return choose_days(
        form, brand, brands, place, now=now, is_all=is_all, offers_all=offers_all
    )


def _preference(brand: Any) -> tuple[bool, bool, bool]:
    """The brand last looked at, else the first that is active, if possible no test."""
    return not brand.is_last, not brand.is_active, brand.is_test
