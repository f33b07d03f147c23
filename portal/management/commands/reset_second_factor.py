from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.clients.models import User
from portal.clients.second_factor import remove_devices
from portal.clients.staff_factor import remove_of_staff


class Command(BaseCommand):
    help = (
        "Removes the second factor of somebody of staff who has lost it, or of a client. "
        "Staff set one up anew at the next login; a client's password alone lets in."
    )

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("email")
        parser.add_argument(
            "--brand", metavar="NAME", help="The client's. Default: somebody of staff."
        )

    def handle(self, *args: Any, email: str, brand: str | None, **options: Any) -> None:
        if brand is None:
            try:
                user = User.objects.get_by_natural_key(email)
            except User.DoesNotExist:
                said = f"Nobody of staff has the address {email}."
                raise CommandError(said) from None
            remove_of_staff(user)
            self.stdout.write(f"{user} sets up a second factor at the next login")
            return
        clients = User.objects.with_email(email).filter(is_guest=False)
        client = clients.filter(brand__name=brand).first()
        if client is None:
            raise CommandError(f"No client of a brand {brand} has the address {email}.")
        remove_devices(client, is_by_staff=True)
        self.stdout.write(f"{client} logs in with the password alone")
