"""What the tests of affiliates ask of whichever host they run in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from django.apps import apps
from moneyed import Money

from affiliates.brands.models.brand import Brand


class Host(Protocol):
    knows_invoices_early: bool
    """Whether ``invoice-<order>`` may be paid before the order is converted."""

    def client(self, brand: Brand, *, email: str) -> Any:
        """A full client of the brand: a row of AUTH_USER_MODEL."""

    def guest(self, brand: Brand) -> Any:
        """A guest of the brand."""

    def authorization(self, client: Any) -> str:
        """An Authorization header for the client."""

    def order(
        self,
        client: Any,
        *,
        is_empty: bool = False,
        created_at: datetime | None = None,
        coupon_codes: Sequence[str] = (),
    ) -> str:
        """The reference of a basket of the client, with one item unless empty.

        It holds one coupon at most; the host makes one with the code when it needs to.
        """

    def payment_details_id(self, client: Any) -> int:
        """Payment details that the client may use."""

    def mark_paid_before(self, order_ref: str) -> None:
        """Make the order's client one who has paid an earlier order."""

    def set_service_active(self, order_ref: str, is_active: bool | None) -> None:
        """What the adapter says of the order's service from now on."""

    def wallet_balance(self, client: Any, currency: str = "EUR") -> Money:
        """The client's account credit in one currency."""


def current_host() -> Host:
    if apps.is_installed("tests.hosts.bare"):
        from tests.hosts.bare.host import BareHost

        return BareHost()
    from tests.hosts.portal_host import PortalHost

    return PortalHost()
