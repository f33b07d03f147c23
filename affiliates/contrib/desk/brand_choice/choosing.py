"""The brand and days of a page: the brand asked for, or the one last looked at."""

from __future__ import annotations

from datetime import datetime

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
    known = visible_to(request.user, Brand.objects.order_by("name", "pk"))
    brands = list(known)
    if not brands:
        return None
    data = request.GET.copy()
    asks_all = data.get("brand") == ALL
    if asks_all:
        del data["brand"]
    form = SpanForm(data)
    form.fields["brand"].queryset = known  # type: ignore[attr-defined] # a ModelChoiceField's
    form.is_valid()
    asked: Brand | None = form.cleaned_data.get("brand")
    last = LastBrand.objects.filter(person_id=request.user.pk).first()
    offers_all = offers_all and sum(not one.is_test for one in brands) > 1
    wants_all = asks_all or (asked is None and last is not None and not last.brand_id)
    is_all = offers_all and wants_all
    if is_all or asked is not None:
        brand_id = None if asked is None else asked.pk
        if last is None or last.brand_id != brand_id:
            remember_brand(person_id=request.user.pk, brand_id=brand_id)
    brand = asked or _default(brands, last)
    place = {"brand": ALL if is_all else str(brand.pk)}
    return choose_days(
        form, brand, brands, place, now=now, is_all=is_all, offers_all=offers_all
    )


def _default(brands: list[Brand], last: LastBrand | None) -> Brand:
    """The brand last looked at, else the first that is active, if possible no test."""
    last_id = last.brand_id if last else None
    return min(
        brands, key=lambda one: (one.pk != last_id, not one.is_active, one.is_test)
    )
