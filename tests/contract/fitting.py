"""A request of each operation that succeeds, and the roles that it succeeds for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from portal.money import format_amount
from tests.contract.frontend import BROWSER, PERSON
from tests.contract.roles import COUPON, ORIGIN, Role
from tests.factories.portal import PASSWORD
from tests.guard.markers import marker

Ids = dict[str, Any]
VISIT = {
    "visit_url": f"{ORIGIN}/?q={marker('visitor', 'page')}",
    "referrer_url": f"https://blog.example.org/{marker('visitor', 'referrer')}",
    "user_agent": BROWSER,
}
BODIES: dict[tuple[str, str], Callable[[Ids], Any]] = {
    ("POST", "/api/affiliate/apply"): lambda ids: {},
    ("POST", "/api/affiliate/claims"): lambda ids: {
        "order": marker("affiliate", "order"),
        "client_email": f"{marker('affiliate', 'client')}@example.com",
        "note": marker("affiliate", "note"),
    },
    ("POST", "/api/affiliate/keys"): lambda ids: {
        "name": marker("affiliate", "key"),
        "scopes": ["money"],
        "current_password": PASSWORD,
    },
    ("POST", "/api/affiliate/coupons"): lambda ids: {"offer_id": ids["offer_id"]},
    ("PATCH", "/api/affiliate/notifications/choices"): lambda ids: {"choices": {}},
    ("POST", "/api/affiliate/links"): lambda ids: {
        "name": marker("affiliate", "link"),
        "slug": "my-blog",
    },
    ("POST", "/api/affiliate/departure"): lambda ids: {
        "gives_up_balance": False,
        "current_password": PASSWORD,
    },
    ("PATCH", "/api/affiliate/links/{link_id}"): lambda ids: {"is_active": False},
    ("PUT", "/api/affiliate/payout_destination"): lambda ids: {
        "kind": "paypal",
        "email": "partner@example.org",
        "current_password": PASSWORD,
    },
    ("POST", "/api/affiliate/payouts"): lambda ids: {"currency": "EUR"},
    ("PATCH", "/api/affiliate/profile"): lambda ids: {"own_time_zone": "Europe/Berlin"},
    ("PUT", "/api/affiliate/tax_identity"): lambda ids: {
        "name": f"Ada {marker('affiliate', 'identity')}",
        "address": "Hauptstr. 1\n10115 Berlin",
        "country": "DE",
        "kind": "business",
        "vat_id": "DE136695976",
        "current_password": PASSWORD,
    },
    ("PUT", "/api/affiliate/webhook"): lambda ids: {
        "address": f"https://hooks.example.org/{marker('affiliate', 'hook')}"
    },
    ("POST", "/api/affiliate_link/offer"): lambda ids: {
        "referral_cookie": "AQGyH4n0Zc"
    },
    ("POST", "/api/affiliate_link/visit"): lambda ids: VISIT,
    ("POST", "/api/clients/login"): lambda ids: {
        "email": "client@example.com",
        "password": PASSWORD,
    },
    ("POST", "/api/clients/password_reset"): lambda ids: {"email": ids["email"]},
    ("POST", "/api/clients/password_reset/confirm"): lambda ids: {
        "token": ids["password_token"],
        "password": "another correct horse",
    },
    ("POST", "/api/clients/register"): lambda ids: PERSON,
    ("POST", "/api/clients/register/guest"): lambda ids: {},
    ("POST", "/api/clients/{client_id}/complete_registration"): lambda ids: PERSON,
    ("POST", "/api/invoices/{invoice_id}/pay_with_credit"): lambda ids: {},
    ("POST", "/api/operator/events"): lambda ids: {
        "events": [
            {
                "event": "order_placed",
                "order_ref": "whmcs-1",
                "invoice_ref": "whmcs-invoice-1",
                "client_id": ids["client_id"],
                "placed_at": "2026-03-01T12:00:00Z",
                "client_paid_before": False,
            }
        ]
    },
    ("POST", "/api/orders"): lambda ids: {},
    ("PATCH", "/api/orders/{order_id}/convert"): lambda ids: {
        "payment_details_id": ids["payment_details_id"]
    },
    ("POST", "/api/orders/{order_id}/coupon"): lambda ids: {"code": COUPON},
    ("POST", "/api/orders/{order_id}/items"): lambda ids: {
        "product_id": ids["product_id"]
    },
    ("PATCH", "/api/orders/{order_id}/items/{product_id}"): lambda ids: {"quantity": 2},
    ("POST", "/api/payment_details"): lambda ids: {"gateway": ids["gateway"]},
    ("POST", "/api/payments/webhook/{gateway}"): lambda ids: {
        "type": "payment.succeeded",
        "data": {
            "invoice_id": ids["invoice_id"],
            "reference": "payment-1",
            "amount": format_amount(ids["invoice_total"]),
            "currency": str(ids["invoice_total"].currency),
        },
    },
}

EVERYBODY = frozenset(Role)
# Their own rows, of whichever brand they are.
CLIENTS = frozenset({Role.GUEST, Role.CLIENT, Role.AFFILIATE, Role.STRANGER})
# The rows that are named.
OWNERS = CLIENTS - {Role.STRANGER}
SIGNED_IN = frozenset({Role.AFFILIATE})
STATISTICS = SIGNED_IN | {Role.STATISTICS, Role.ALL_SCOPES}
MONEY = SIGNED_IN | {Role.MONEY, Role.ALL_SCOPES}
LINKS = SIGNED_IN | {Role.LINKS, Role.ALL_SCOPES}
CLAIMS = SIGNED_IN | {Role.CLAIMS, Role.ALL_SCOPES}
PAYOUTS = SIGNED_IN | {Role.PAYOUTS, Role.ALL_SCOPES}
# Every operation, and the roles that reach its success. Nobody else does.
REACHED_BY: dict[tuple[str, str], frozenset[Role]] = {
    ("GET", "/api/account_credit"): CLIENTS,
    ("GET", "/api/affiliate/apply"): OWNERS,
    ("POST", "/api/affiliate/apply"): frozenset({Role.CLIENT}),
    ("GET", "/api/affiliate/balances"): MONEY,
    ("GET", "/api/affiliate/claims"): CLAIMS,
    ("POST", "/api/affiliate/claims"): CLAIMS,
    ("GET", "/api/affiliate/commissions"): MONEY,
    ("GET", "/api/affiliate/commissions/{commission_id}"): MONEY,
    ("GET", "/api/affiliate/coupons"): STATISTICS,
    ("POST", "/api/affiliate/coupons"): LINKS,
    ("DELETE", "/api/affiliate/coupons/{coupon_id}"): LINKS,
    ("GET", "/api/affiliate/creatives"): STATISTICS,
    ("GET", "/api/affiliate/creatives/{creative_id}"): STATISTICS,
    ("GET", "/api/affiliate/departure"): MONEY,
    ("POST", "/api/affiliate/departure"): SIGNED_IN,
    ("GET", "/api/affiliate/keys"): SIGNED_IN,
    ("POST", "/api/affiliate/keys"): SIGNED_IN,
    ("DELETE", "/api/affiliate/keys/{key_id}"): SIGNED_IN,
    ("GET", "/api/affiliate/notifications"): MONEY,
    ("GET", "/api/affiliate/notifications/choices"): MONEY,
    ("PATCH", "/api/affiliate/notifications/choices"): SIGNED_IN,
    ("GET", "/api/affiliate/links"): STATISTICS,
    ("POST", "/api/affiliate/links"): LINKS,
    ("GET", "/api/affiliate/links/{link_id}"): STATISTICS,
    ("PATCH", "/api/affiliate/links/{link_id}"): LINKS,
    ("GET", "/api/affiliate/payout_destination"): MONEY,
    ("PUT", "/api/affiliate/payout_destination"): SIGNED_IN,
    ("GET", "/api/affiliate/payouts"): MONEY,
    ("POST", "/api/affiliate/payouts"): PAYOUTS,
    ("GET", "/api/affiliate/payouts/{payout_id}"): MONEY,
    ("GET", "/api/affiliate/offers"): STATISTICS,
    ("GET", "/api/affiliate/orders"): STATISTICS,
    ("GET", "/api/affiliate/orders/{order_id}"): STATISTICS,
    ("GET", "/api/affiliate/postings"): MONEY,
    ("GET", "/api/affiliate/profile"): STATISTICS,
    ("PATCH", "/api/affiliate/profile"): SIGNED_IN,
    ("GET", "/api/affiliate/referrals"): STATISTICS,
    ("GET", "/api/affiliate/statistics"): STATISTICS,
    ("GET", "/api/affiliate/tax_identity"): SIGNED_IN,
    ("PUT", "/api/affiliate/tax_identity"): SIGNED_IN,
    ("GET", "/api/affiliate/terms"): MONEY,
    ("DELETE", "/api/affiliate/webhook"): SIGNED_IN,
    ("GET", "/api/affiliate/webhook"): SIGNED_IN,
    ("PUT", "/api/affiliate/webhook"): SIGNED_IN,
    ("POST", "/api/affiliate/webhook/rotate"): SIGNED_IN,
    ("POST", "/api/affiliate/webhook/test"): SIGNED_IN,
    ("POST", "/api/affiliate_link/offer"): EVERYBODY,
    ("POST", "/api/affiliate_link/visit"): EVERYBODY,
    ("POST", "/api/clients/login"): EVERYBODY,
    ("POST", "/api/clients/password_reset"): EVERYBODY,
    # A guest has no password.
    ("POST", "/api/clients/password_reset/confirm"): EVERYBODY - {Role.GUEST},
    ("POST", "/api/clients/register"): EVERYBODY,
    ("POST", "/api/clients/register/guest"): EVERYBODY,
    ("DELETE", "/api/clients/token"): CLIENTS,
    ("POST", "/api/clients/{client_id}/complete_registration"): frozenset({Role.GUEST}),
    ("GET", "/api/invoices"): CLIENTS,
    ("GET", "/api/invoices/{invoice_id}"): OWNERS,
    ("POST", "/api/invoices/{invoice_id}/pay_with_credit"): OWNERS,
    ("POST", "/api/operator/events"): frozenset({Role.BILLER}),
    ("GET", "/api/operator/lists/{list_name}"): frozenset({Role.READER}),
    ("GET", "/api/orders"): CLIENTS,
    ("POST", "/api/orders"): CLIENTS,
    ("GET", "/api/orders/{order_id}"): OWNERS,
    ("PATCH", "/api/orders/{order_id}/convert"): OWNERS,
    ("DELETE", "/api/orders/{order_id}/coupon"): OWNERS,
    ("POST", "/api/orders/{order_id}/coupon"): OWNERS,
    ("POST", "/api/orders/{order_id}/items"): OWNERS,
    ("DELETE", "/api/orders/{order_id}/items/{product_id}"): OWNERS,
    ("PATCH", "/api/orders/{order_id}/items/{product_id}"): OWNERS,
    ("POST", "/api/payment_details"): CLIENTS,
    # Believed for its signature.
    ("POST", "/api/payments/webhook/{gateway}"): EVERYBODY,
    ("GET", "/api/products"): EVERYBODY,
}


def fitting_body(method: str, path: str, ids: Ids) -> Any:
    """None for an operation without a body."""
    body = BODIES.get((method, path))
    return None if body is None else body(ids)
