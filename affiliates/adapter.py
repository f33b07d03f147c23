"""What affiliates asks of its host: one class to write, named in ``AFFILIATES_ADAPTER``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from django.utils.module_loading import import_string
from moneyed import Money

from affiliates.conf import conf
from affiliates.contracts import (
    Client,
    ClientDetails,
    ClientRegistration,
    ConvertedOrder,
    GuestRegistration,
    InvoiceLine,
    Order,
    OrderConversion,
    OrderPlaced,
    PaidInvoice,
    RefundedInvoice,
    RegisteredClient,
    RegistrationCompletion,
    WalletCredit,
)
from affiliates.errors import NotFound, StateConflict

MAX_REFERENCE = 64


class Reference(StrEnum):
    """The host's things that affiliates points at from its admin pages."""

    CLIENT = "client"
    ORDER = "order"
    INVOICE = "invoice"


class HostAdapter(ABC):
    """The host's answers. ``get_client`` is all that every host has to write.

    The first five are for the endpoints of the same names. A host without one of them
    leaves its method out: that endpoint answers 404, and the host tells of its clients
    and orders by ``host_events``.

    Refuse by raising a class of ``affiliates.errors``, or Django's ValidationError. The
    API answers it with the matching status.
    """

    def register_client(
        self, registration: ClientRegistration, *, now: datetime
    ) -> RegisteredClient:
        """Create a client of the brand, inside the transaction of the registration.

        Raises InvalidInput on ``field="email"`` when the brand has that e-mail
        already, also when two requests race. Whether a password is good enough is for
        the host to say.
        """
        raise _not_offered()

    def register_guest(
        self, registration: GuestRegistration, *, now: datetime
    ) -> RegisteredClient:
        """Create a guest: somebody who may fill a basket, and nothing else.

        Inside the transaction of the registration.
        """
        raise _not_offered()

    def complete_registration(
        self, completion: RegistrationCompletion, *, now: datetime
    ) -> RegisteredClient:
        """Turn the guest into a full client, keeping its id.

        Inside the transaction of the registration. The caller has made sure that the
        request is the guest's own. Raises StateConflict when the registration is
        complete already.
        """
        raise _not_offered()

    def get_order(self, order_ref: str, *, client_id: str) -> Order | None:
        """Lock and return the client's order; None when absent or somebody else's.

        Asked first of all in a conversion, inside its transaction. By what it answers is
        decided whom the order is credited to: until the transaction ends, nothing of it
        may change.
        """
        raise _not_offered()

    def convert_order(
        self, conversion: OrderConversion, *, now: datetime
    ) -> ConvertedOrder:
        """Turn the order, which ``get_order`` has locked, into its initial invoice.

        Asked last, inside the same transaction, when it is decided whom the order is
        credited to: the orders that wait for a number of yours wait for inserts only. A
        repeat returns the first answer. Raises InvalidInput for an empty basket
        or for payment details that are not the client's.
        """
        raise _not_offered()

    @abstractmethod
    def get_client(self, client_id: str) -> Client | None:
        """The client with this id, or None for whatever names none of a brand's.

        Asked with any text, inside a transaction or outside of one, also while we hold
        locks: answer at once, and write nothing.
        """

    def client_details(
        self, client_ids: Collection[str]
    ) -> Mapping[str, ClientDetails]:
        """Name, e-mail and language of each of these clients; unknown ones left out.

        Asked once for all rows of a page or a batch of e-mails, mostly outside any
        transaction. By default ``get_client`` is asked for each and no name is known:
        write it, with one query, where clients are more than a few.
        """
        found = {one: self.get_client(one) for one in client_ids}
        return {
            one: ClientDetails(email=client.email)
            for one, client in found.items()
            if client is not None
        }

    def find_clients(
        self, text: str, *, brand_id: int | None = None, limit: int = 50
    ) -> Sequence[str]:
        """The ids of clients, of every brand or one, whom staff mean by this text.

        By e-mail, name, or whatever else the host knows them by; the best first, at most
        ``limit``. Asked by the searches of the admin, mostly outside any transaction.
        """
        return ()

    def clients_by_email(
        self, emails: Collection[str], *, brand_id: int
    ) -> Mapping[str, Client]:
        """Each client of the brand with one of these addresses, by the address as asked.

        Asked by imports, for a few hundred at once; upper and lower case are one, guests
        are left out. By default ``find_clients`` and ``get_client`` are asked for each:
        write it, with one query, where many clients are to be imported as affiliates.
        """
        found = {}
        for email in emails:
            for client_id in self.find_clients(email, brand_id=brand_id):
                client = self.get_client(client_id)
                if client is None or client.is_guest:
                    continue
                if client.email.casefold() == email.casefold():
                    found[email] = client
        return found

    def is_service_active(self, order_ref: str, *, brand_id: int) -> bool | None:
        """Whether what the order bought still runs; None where the host cannot say.

        Asked when a commission's hold is over, outside any transaction and lock of ours.
        """
        return None

    def credit_wallet(self, credit: WalletCredit, *, now: datetime) -> str:
        """Add the amount to the client's account credit and return its reference.

        Asked when a payout to account credit is confirmed, in a transaction of its own.
        The same ``payout_ref`` again adds nothing and returns the same reference.
        """
        raise StateConflict("no_wallet", "This portal keeps no account credit.")

    def order_refs(
        self, invoice_number: str, *, brand_id: int | None = None
    ) -> Sequence[str]:
        """The orders whose invoices people know by this number, of every brand or one.

        Asked for what affiliates and staff type to find an order, beside the references
        that affiliates knows itself; mostly outside any transaction. Empty where
        invoices have no other number.
        """
        return ()

    def invoice_refs(
        self, invoice_number: str, *, brand_id: int | None = None
    ) -> Sequence[str]:
        """The invoices that people know by this number, of every brand or one.

        Asked for what staff type to find an invoice, and what it made of sales, refunds
        and commissions; mostly outside any transaction. Empty where invoices have no
        other number.
        """
        return ()

    def invoice_numbers(
        self, invoice_refs: Collection[str], *, brand_id: int
    ) -> Mapping[str, str]:
        """The numbers by which people know these invoices; those without left out.

        Asked once for all rows of a page, outside any transaction, and for those of a
        payout that is becoming paid, inside ours: answer at once, and write nothing.
        """
        return {}

    def admin_url(self, reference: Reference, ref: str) -> str | None:
        """Where staff look at the thing with this reference, or None.

        Asked while a page of the admin is made, for every row of a list.
        """
        return None

    def make_test_client(self, *, brand_id: int, now: datetime) -> str:
        """Make up a full client of a test brand, with a new e-mail, and return its id.

        For the canary, which registers and orders once a day as this client: inside a
        transaction, and with the next method what a host has to write for it.
        """
        raise _no_test_clients()

    def make_test_order(self, client_id: str, *, now: datetime) -> OrderPlaced:
        """Place an order of the made-up client, unpaid, and return it as you tell of it."""
        raise _no_test_clients()

    def pay_test_order(self, order: OrderPlaced, *, now: datetime) -> PaidInvoice:
        """Pay the order's initial invoice and return the payment as you tell of it.

        By default nothing is paid at the host's: 10 EUR are told.
        """
        ten = Money(10, "EUR")
        line = InvoiceLine(
            description="Canary",
            product_ref="canary",
            kind="hosting",
            billing_cycle="one_time",
            quantity=1,
            net=ten,
        )
        return PaidInvoice(
            brand_id=order.brand_id,
            invoice_ref=order.invoice_ref,
            order_ref=order.order_ref,
            payment_ref=f"canary:{order.invoice_ref}"[:MAX_REFERENCE],
            gross=ten,
            lines=(line,),
            paid_at=now,
        )

    def refund_test_order(
        self, payment: PaidInvoice, *, now: datetime
    ) -> RefundedInvoice:
        """Refund the whole payment and return the refund as you tell of it.

        By default nothing is refunded at the host's: the payment's amount is told.
        """
        return RefundedInvoice(
            brand_id=payment.brand_id,
            invoice_ref=payment.invoice_ref,
            refund_ref=f"canary:{payment.invoice_ref}"[:MAX_REFERENCE],
            gross=payment.gross,
            refunded_at=now,
        )


def _no_test_clients() -> StateConflict:
    return StateConflict(
        "no_test_clients",
        "This portal makes no test clients: write make_test_client and make_test_order "
        "in its adapter (docs/adapter-reference.md).",
    )


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
