"""Twenty affiliates of the demonstration's brand who are paid by the simulated PayPal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.utils import timezone

from affiliates.brands.models.brand import Brand
from affiliates.brands.roles import FINANCE, group_name
from affiliates.commissions.services.maturing import mature_all
from affiliates.payouts.models import PayoutTerms
from affiliates.payouts.services.destinations import change_destination
from affiliates.program.models import Affiliate
from portal.demo.accounts import AFFILIATE_EMAIL
from tests.factories.affiliates import AffiliateFactory
from tests.factories.portal import ClientFactory, StaffFactory
from tests.factories.world import World
from tests.hosts.host import current_host

FATES = ("unclaimed", "failed", "returned")
NET = 100_000


def fill(brand_id: int, count: int) -> str:
    """The e-mail address of the second person."""
    now = timezone.now()
    brand = Brand.objects.get(pk=brand_id)
    PayoutTerms.objects.get(brand=brand).change(needs_second_person=True)
    second = StaffFactory(email="second@example.com", is_superuser=False)
    second.groups.add(Group.objects.get(name=group_name(FINANCE)))
    mine = Affiliate.objects.get(user__email=AFFILIATE_EMAIL)
    world = World(
        host=current_host(),
        brand=brand,
        affiliates=[mine],
        now=now - timedelta(days=90),
    )
    names = ["mine", *FATES, *(f"partner-{number}" for number in range(count - 4))]
    for name in names[1:]:
        user: Any = ClientFactory(brand=brand, email=f"{name}@clients.example")
        world.affiliates.append(AffiliateFactory(brand=brand, user=user, code=name))
    for name, affiliate in zip(names, world.affiliates, strict=True):
        change_destination(
            affiliate_id=affiliate.pk,
            kind="paypal",
            values={"email": f"{name}@example.org"},
            now=world.now,
        )
        visitor = world.arrive()
        world.visit(visitor, affiliate)
        world.register(visitor)
        lines = [("hosting", "annually", NET)]
        world.pay(world.convert(visitor, currency="EUR", lines=lines).invoices[0])
    mature_all(now=lambda: now)
    return str(second.email)
