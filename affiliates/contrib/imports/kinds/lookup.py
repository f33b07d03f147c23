"""Whom rows name: clients of the host and affiliates of the brand, asked for many at once."""

from __future__ import annotations

from collections.abc import Iterable

from affiliates.adapter import get_adapter
from affiliates.contracts import Client
from affiliates.contrib.imports.files.rows import Fault, ImportKind, Named, NamedBy
from affiliates.contrib.imports.models import ImportedRow
from affiliates.program.models import Affiliate


class Lookup:
    """What was asked for is remembered for the file."""

    def __init__(self, brand_id: int) -> None:
        self.clients: dict[Named, Client | None] = {}
        self.affiliates: dict[Named, Affiliate | None] = {}
        self._brand_id = brand_id

    def ask_clients(self, names: Iterable[Named]) -> None:
        new = {one for one in names if one not in self.clients}
        emails = {one.value for one in new if one.by is NamedBy.EMAIL}
        adapter = get_adapter()
        found = (
            adapter.clients_by_email(emails, brand_id=self._brand_id) if emails else {}
        )
        for one in new:
            client = (
                found.get(one.value)
                if one.by is NamedBy.EMAIL
                else adapter.get_client(one.value)
            )
            is_ours = client is not None and client.brand_id == self._brand_id
            self.clients[one] = client if is_ours else None

    def ask_affiliates(self, names: Iterable[Named]) -> None:
        new = {one for one in names if one not in self.affiliates}
        self.ask_clients(one for one in new if one.by is NamedBy.EMAIL)
        of_brand = Affiliate.objects.filter(brand_id=self._brand_id)
        codes = [one.value for one in new if one.by is NamedBy.CODE]
        found = {
            Named(NamedBy.CODE, one.code): one
            for one in of_brand.filter(code__in=codes)
        }
        known = ImportedRow.objects.filter(
            brand_id=self._brand_id,
            kind=ImportKind.AFFILIATES,
            key__in=[one.value for one in new if one.by is NamedBy.ID],
        )
        for row in known.select_related("affiliate"):
            found[Named(NamedBy.ID, row.key)] = row.affiliate
        clients = {
            one: client.id
            for one in new
            if one.by is NamedBy.EMAIL and (client := self.clients[one])
        }
        users = of_brand.filter(user_id__in=clients.values())
        by_user = {str(one.user_id): one for one in users}
        found |= {one: by_user[pk] for one, pk in clients.items() if pk in by_user}
        self.affiliates |= {one: found.get(one) for one in new}

    def client(self, named: Named) -> Client:
        """Raises Fault for nobody's client, another brand's and a guest."""
        client = self.clients[named]
        if client is None:
            raise Fault("unknown_client", "client", name=named.value)
        if client.is_guest:
            raise Fault("client_is_guest", "client", name=named.value)
        return client

    def affiliate(self, named: Named) -> Affiliate:
        """Raises Fault for a client who is no affiliate of the brand."""
        affiliate = self.affiliates[named]
        if affiliate is None:
            raise Fault("unknown_affiliate", "affiliate", name=named.value)
        return affiliate
