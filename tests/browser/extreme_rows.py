"""The demonstration's brand at the edge of what its columns and currencies hold."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.apps import apps
from django.utils import timezone

# Without a place to break a line, and from right to left.
WIDE = "W" * 160
HEBREW = ("שותפים לפרסום בע״מ ושות׳ " * 7)[:160]
TEXTS: dict[str, dict[str, str]] = {
    "portal.User": {"firstname": HEBREW, "lastname": WIDE},
    "affiliates.AffiliateLink": {"name": HEBREW},
    "affiliates_claims.MissingSaleClaim": {
        "order_hint": WIDE,
        "client_hint": HEBREW,
        "note": WIDE,
    },
}
# Twelve billion, in minor units: of no decimals, of two and of three.
NETS = {
    "JPY": 12_000_000_000,
    "USD": 1_200_000_000_000,
    "KWD": 12_000_000_000_000,
}
DAYS = 100


def fill() -> None:
    from affiliates.commissions.services.maturing import mature_all
    from affiliates.program.models import Affiliate
    from tests.factories.world import World
    from tests.hosts.host import current_host

    for label, texts in TEXTS.items():
        rows = apps.get_model(label)._default_manager
        rows.update(**{name: _cut(rows.model, name, texts[name]) for name in texts})
    affiliate = Affiliate.objects.get(code="demo")
    brand = affiliate.brand
    brand.name = _cut(type(brand), "name", WIDE)
    brand.time_zone = "Pacific/Kiritimati"
    brand.save()
    now = timezone.now()
    world = World(host=current_host(), brand=brand, affiliates=[affiliate])
    for currency, net in NETS.items():
        world.now = now - timedelta(days=DAYS)
        lines = [("hosting", "monthly", net)]
        order = world.sell(affiliate, currency=currency, lines=lines)
        world.pay(order.invoices[0])
        # The same once more, which is still on hold.
        world.now = now
        world.pay(world.renew(order))
    mature_all(now=lambda: now, should_stop=lambda: False)


def _cut(model: Any, name: str, text: str) -> str:
    return text[: model._meta.get_field(name).max_length]
