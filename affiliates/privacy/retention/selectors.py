"""Which clicks may go."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from affiliates.brands.models.brand import Brand
from affiliates.privacy.retention.rules import ClickKind, kept_from
from affiliates.referrals.withdrawal import CAME_BY
from affiliates.visits.models import Click

_OF_KIND = {
    ClickKind.PEOPLE: Q(is_repeat=False, bot_signs=""),
    ClickKind.OTHERS: ~Q(is_repeat=False, bot_signs=""),
}


def purgeable_from(brand: Brand, kind: ClickKind, *, now: datetime) -> datetime | None:
    """The moment before which the brand's clicks of this kind may go. None: all stay."""
    is_people = kind is ClickKind.PEOPLE
    return kept_from(
        now,
        months=brand.click_months if is_people else brand.other_click_months,
        at_least=timedelta(
            days=max(brand.cookie_lifetime_days, brand.attribution_window_days)
        ),
    )


def purgeable_clicks(
    brand: Brand, kind: ClickKind, *, since: datetime | None, before: datetime
) -> QuerySet[Click]:
    """The clicks of this time that no client and no order came by, oldest first.

    The others are few, and say by which link and from where the client or order came.
    """
    clicks = Click.objects.filter(
        _OF_KIND[kind],
        *(
            ~Exists(model.objects.filter(**{column: OuterRef("pk")}))
            for model, column in CAME_BY
        ),
        brand=brand,
        created_at__lt=before,
    )
    window = clicks if since is None else clicks.filter(created_at__gte=since)
    return window.order_by("created_at")


def kept_sql(end: datetime) -> str:
    """The condition on ``source``, a click, that it stays when its month is dropped.

    A click whose id was made before ``end`` but whose time is not stays too.
    """
    came_by = (
        f"EXISTS (SELECT FROM {model._meta.db_table} r WHERE r.{column} = source.id)"  # noqa: S608 - names of tables and columns
        for model, column in CAME_BY
    )
    return " OR ".join([*came_by, f"source.created_at >= '{end.isoformat()}'"])
