"""So many clients of a brand, to be imported as affiliates.

Run as ``python -m tests.browser.import_clients COUNT`` in the environment of a
demonstration; prints the name of their brand.
"""

from __future__ import annotations

import os
import sys

import django

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


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    print(fill(int(sys.argv[1])))  # noqa: T201 - what the test reads
