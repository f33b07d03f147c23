from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.clients.models import User
from portal.clients.second_factor import remove_devices


class Command(BaseCommand):
    help = (
        "Removes the second factor of somebody of staff who has lost it. They set one up "
        "anew at the next login."
    )

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, email: str, **options: Any) -> None:
        try:
            user = User.objects.get_by_natural_key(email)
        except User.DoesNotExist:
            raise CommandError(f"Nobody of staff has the address {email}.") from None
        remove_devices(user)
        self.stdout.write(f"{user} sets up a second factor at the next login")
