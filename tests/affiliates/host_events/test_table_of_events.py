"""Every row of the table of docs/host-events.md, walked."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.contracts import (
    CredentialsChange,
    CredentialsChanged,
    RefundedInvoice,
)
from affiliates.errors import AffiliatesError
from affiliates.host_events import (
    client_registered,
    credentials_changed,
    invoice_paid,
    invoice_refunded,
    order_placed,
)
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import InvoicePayment, InvoiceRefund, SaleReversal
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory

PAGE = Path(__file__).resolve().parents[3] / "docs/host-events.md"
HUGE = Money("1E+30", "EUR")


@dataclass
class Scene:
    """The events of one order, and the reports of them."""

    brand: Any
    events: dict[str, Any]
    reports: dict[str, Callable[..., Any]]

    def report(self, name: str, **changed: Any) -> None:
        self.reports[name](replace(self.events[name], **changed))

    def switch_off(self) -> None:
        self.brand.is_active = False
        self.brand.save(update_fields=["is_active"])

    def line(self, **changed: Any) -> dict[str, Any]:
        return {"lines": (replace(self.events["invoice_paid"].lines[0], **changed),)}


@pytest.fixture
def scene(brand, registered, placed, paid, cookie, plan, affiliate, now) -> Scene:
    refund = RefundedInvoice(
        brand_id=brand.pk,
        invoice_ref=paid.invoice_ref,
        refund_ref="re_1",
        gross=Money("59.50", "EUR"),
        refunded_at=now,
    )
    changed = CredentialsChanged(
        client_id=placed.client_id, change=CredentialsChange.PASSWORD
    )
    return Scene(
        brand,
        {
            "client_registered": registered,
            "order_placed": placed,
            "invoice_paid": paid,
            "invoice_refunded": refund,
            "credentials_changed": changed,
        },
        {
            "client_registered": partial(
                client_registered, referral_cookie=cookie, now=now
            ),
            "order_placed": partial(order_placed, referral_cookie=cookie, now=now),
            "invoice_paid": partial(invoice_paid, now=now),
            "invoice_refunded": partial(invoice_refunded, now=now),
            "credentials_changed": partial(credentials_changed, now=now),
        },
    )


def other_brand() -> int:
    return BrandFactory(client_area="other.example.com").pk


def earned() -> list[tuple[str, int]]:
    return [(row.status, row.amount) for row in Commission.objects.all()]


def lines_stored() -> dict[str, Any]:
    return InvoicePayment.objects.get().lines[0]


def taken() -> list[int]:
    return [int(row.net.amount) for row in SaleReversal.objects.all()]


def orders() -> list[tuple[str, str]]:
    return list(OrderReferral.objects.values_list("outcome", "reason"))


# Event, state or value, what was reported before, the change, and what is stored then.
NONE: Callable[[], Any] = list
PLACED, PAID = ["order_placed"], ["order_placed", "invoice_paid"]
NOBODY = [("nobody", "brand_inactive")]
LAST_CLICK = [("credited", "last_click")]
OFF = Scene.switch_off
ROWS: dict[tuple[str, str], tuple[list[str], Any, Callable[[], Any], Any]] = {
    ("client_registered", "inactive brand"): ([], OFF, ClientReferral.objects.count, 0),
    ("client_registered", "no brand has the id"): ([], {"brand_id": 9**9}, NONE, []),
    ("client_registered", "unknown client"): ([], {"client_id": "none"}, NONE, []),
    ("client_registered", "another brand's client"): ([], other_brand, NONE, []),
    ("order_placed", "inactive brand"): ([], OFF, orders, NOBODY),
    ("order_placed", "no brand has the id"): ([], {"brand_id": 9**9}, NONE, []),
    ("order_placed", "unknown client"): ([], {"client_id": "none"}, NONE, []),
    ("order_placed", "another brand's client"): ([], other_brand, NONE, []),
    ("order_placed", "known with another invoice"): (
        PLACED,
        {"invoice_ref": "in_9"},
        NONE,
        [],
    ),
    ("order_placed", "coupon code that nobody has"): (
        [],
        {"coupon_codes": ("\0" * 99,)},
        orders,
        LAST_CLICK,
    ),
    ("order_placed", "reference of 65 characters"): (
        [],
        {"order_ref": "x" * 65},
        NONE,
        [],
    ),
    ("invoice_paid", "inactive brand, order credited before"): (
        PLACED,
        OFF,
        earned,
        [("held", 1000)],
    ),
    ("invoice_paid", "no brand has the id"): (PLACED, {"brand_id": 9**9}, NONE, []),
    ("invoice_paid", "order not reported yet"): (
        [],
        {},
        InvoicePayment.objects.count,
        1,
    ),
    ("invoice_paid", "label or description too long"): (
        PLACED,
        lambda scene: scene.line(product_ref="x" * 130, description="x" * 300),
        lambda: lines_stored()["cut"],
        {"product_ref": 130, "description": 300},
    ),
    ("invoice_paid", "unknown billing cycle"): (
        PLACED,
        lambda scene: scene.line(billing_cycle="once"),
        lambda: lines_stored()["billing_cycle"],
        "once",
    ),
    ("invoice_paid", "amount that cannot be stored"): (
        PLACED,
        {"gross": HUGE},
        NONE,
        [],
    ),
    ("invoice_paid", "line in another currency"): (
        PLACED,
        lambda scene: scene.line(net=Money("100", "USD")),
        NONE,
        [],
    ),
    ("invoice_refunded", "inactive brand"): (PAID, OFF, taken, [-50]),
    ("invoice_refunded", "no brand has the id"): (PAID, {"brand_id": 9**9}, NONE, []),
    ("invoice_refunded", "payment not reported yet"): (
        PLACED,
        {},
        InvoiceRefund.objects.count,
        1,
    ),
    ("invoice_refunded", "another payment of the invoice"): (
        PAID,
        {"payment_ref": "pi_9"},
        taken,
        [0],
    ),
    ("invoice_refunded", "tax alone"): (PAID, {"net": Money("0", "EUR")}, taken, [0]),
    ("invoice_refunded", "amount of zero"): (
        PAID,
        {"gross": Money("0", "EUR")},
        NONE,
        [],
    ),
    ("invoice_refunded", "known with other facts"): (
        [*PAID, "invoice_refunded"],
        {"net": Money("1", "EUR")},
        NONE,
        [],
    ),
    ("credentials_changed", "inactive brand"): ([], OFF, NONE, []),
    ("credentials_changed", "unknown client"): ([], {"client_id": "none"}, NONE, []),
}


def written_rows() -> dict[tuple[str, str], str]:
    table = PAGE.read_text("utf-8").partition("<!-- events -->")[2]
    lines = table.partition("<!-- /events -->")[0].strip().splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {(event.strip("`"), state): happens for event, state, happens in cells}


def test_the_table_has_the_rows_that_are_walked():
    assert list(written_rows()) == list(ROWS)


@pytest.mark.parametrize("reported_by", ["call", "http"], indirect=True)
@pytest.mark.parametrize(("event", "state"), ROWS)
def test_row_is_what_happens(event, state, scene):
    before, change, stored, expected = ROWS[event, state]
    refused = re.fullmatch(r"refused: `(\w+)`", written_rows()[event, state])
    for name in before:
        scene.report(name)

    if change is OFF:
        scene.switch_off()
        change = {}
    elif change is other_brand:
        change = {"brand_id": other_brand()}
    elif callable(change):
        change = change(scene)
    with nothing_written() if refused else nullcontext():
        code = refusal_of(scene, event, change)

    assert code == (refused[1] if refused else "")
    assert refused or stored() == expected


def refusal_of(scene: Scene, event: str, change: dict[str, Any]) -> str:
    try:
        scene.report(event, **change)
    except AffiliatesError as refusal:
        return refusal.code
    return ""
