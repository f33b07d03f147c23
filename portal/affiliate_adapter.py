"""The portal's answers to what affiliates asks of its host."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from affiliates.adapter import CatalogueProduct, HostAdapter, Reference
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
from affiliates.contracts import Order as OrderFacts
from portal import gateways
from portal.billing import invoicing, renewals
from portal.billing.models import Invoice
from portal.billing.selectors import invoices_numbered
from portal.clients import confirmation, services
from portal.clients import credit as wallet
from portal.clients import selectors as clients
from portal.clients.api import SignedInSerializer
from portal.clients.models import User
from portal.clients.services import SignedIn
from portal.ids import parse_id, require_id
from portal.money import money_data
from portal.orders import coupons
from portal.orders.catalogue import DomainOperation, Product

ADMIN_PAGES = {
    Reference.CLIENT: "admin:portal_user_change",
    Reference.ORDER: "admin:portal_order_change",
    Reference.INVOICE: "admin:portal_invoice_change",
}


class PortalAdapter(HostAdapter):
    def register_client(
        self, registration: ClientRegistration, *, now: datetime
    ) -> RegisteredClient:
        return _registered(services.register_client(registration, now=now))

    def register_guest(
        self, registration: GuestRegistration, *, now: datetime
    ) -> RegisteredClient:
        return _registered(services.register_guest(registration, now=now))

    def complete_registration(
        self, completion: RegistrationCompletion, *, now: datetime
    ) -> RegisteredClient:
        return _registered(services.complete_registration(completion, now=now))

    def get_client(self, client_id: str) -> Client | None:
        user = clients.find_client(client_id)
        return None if user is None else _client(user)

    def client_details(
        self, client_ids: Collection[str]
    ) -> Mapping[str, ClientDetails]:
        return {
            str(user.pk): ClientDetails(
                email=user.email, name=user.get_full_name(), language=user.language
            )
            for user in clients.find_clients(client_ids)
        }

    def staff_language(self, email: str) -> str:
        return clients.staff_language(email)

    def find_clients(
        self, text: str, *, brand_id: int | None = None, limit: int = 50
    ) -> Sequence[str]:
        clients_found = clients.search_clients(text, brand_id=brand_id)
        return [str(pk) for pk in clients_found.values_list("pk", flat=True)[:limit]]

    def clients_by_email(
        self, emails: Collection[str], *, brand_id: int
    ) -> Mapping[str, Client]:
        asked = {email.lower(): email for email in emails}
        clients_found = clients.clients_with_emails(asked, brand_id=brand_id)
        return {asked[email]: _client(user) for email, user in clients_found.items()}

    def prepare_conversion(
        self, conversion: OrderConversion, *, now: datetime
    ) -> PreparedConversion:
        draft = invoicing.draft_invoice(
            order_id=require_id(conversion.order_ref),
            client_id=require_id(conversion.client_id),
            payment_details_id=_details_id(conversion),
            now=now,
        )
        order = draft.invoice.order
        return PreparedConversion(
            order=OrderFacts(
                order_ref=str(order.pk),
                brand_id=order.brand_id,
                client=_client(order.client),
                created_at=order.created_at,
                client_paid_before=draft.client_paid_before,
                coupon_codes=() if order.coupon is None else (order.coupon.code,),
                affiliate_code=order.affiliate_code,
            ),
            invoice_ref=str(draft.invoice.pk),
            converted_at=draft.invoice.created_at,
            host_state=draft,
        )

    def finish_conversion(self, prepared: PreparedConversion) -> Mapping[str, object]:
        invoice = invoicing.issue_invoice(prepared.host_state)
        # Nothing here changes later: a repeat answers what the first time answered.
        return {
            "id": str(invoice.pk),
            "number": invoice.number,
            "unpaid_amount": money_data(invoice.gross),
            "order_id": str(invoice.order_id),
            "status": invoice.order.status,
            "total": money_data(invoice.gross),
            "payment_url": gateways.payment_url(
                gateway=invoice.gateway, invoice_id=invoice.pk
            ),
        }

    def is_service_active(self, order_ref: str, *, brand_id: int) -> bool | None:
        order_id = parse_id(order_ref)
        if order_id is None:
            return None
        return renewals.is_service_active(order_id=order_id, brand_id=brand_id)

    def credit_wallet(self, credit: WalletCredit, *, now: datetime) -> str:
        entry = wallet.add_credit(
            client_id=require_id(credit.client_id),
            amount=credit.amount,
            reason="Payout of commissions",
            reference=f"payout:{credit.payout_ref}",
            now=now,
        )
        return str(entry.pk)

    def make_coupon(self, request: CouponRequest, *, now: datetime) -> CouponMade:
        return CouponMade(coupon_ref=str(coupons.make_coupon(request).pk))

    def end_coupon(self, coupon_ref: str, *, brand_id: int, now: datetime) -> None:
        coupons.end_coupon(coupon_ref, brand_id=brand_id)

    def order_refs(
        self, invoice_number: str, *, brand_id: int | None = None
    ) -> Sequence[str]:
        numbered = invoices_numbered(invoice_number, brand_id=brand_id)
        return [str(pk) for pk in numbered.values_list("order_id", flat=True)]

    def invoice_refs(
        self, invoice_number: str, *, brand_id: int | None = None
    ) -> Sequence[str]:
        numbered = invoices_numbered(invoice_number, brand_id=brand_id)
        return [str(pk) for pk in numbered.values_list("pk", flat=True)]

    def invoice_numbers(
        self, invoice_refs: Collection[str], *, brand_id: int
    ) -> Mapping[str, str]:
        known = Invoice.objects.filter(
            pk__in=filter(None, map(parse_id, invoice_refs)), brand_id=brand_id
        )
        return {str(pk): number for pk, number in known.values_list("pk", "number")}

    def catalogue(self, *, brand_id: int) -> Sequence[CatalogueProduct]:
        return [
            CatalogueProduct(
                product_ref=product.sku,
                name=product.name,
                kind=product.kind,
                tld=product.tld,
                operations=(product.operation, DomainOperation.RENEW)
                if product.tld
                else (),
                prices=((product.billing_cycle, product.price),)
                if product.is_active
                else (),
            )
            for product in Product.objects.filter(brand=brand_id)
        ]

    def identity_page(self, request: HttpRequest) -> str | None:
        return confirmation.question_for(request)

    def check_identity(self, request: Any, password: str, code: str) -> None:
        confirmation.check_identity(request, password, code)

    def account_pages(self) -> Mapping[str, str]:
        return {
            _("Change your password"): reverse("account-password"),
            _("Sign-in with a code"): reverse("account-second-factor"),
            _("Where you are signed in"): reverse("account-sessions"),
        }

    def admin_url(self, reference: Reference, ref: str) -> str | None:
        return reverse(ADMIN_PAGES[reference], args=[ref])


def _details_id(conversion: OrderConversion) -> int | None:
    """A whole number, as our serializer reads it; nobody has details 0."""
    sent = conversion.payment_details_id
    return 0 if isinstance(sent, str) else sent


def _client(user: User) -> Client:
    return Client(
        id=str(user.pk),
        brand_id=user.client_brand_id,
        email=user.email,
        is_guest=user.is_guest,
    )


def _registered(signed_in: SignedIn) -> RegisteredClient:
    return RegisteredClient(
        client=_client(signed_in.user),
        data=SignedInSerializer(signed_in).data,
    )
