"""The interface to the host: one class to write, named in ``AFFILIATES_ADAPTER``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from django.http import HttpRequest
from django.utils.module_loading import import_string
from moneyed import Money

from affiliates.conf import conf
from affiliates.contracts import (
    Client,
    ClientDetails,
    ClientRegistration,
    CouponMade,
    CouponRequest,
    GuestRegistration,
    OrderConversion,
    PreparedConversion,
    RegisteredClient,
    RegistrationCompletion,
    WalletCredit,
)
from affiliates.errors import NotFound, StateConflict


class Reference(StrEnum):
    """Kinds of host objects that the admin pages of affiliates link to."""

    CLIENT = "client"
    ORDER = "order"
    INVOICE = "invoice"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueProduct:
    """A product with the words of its ``InvoiceLine``.

    ``tld`` and ``operations`` are a domain's, the first invoice's operation first; its
    renewals have one too. ``prices`` are billing cycles with amounts before tax.
    """

    product_ref: str
    name: str
    kind: str
    tld: str = ""
    operations: tuple[str, ...] = ()
    prices: tuple[tuple[str, Money], ...] = ()


class HostAdapter(ABC):
    """The host's answers. Every host has to write ``get_client`` only.

    The first five methods serve our registration and conversion endpoints. If a host
    leaves one out, its endpoint answers 404, and the host reports its clients and
    orders by ``host_events``. Refuse by raising a class of ``affiliates.errors``, or
    Django's ValidationError: the API answers with the matching status.
    """

    def register_client(
        self, registration: ClientRegistration, *, now: datetime
    ) -> RegisteredClient:
        """Create a client of the brand, inside the transaction of the registration.

        Raises InvalidInput on ``field="email"`` if the brand already has that e-mail
        address, also when two requests race. The host decides whether a password is
        strong enough.
        """
        raise _not_offered()

    def register_guest(
        self, registration: GuestRegistration, *, now: datetime
    ) -> RegisteredClient:
        """Create a guest: a user who may fill a basket, and nothing else.

        Called inside the transaction of the registration.
        """
        raise _not_offered()

    def complete_registration(
        self, completion: RegistrationCompletion, *, now: datetime
    ) -> RegisteredClient:
        """Turn the guest into a full client, keeping its id.

        Called inside the transaction of the registration. The caller has checked that
        the request comes from the guest. Raises StateConflict if the registration is
        already complete.
        """
        raise _not_offered()

    def prepare_conversion(
        self, conversion: OrderConversion, *, now: datetime
    ) -> PreparedConversion:
        """Lock and check the client's order; return its initial invoice's reference.

        Called first, inside the transaction of the conversion. The attribution is
        decided from the answer: the order may not change until the transaction ends.
        Lock nothing here that other orders need, such as a counter of invoices. For an
        order that is already converted, return the reference and time of its invoice.

        Raises NotFound for an order that is absent or another client's, and
        InvalidInput for an empty basket or for payment details that are not the
        client's.
        """
        raise _not_offered()

    def finish_conversion(self, prepared: PreparedConversion) -> Mapping[str, object]:
        """Create the initial invoice; return the endpoint's answer under ``data``.

        Called last, inside the same transaction, after the attribution is stored and
        any payment reported before is settled. Take an invoice number without gaps
        here, as late as possible: other orders wait for it until the commit, which
        follows. A repeat creates nothing and returns the same.
        """
        raise _not_offered()

    @abstractmethod
    def get_client(self, client_id: str) -> Client | None:
        """The client with this id, or None if it is not the id of a brand's client.

        Called with any text, inside or outside a transaction, also while locks are
        held: answer at once, and write nothing.
        """

    def client_details(
        self, client_ids: Collection[str]
    ) -> Mapping[str, ClientDetails]:
        """Name, e-mail and language of each of these clients; unknown ones left out.

        Called once for all rows of a page or a batch of e-mails, mostly outside any
        transaction. The default calls ``get_client`` for each and knows no names:
        override it with a single query unless there are only a few clients.
        """
        clients = {client_id: self.get_client(client_id) for client_id in client_ids}
        return {
            client_id: ClientDetails(email=client.email)
            for client_id, client in clients.items()
            if client is not None
        }

    def staff_language(self, email: str) -> str:
        """The language of the member of staff with this address, such as ``de``.

        Called before an e-mail to a brand's staff is written, outside any transaction.
        "", as the default answers: that of the settings.
        """
        return ""

    def find_clients(
        self, text: str, *, brand_id: int | None = None, limit: int = 50
    ) -> Sequence[str]:
        """The ids of clients, of every brand or one, that match staff's search text.

        By e-mail, name, or another property known to the host; the best first, at most
        ``limit``. Called by the searches of the admin, mostly outside any transaction.
        """
        return ()

    def clients_by_email(
        self, emails: Collection[str], *, brand_id: int
    ) -> Mapping[str, Client]:
        """Each client of the brand with one of these addresses, by address as given.

        Called by imports, for a few hundred at once; case is ignored, and guests are
        left out. The default calls ``find_clients`` and ``get_client`` for each:
        override it with a single query if many affiliates are to be imported.
        """
        references = {}
        for email in emails:
            for client_id in self.find_clients(email, brand_id=brand_id):
                client = self.get_client(client_id)
                if client is None or client.is_guest:
                    continue
                if client.email.casefold() == email.casefold():
                    references[email] = client
        return references

    def is_service_active(self, order_ref: str, *, brand_id: int) -> bool | None:
        """Whether the ordered service is still active; None if the host cannot say.

        Called when a commission's hold is over, outside our transactions and locks.
        """
        return None

    def credit_wallet(self, credit: WalletCredit, *, now: datetime) -> str:
        """Add the amount to the client's account credit and return its reference.

        Called when a payout to account credit is confirmed, in a separate transaction.
        The same ``payout_ref`` again adds nothing and returns the same reference.
        """
        raise StateConflict("no_wallet", "This portal keeps no account credit.")

    def make_coupon(self, request: CouponRequest, *, now: datetime) -> CouponMade:
        """Create your coupon for an affiliate's code, in the transaction that stores it.

        Your checkout enforces the request. Raises InvalidInput for unknown terms and, on
        ``field="code"``, for a code that cannot be had. The default makes no coupon.
        """
        return CouponMade()

    def end_coupon(self, coupon_ref: str, *, brand_id: int, now: datetime) -> None:
        """End that coupon for later baskets, in the transaction that ends the code."""
        return

    def order_refs(
        self, invoice_number: str, *, brand_id: int | None = None
    ) -> Sequence[str]:
        """The orders whose invoices people know by this number, of every brand or one.

        Called with text that affiliates and staff type to find an order by more than
        its stored reference, mostly outside any transaction. Empty if there is none.
        """
        return ()

    def invoice_refs(
        self, invoice_number: str, *, brand_id: int | None = None
    ) -> Sequence[str]:
        """The invoices that people know by this number, of every brand or one.

        Called with text that people type to find an invoice's order, sales, refunds and
        commissions, mostly outside any transaction. Empty if they have no other number.
        """
        return ()

    def invoice_numbers(
        self, invoice_refs: Collection[str], *, brand_id: int
    ) -> Mapping[str, str]:
        """The numbers by which people know these invoices; those without left out.

        Called once for all rows of a page, outside any transaction, and for the
        invoices of a payout that is being marked as paid, inside ours: answer at once,
        and write nothing.
        """
        return {}

    def catalogue(self, *, brand_id: int) -> Sequence[CatalogueProduct]:
        """The brand's products, also those no longer sold whose renewals go on.

        Called while staff edit a plan's rules, when an affiliate's orders or terms or
        the program are shown, and by the doctor, mostly outside any transaction. Empty:
        staff type the words of invoice lines unchecked, affiliates read ``product_ref``.
        """
        return ()

    def identity_page(self, request: HttpRequest) -> str | None:
        """The page on which the person confirms their identity; None: not needed now.

        Called by the area before a payout destination is changed or an API key is made,
        and by the admin before money, persons' data or rights leave the house. Return the address of a page of yours that asks what your login
        asks and leads back to ``request.get_full_path()``, and None for some minutes
        after that. The default never asks.
        """
        return None

    def check_identity(  # noqa: B027 - a default
        self, request: Any, password: str, code: str
    ) -> None:
        """The same for the API, where a client changes these with a token.

        ``request`` is Django REST framework's, with the ``auth`` of your authentication
        class; ``password`` and ``code`` are the body's ``current_password`` and
        ``current_code``, or "". Raise InvalidInput on them to refuse, and count tries.
        """

    def account_pages(self) -> Mapping[str, str]:
        """The addresses of pages about a client's account, by labels in its language.

        Called for each page of the area: its account menu links to them.
        """
        return {}

    def admin_url(self, reference: Reference, ref: str) -> str | None:
        """The admin URL of the object with this reference, or None.

        Called while a page of the admin is built, for every row of a list.
        """
        return None


def _not_offered() -> NotFound:
    return NotFound("not_offered", "This portal does not offer that.")


def get_adapter() -> HostAdapter:
    return _load_adapter(conf.adapter)


@lru_cache
def _load_adapter(path: str) -> HostAdapter:
    adapter = import_string(path)()
    if not isinstance(adapter, HostAdapter):
        raise TypeError(f"{path} is not a HostAdapter")
    return adapter
