from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from oscar.apps.order.models import Order

from affiliates.adapter import HostAdapter, Reference
from affiliates.contracts import Client

GUEST = "guest-"


class Adapter(HostAdapter):
    def get_client(self, client_id: str) -> Client | None:
        if is_guest := client_id.startswith(GUEST):
            number = client_id.removeprefix(GUEST)
            orders = Order.objects.filter(user=None, number=number)
            email = orders.values_list("guest_email", flat=True).first()
        else:
            users = User.objects.filter(pk=client_id if client_id.isdecimal() else None)
            email = users.values_list("email", flat=True).first()
        if email is None:
            return None
        return Client(
            id=client_id,
            brand_id=settings.BRAND_ID,
            email=email,
            is_guest=is_guest,
        )

    def admin_url(self, reference: Reference, ref: str) -> str | None:
        if reference == Reference.CLIENT and not ref.startswith(GUEST):
            return reverse("dashboard:user-detail", args=[ref])
        return reverse("dashboard:order-detail", args=[ref.removeprefix(GUEST)])
