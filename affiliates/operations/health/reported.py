"""Names that the host gives wrongly in its answers and events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.core.days import BillingCycle
from affiliates.operations.health.findings import Finding, error, warning
from affiliates.operations.health.registry import Needs, register
from affiliates.plans.rules.matching import normal_word
from affiliates.program.models import Affiliate
from affiliates.sales.models import InvoicePayment

# Of the latest payments: once the host is mended, the finding ends by itself.
PAYMENTS = 100
MOST_LABELS = 5
REMEDY = "Correct BRAND_ID, or wherever else the host keeps the id of its brand."


@register(Needs.DATABASE)
def brand_ids(now: datetime) -> Iterator[Finding]:
    """``get_client`` names the brand of the client, and one that there is."""
    ids = set(Brand.objects.values_list("pk", flat=True))
    for client_id, brand_id in _examples():
        named = _named_brand(client_id)
        if named is None or named == brand_id:
            continue
        if named not in ids:
            yield error(
                "D037", f"No brand has the id {named}. {_said(client_id)}", REMEDY
            )
            return
        if brand_id is not None:
            fault = f"An affiliate of brand {brand_id} is a client of brand {named}."
            yield error("D037", f"{fault} {_said(client_id)}", REMEDY)
            return


@register(Needs.DATABASE)
def labels(now: datetime) -> Iterator[Finding]:
    """Texts of invoice lines that were cut, and billing cycles that no rule can name."""
    faults: dict[str, None] = {}
    latest = InvoicePayment.objects.order_by("-pk").only("invoice_ref", "lines")
    for payment in latest[:PAYMENTS]:
        for line in payment.lines:
            for fault in _label_faults(line):
                faults.setdefault(fault, None)
    for fault in list(faults)[:MOST_LABELS]:
        yield warning(
            "D035",
            fault,
            "Nothing is lost. Report the text as affiliates.contracts.InvoiceLine has it; "
            "rules of plans name it as it is stored.",
        )


def _label_faults(line: Mapping[str, Any]) -> Iterator[str]:
    for name, length in line.get("cut", {}).items():
        # A description may name a person.
        value = "" if name == "description" else f" stored as {line[name]!r}"
        yield f"A payment's line has a {name}{value} of {length} characters: it was cut."
    cycle = line["billing_cycle"]
    if normal_word(cycle) not in ("", *BillingCycle):
        yield (
            f"A payment's line has the billing cycle {cycle!r}, which fits no rule with a "
            f"cycle: {', '.join(BillingCycle)}."
        )


def _said(client_id: str) -> str:
    return f"get_client of the adapter names it for the client {client_id}."


def _examples() -> list[tuple[str, int | None]]:
    """The newest affiliate of each brand, with its brand; else the newest user."""
    newest = [
        Affiliate.objects.filter(brand=brand).order_by("-pk").first()
        for brand in Brand.objects.order_by("pk")
    ]
    known: list[tuple[str, int | None]] = [
        (str(row.user_id), row.brand_id) for row in newest if row is not None
    ]
    users = get_user_model()._default_manager.order_by("-pk")
    return known or [(str(pk), None) for pk in users.values_list("pk", flat=True)[:1]]


def _named_brand(client_id: str) -> int | None:
    """None for an unknown client; D027 reports an adapter that fails."""
    try:
        client = get_adapter().get_client(client_id)
    except Exception:  # noqa: BLE001 - the host's method may raise anything
        return None
    return None if client is None else client.brand_id
