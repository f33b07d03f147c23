"""The effect of a withdrawal of consent on clients and orders that came by a click."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Q

from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits.consent.withdrawal import on_withdrawal, unlink
from affiliates.visits.models import Click

# The columns that name a click that a client or an order came by.
CAME_BY = tuple(
    (model, column)
    for model in (ClientReferral, OrderReferral)
    for column in ("click_id", "external_click_id")
)


@on_withdrawal
def unlink_visitor(clicks: Sequence[Click], *, brand_id: int) -> None:
    """Ends bindings of clients without an order, then unlinks clicks nobody came by."""
    ids = [click.pk for click in clicks]
    orders = OrderReferral.objects.filter(
        brand_id=brand_id, client_id=OuterRef("client_id")
    )
    ClientReferral.objects.filter(
        Q(click_id__in=ids) | Q(external_click_id__in=ids),
        ~Exists(orders),
        brand_id=brand_id,
    ).delete()
    kept = {
        pk
        for model, column in CAME_BY
        for pk in model.objects.filter(
            brand_id=brand_id, **{f"{column}__in": ids}
        ).values_list(column, flat=True)
    }
    unlink(click for click in clicks if click.pk not in kept)
