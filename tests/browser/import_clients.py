"""So many clients of a brand, to be imported as affiliates."""

from __future__ import annotations

EMAIL = "client-{}@example.com"


def fill(count: int) -> str:
    from portal.clients.models import User
    from tests.factories.affiliates import BrandFactory

    brand = BrandFactory(name="Nordlicht Hosting", client_area="nordlicht.example")
    clients = [
        User(brand=brand, email=EMAIL.format(number), password="!")
        for number in range(count)
    ]
    User.objects.bulk_create(clients, batch_size=500)
    return str(brand)
