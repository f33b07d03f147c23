"""Remembers the brand that a person last looked at."""

from __future__ import annotations

from typing import Any

from affiliates.contrib.desk.brand_choice.models import LastBrand


def remember_brand(*, person_id: Any, brand_id: int | None) -> LastBrand:
    last, _ = LastBrand.objects.update_or_create(
        person_id=person_id, defaults={"brand_id": brand_id}
    )
    return last
