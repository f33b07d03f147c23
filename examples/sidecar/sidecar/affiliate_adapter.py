"""What affiliates may ask of this host, and what the billing system reports to it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from django.db.models import Q

from affiliates.adapter import HostAdapter
from affiliates.contracts import Client as ClientFacts
from affiliates.contracts import ClientDetails
from affiliates.errors import NotAllowed
from affiliates.extending import ReportedClient, StoresClients
from sidecar.models import Client


class Adapter(HostAdapter, StoresClients):
    def get_client(self, client_id: str) -> ClientFacts | None:
        client = _clients([client_id]).first()
        if client is None:
            return None
        return ClientFacts(
            id=client.pk, brand_id=client.brand_id, email=client.email, is_guest=False
        )

    def client_details(
        self, client_ids: Collection[str]
    ) -> Mapping[str, ClientDetails]:
        return {
            client.pk: ClientDetails(email=client.email, name=client.first_name)
            for client in _clients(client_ids)
        }

    def find_clients(
        self, text: str, *, brand_id: int | None = None, limit: int = 50
    ) -> Sequence[str]:
        found = Client.objects.filter(Q(pk=text) | Q(email__iexact=text))
        brand = (
            {"brand_id__isnull": False} if brand_id is None else {"brand_id": brand_id}
        )
        return list(found.filter(**brand).values_list("pk", flat=True)[:limit])

    def store_client(self, client: ReportedClient, *, now: datetime) -> None:
        others = Client.objects.exclude(brand_id=client.brand_id)
        if others.filter(pk=client.client_id).exists():
            raise NotAllowed("client_of_another_brand", "This id is somebody else's.")
        if Client.objects.filter(pk=client.client_id, is_active=False).exists():
            return  # Erased: the biller has sent an earlier report again.
        Client.objects.update_or_create(
            pk=client.client_id,
            defaults={
                "brand_id": client.brand_id,
                "username": f"client-{client.client_id}",
                "email": client.email,
                "first_name": client.name[:150],
            },
        )

    def forget_client(self, client_id: str, *, brand_id: int) -> None:
        rows = Client.objects.filter(pk=client_id, brand_id=brand_id)
        rows.update(email="", first_name="", is_active=False)


def _clients(client_ids: Collection[str]):
    """PostgreSQL refuses a text with a zero byte."""
    known = [client_id for client_id in client_ids if client_id.isprintable()]
    return Client.objects.filter(pk__in=known, brand_id__isnull=False)
