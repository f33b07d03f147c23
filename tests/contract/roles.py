"""Two brands with a caller of each role, and what each of them may name in a request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from django.contrib.auth.tokens import default_token_generator

from affiliates.contrib.area.keys.rules import KEY_PREFIX, Scope
from affiliates.contrib.events_api.rules import KEY_PREFIX as BRAND_KEY_PREFIX
from affiliates.contrib.events_api.rules import BrandScope
from affiliates.core.ids import new_id
from affiliates.core.secrets.keys import digest_of
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import Operation
from affiliates.payouts.rules import PayoutStatus
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken
from tests.contract.frontend import GATEWAY
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
    ClickFactory,
    CreativeFactory,
)
from tests.factories.area import AffiliateKeyFactory
from tests.factories.books import PayoutFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.emails import EmailFactory
from tests.factories.events_api import BrandKeyFactory
from tests.factories.integrations import DeliveryFactory, WebhookFactory
from tests.factories.ledger import (
    NOW,
    ClientReferralFactory,
    OrderReferralFactory,
    SaleFactory,
    decision_of,
    touch_of,
)
from tests.factories.offers import OfferCodeFactory, OfferFactory
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn
from tests.factories.plans import CouponCodeFactory
from tests.factories.portal import (
    PASSWORD,
    ClientFactory,
    CouponFactory,
    GuestFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
    WalletEntryFactory,
    convert_order,
)
from tests.factories.tax_identity import TaxIdentityFactory

HOST = "shop.example.com"
ORIGIN = f"https://{HOST}"
COUPON = "WELCOME"


class Role(StrEnum):
    ANONYMOUS = "anonymous"
    GUEST = "guest"
    CLIENT = "client"
    AFFILIATE = "affiliate"
    # An affiliate of another brand, who names the rows of this one.
    STRANGER = "stranger"
    # A key without any scope, one of each, and one with all.
    NO_SCOPE = "key"
    STATISTICS = "key-statistics"
    MONEY = "key-money"
    LINKS = "key-links"
    CLAIMS = "key-claims"
    PAYOUTS = "key-payouts"
    ALL_SCOPES = "key-all"
    # Keys of a brand: one reports events, the other reads lists.
    BILLER = "brand-key-events"
    READER = "brand-key-lists"


KEYS: dict[Role, tuple[Scope, ...]] = {
    Role.NO_SCOPE: (),
    Role.STATISTICS: (Scope.STATISTICS,),
    Role.MONEY: (Scope.MONEY,),
    Role.LINKS: (Scope.LINKS,),
    Role.CLAIMS: (Scope.CLAIMS,),
    Role.PAYOUTS: (Scope.PAYOUTS,),
    Role.ALL_SCOPES: tuple(Scope),
}


BRAND_KEYS = {
    Role.BILLER: BrandScope.EVENTS_WRITE,
    Role.READER: BrandScope.LISTS_READ,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """``client_ids`` are for the portal's operations, ``affiliate_ids`` for the area's."""

    credentials: str
    client_ids: dict[str, Any]
    affiliate_ids: dict[str, Any]

    @property
    def headers(self) -> dict[str, str]:
        if not self.credentials:
            return {"Origin": ORIGIN}
        return {"Origin": ORIGIN, "Authorization": f"Bearer {self.credentials}"}

    def ids_for(self, path: str) -> dict[str, Any]:
        is_of_area = path.startswith("/api/affiliate/")
        return self.affiliate_ids if is_of_area else self.client_ids


def make_callers() -> dict[Role, Caller]:
    brand = BrandFactory(client_area=HOST)
    shared = _shop(brand)
    client = ClientFactory(brand=brand, email="client@example.com")
    of_client = _bought(client, shared)
    user = ClientFactory(brand=brand, email="affiliate@example.com")
    of_user = _bought(user, shared)
    affiliate, of_affiliate = _earned(user)
    guest = GuestFactory(brand=brand)
    other = ClientFactory(brand=BrandFactory(client_area="other.example.net"))
    _earned(other)
    return {
        Role.ANONYMOUS: Caller(
            credentials="", client_ids=of_client, affiliate_ids=of_affiliate
        ),
        Role.GUEST: Caller(
            credentials=_token(guest),
            client_ids=_bought(guest, shared),
            affiliate_ids=of_affiliate,
        ),
        Role.CLIENT: Caller(
            credentials=_token(client), client_ids=of_client, affiliate_ids=of_affiliate
        ),
        Role.AFFILIATE: Caller(
            credentials=_token(user), client_ids=of_user, affiliate_ids=of_affiliate
        ),
        Role.STRANGER: Caller(
            credentials=_token(other), client_ids=of_client, affiliate_ids=of_affiliate
        ),
        **{
            role: Caller(
                credentials=_key(affiliate, scopes),
                client_ids=of_user,
                affiliate_ids=of_affiliate,
            )
            for role, scopes in KEYS.items()
        },
        **{
            role: Caller(
                credentials=_brand_key(brand, scope),
                client_ids=of_client,
                affiliate_ids=of_affiliate,
            )
            for role, scope in BRAND_KEYS.items()
        },
    }


def _shop(brand: Any) -> dict[str, Any]:
    PayoutTermsFactory(brand=brand)
    CouponFactory(brand=brand, code=COUPON)
    return {"product": ProductFactory(brand=brand), "gateway": GATEWAY}


def _bought(client: User, shared: dict[str, Any]) -> dict[str, Any]:
    """The client's basket, an unpaid invoice, and credit to pay it with."""
    product = shared["product"]
    details = PaymentDetailsFactory(client=client)
    ordered, basket = OrderFactory(client=client), OrderFactory(client=client)
    for order in (ordered, basket):
        OrderItemFactory(order=order, product=product)
    invoice = convert_order(
        order_id=ordered.pk,
        client_id=client.pk,
        payment_details_id=details.pk,
        now=datetime.now(tz=UTC),
    )
    WalletEntryFactory(client=client)
    return {
        "client_id": str(client.pk),
        "order_id": str(basket.pk),
        "invoice_id": str(invoice.pk),
        "invoice_total": invoice.gross,
        "payment_details_id": details.pk,
        "product_id": product.pk,
        "gateway": shared["gateway"],
        "list_name": "orders",
        "email": client.email or "client@example.com",
        "password_token": f"{client.pk.hex}-{default_token_generator.make_token(client)}",
    }


def _earned(user: User) -> tuple[Any, dict[str, Any]]:
    """An active affiliate with a row of everything, and money to be paid out."""
    affiliate = AffiliateFactory(brand=user.brand, user=user)
    link = AffiliateLinkFactory(affiliate=affiliate)
    order = _credited_order(affiliate)
    commission = earn(affiliate, sale=SaleFactory(order_referral=order))
    creative = CreativeFactory(brand=user.brand)
    CouponCodeFactory(affiliate=affiliate)
    offer = OfferFactory(brand=user.brand, max_codes=100)
    code = OfferCodeFactory(offer=offer, affiliate=affiliate)
    MissingSaleClaimFactory(affiliate=affiliate)
    EmailFactory(brand=user.brand, affiliate=affiliate, recipient=user.email)
    webhook = WebhookFactory(brand=user.brand, affiliate=affiliate)
    DeliveryFactory(
        integration=webhook,
        operation=Operation.EVENT,
        payload={"message_id": f"msg_{affiliate.pk}", "type": "ping"},
        state=QueueState.SENT,
    )
    TaxIdentityFactory(affiliate=affiliate)
    # Rejected: no open one stands in the way of the next.
    payout = PayoutFactory(
        affiliate=affiliate,
        destination=DestinationFactory(affiliate=affiliate),
        status=PayoutStatus.REJECTED,
    )
    return affiliate, {
        "link_id": link.pk,
        "offer_id": offer.pk,
        "coupon_id": code.coupon_id,
        "creative_id": creative.pk,
        "commission_id": commission.pk,
        "payout_id": payout.pk,
        "order_id": order.pk,
        "key_id": AffiliateKeyFactory(affiliate=affiliate).pk,
        "current_password": PASSWORD,
    }


def _credited_order(affiliate: Any) -> Any:
    client = ClientFactory(brand=affiliate.brand)
    ClientReferralFactory(affiliate=affiliate, client=client)
    click = ClickFactory(affiliate=affiliate, id=new_id(), visitor_id=new_id())
    return OrderReferralFactory(
        brand=affiliate.brand,
        client=client,
        made=decision_of(touch_of(click), now=NOW),
    )


def _token(user: User) -> str:
    _, token = AuthToken.objects.create(user)
    return str(token)


def _brand_key(brand: Any, scope: BrandScope) -> str:
    secret = f"{BRAND_KEY_PREFIX}of-tests-{scope}"
    BrandKeyFactory(brand=brand, secret=secret, scopes=[scope.value])
    return secret


def _key(affiliate: Any, scopes: tuple[Scope, ...]) -> str:
    secret = KEY_PREFIX + "-".join(("of-tests", *scopes))
    now = datetime.now(tz=UTC)
    AffiliateKeyFactory(
        affiliate=affiliate,
        digest=digest_of(secret),
        scopes=sorted(scopes),
        created_at=now,
        expires_at=now + timedelta(days=1),
    )
    return secret
