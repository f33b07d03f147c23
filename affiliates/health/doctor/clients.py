"""The host's adapter, asked about clients that there are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.contrib.auth import get_user_model
from django.core.checks import CheckMessage
from django.db.models import OuterRef, Subquery

from affiliates.adapter import get_adapter, keeps_account_credit
from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import no_only_brand
from affiliates.errors import InvalidInput
from affiliates.health.doctor.findings import counted, error, information
from affiliates.payouts.models import PayoutDestination
from affiliates.payouts.rules import DestinationKind
from affiliates.program.models import Affiliate


def clients(now: datetime) -> Iterator[CheckMessage]:
    """``get_client`` answers, also once there is a second brand."""
    for client_id in _some_clients():
        fault = _fault(client_id)
        if fault is not None and not _means_only_brand(fault):
            yield error(
                "D027",
                f"get_client of the adapter fails for the client {client_id}: "
                f"{type(fault).__name__}: {fault}",
                "Mend it: it returns a Client, or None for an id that it does not know.",
            )
            return
        with no_only_brand():
            breaks = _means_only_brand(_fault(client_id))
        if breaks:
            yield _only_brand(is_broken=fault is not None)
            return


def _only_brand(*, is_broken: bool) -> CheckMessage:
    remedy = (
        "Have the portal keep the id of its brand, as docs/adapter.md does with BRAND_ID, "
        "or the brand of each client."
    )
    broken = "no client is known, and registrations, payments and the area fail."
    if is_broken:
        problem = (
            f"The adapter asks for the only brand, and there are several: {broken}"
        )
        return error("D028", problem, remedy)
    problem = f"The adapter asks for the only brand. With a second one {broken}"
    return information("D028", problem, remedy)


def account_credit(now: datetime) -> Iterator[CheckMessage]:
    """Destinations that the host cannot pay to, or can no longer."""
    if keeps_account_credit():
        return
    newest = PayoutDestination.objects.filter(affiliate=OuterRef("pk")).order_by("-pk")
    affiliates = Affiliate.objects.annotate(kind=Subquery(newest.values("kind")[:1]))
    count = affiliates.filter(kind=DestinationKind.WALLET).count()
    if count:
        waiting = counted(count, "affiliate waits", "affiliates wait")
        yield error(
            "D029",
            f"{waiting} for account credit, which this portal does not keep: their "
            "payouts are refused.",
            "Write credit_wallet in the adapter, or ask them to choose another payout "
            "destination. Reject payouts to account credit that are still open.",
        )


def _some_clients() -> list[str]:
    """The newest affiliate of each active brand; else the newest user."""
    found: list[Affiliate] = []
    for brand in Brand.objects.filter(is_active=True).order_by("pk"):
        found.extend(Affiliate.objects.filter(brand=brand).order_by("-pk")[:1])
    users = [affiliate.user_id for affiliate in found]
    known = get_user_model()._default_manager.order_by("-pk")
    return list(map(str, users or known.values_list("pk", flat=True)[:1]))


def _fault(client_id: str) -> Exception | None:
    try:
        get_adapter().get_client(client_id)
    except Exception as fault:  # noqa: BLE001 - the host's method may raise anything
        return fault
    return None


def _means_only_brand(fault: Exception | None) -> bool:
    return isinstance(fault, InvalidInput) and fault.code == "origin_required"
