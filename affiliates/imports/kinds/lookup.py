"""Whom rows name: clients of the host and affiliates of the brand, asked for many at once."""

from __future__ import annotations

from collections.abc import Iterable

from affiliates.adapter import get_adapter
from affiliates.contracts import Client
from affiliates.imports.kinds.faults import Fault
from affiliates.imports.models import ImportedRow
from affiliates.imports.rows import ImportKind, Named, NamedBy
from affiliates.program.models import Affiliate


class Lookup:
    """What was asked for is remembered for the file."""

    def __init__(self, brand_id: int) -> None:
        self._brand_id = brand_id
        self._clients: dict[Named, Client | None] = {}
        self._affiliates: dict[Named, Affiliate | None] = {}

    def ask_clients(self, names: Iterable[Named]) -> None:
        new = {one for one in names if one not in self._clients}
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
            self._clients[one] = client if is_ours else None

    def ask_affiliates(self, names: Iterable[Named]) -> None:
        new = {one for one in names if one not in self._affiliates}
        self.ask_clients(one for one in new if one.by is NamedBy.EMAIL)
        affiliates = Affiliate.objects.filter(brand_id=self._brand_id)
        codes = affiliates.filter(
            code__in=[one.value for one in new if one.by is NamedBy.CODE]
        )
        by_code = {one.code: one for one in codes}
        known = ImportedRow.objects.filter(
            brand_id=self._brand_id,
            kind=ImportKind.AFFILIATES,
            key__in=[one.value for one in new if one.by is NamedBy.ID],
        )
        by_id = {one.key: one.affiliate for one in known.select_related("affiliate")}
        clients = {
            one: client.id
            for one in new
            if one.by is NamedBy.EMAIL and (client := self._clients[one])
        }
        users = affiliates.filter(user_id__in=clients.values())
        by_user = {str(one.user_id): one for one in users}
        for one in new:
            match one.by:
                case NamedBy.CODE:
                    self._affiliates[one] = by_code.get(one.value)
                case NamedBy.ID:
                    self._affiliates[one] = by_id.get(one.value)
                case NamedBy.EMAIL:
                    self._affiliates[one] = by_user.get(clients.get(one, ""))

    def find(self, named: Named) -> Client | None:
        return self._clients[named]

    def find_affiliate(self, named: Named) -> Affiliate | None:
        return self._affiliates[named]

    def client(self, named: Named) -> Client:
        """Raises Fault for nobody's client, another brand's and a guest."""
        client = self._clients[named]
        if client is None:
            raise Fault("unknown_client", "client", name=named.value)
        if client.is_guest:
            raise Fault("client_is_guest", "client", name=named.value)
        return client

    def affiliate(self, named: Named) -> Affiliate:
        """Raises Fault for whoever is no affiliate of the brand."""
        affiliate = self._affiliates[named]
        if affiliate is None:
            raise Fault("unknown_affiliate", "affiliate", name=named.value)
        return affiliate
