"""What affiliates may ask of this service."""

from django.conf import settings
from django.contrib.auth.models import User

from affiliates.adapter import HostAdapter, Reference
from affiliates.contracts import Client

PAGES = {Reference.ORDER: "subscriptions", Reference.INVOICE: "invoices"}


class Adapter(HostAdapter):
    def get_client(self, client_id: str) -> Client | None:
        users = User.objects.filter(pk=client_id) if client_id.isdecimal() else ()
        for user in users:
            return Client(
                id=str(user.pk),
                brand_id=settings.BRAND_ID,
                email=user.email,
                is_guest=False,
            )
        return None

    def admin_url(self, reference: Reference, ref: str) -> str | None:
        page = PAGES.get(reference)
        return page and f"https://dashboard.stripe.com/{page}/{ref}"
