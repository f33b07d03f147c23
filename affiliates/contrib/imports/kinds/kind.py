"""Shared base of the kinds of rows: judged one by one, written all at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.contracts import Client
from affiliates.contrib.imports.files.rows import Fault, ImportKind, Named, NamedBy
from affiliates.contrib.imports.models import ImportedRow
from affiliates.program.models import Affiliate


class Lookup:
    """Finds clients and affiliates, and remembers them for the whole file."""

    def __init__(self, brand_id: int) -> None:
        self.clients: dict[Named, Client | None] = {}
        self.affiliates: dict[Named, Affiliate | None] = {}
        self._brand_id = brand_id

    def ask_clients(self, names: Iterable[Named]) -> None:
        new = {name for name in names if name not in self.clients}
        emails = {name.value for name in new if name.by is NamedBy.EMAIL}
        adapter = get_adapter()
        clients = (
            adapter.clients_by_email(emails, brand_id=self._brand_id) if emails else {}
        )
        for one in new:
            client = (
                clients.get(one.value)
                if one.by is NamedBy.EMAIL
                else adapter.get_client(one.value)
            )
            is_ours = client is not None and client.brand_id == self._brand_id
            self.clients[one] = client if is_ours else None

    def ask_affiliates(self, names: Iterable[Named]) -> None:
        new = {name for name in names if name not in self.affiliates}
        self.ask_clients(name for name in new if name.by is NamedBy.EMAIL)
        of_brand = Affiliate.objects.filter(brand_id=self._brand_id)
        codes = [name.value for name in new if name.by is NamedBy.CODE]
        affiliates = {
            Named(NamedBy.CODE, affiliate.code): affiliate
            for affiliate in of_brand.filter(code__in=codes)
        }
        known = ImportedRow.objects.filter(
            brand_id=self._brand_id,
            kind=ImportKind.AFFILIATES,
            key__in=[name.value for name in new if name.by is NamedBy.ID],
        )
        for row in known.select_related("affiliate"):
            affiliates[Named(NamedBy.ID, row.key)] = row.affiliate
        clients = {
            name: client.id
            for name in new
            if name.by is NamedBy.EMAIL and (client := self.clients[name])
        }
        users = of_brand.filter(user_id__in=clients.values())
        by_user = {str(user.user_id): user for user in users}
        affiliates |= {
            name: by_user[pk] for name, pk in clients.items() if pk in by_user
        }
        self.affiliates |= {name: affiliates.get(name) for name in new}

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


Row = TypeVar("Row")
AT_ONCE = 500


class Found(NamedTuple):
    """Data to write for a row; ``made`` is None if the affiliate is stored already."""

    key: str
    affiliate: Affiliate
    made: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """For whom rows are imported, by whom and when."""

    brand: Brand
    actor_id: Any
    now: datetime


class Kind(Generic[Row]):
    """Rows of one kind, of one file. What a further row says again is remembered."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.lookup = Lookup(run.brand.pk)
        # What was looked up, by how rows name it.
        self.known: dict[str, Any] = {}
        self._said: dict[Hashable, int] = {}

    def look_up(self, rows: Sequence[Row]) -> None:
        """Ask for all that these rows name."""
        raise NotImplementedError

    def judge(self, row: Row, number: int) -> Found | None:
        """Returns the data to write, None if stored. Raises Fault. Writes nothing."""
        raise NotImplementedError

    def write(self, rows: Sequence[Found]) -> None:
        """In the transaction of the whole file."""
        raise NotImplementedError

    def settle(self, keys: Sequence[str]) -> None:
        """Does the work that follows the commit of these rows. May be repeated."""

    def say_once(self, number: int, *said: Hashable) -> None:
        """Raises Fault where an earlier row says the same."""
        first = self._said.setdefault(said, number)
        if first != number:
            raise Fault("repeats_row", row=first)


def checked(row: Model, *, leaving: Sequence[str]) -> None:
    """Checks the row's own values as the admin does. Raises Fault."""
    try:
        row.clean_fields(exclude=leaving)
    except ValidationError as refusal:
        name = next(iter(refusal.error_dict))
        raise Fault("invalid_value", name, value=str(getattr(row, name))) from None
