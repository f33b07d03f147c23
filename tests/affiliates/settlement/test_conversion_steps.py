"""The host prepares a conversion first and finishes it last."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from affiliates.adapter import get_adapter
from affiliates.contracts import OrderConversion
from affiliates.errors import NotAllowed, StateConflict
from affiliates.host_events import invoice_paid
from affiliates.outbox.models.delivery import Delivery
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import convert_order
from tests.affiliates.settlement.conftest import cookie_of_a_visit
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory

HostAdapter = type(get_adapter())


class WatchingAdapter(HostAdapter):
    """Notes which rows of affiliates there are at each of its two steps."""

    seen: ClassVar[list[tuple[str, list[str], int]]] = []

    def prepare_conversion(self, conversion, **facts):
        self._note("prepare")
        return super().prepare_conversion(conversion, **facts)

    def finish_conversion(self, prepared):
        self._note("finish")
        return super().finish_conversion(prepared)

    def _note(self, step):
        refs = list(OrderReferral.objects.values_list("invoice_ref", flat=True))
        self.seen.append((step, refs, Delivery.objects.count()))


class FullCounter(HostAdapter):
    def finish_conversion(self, prepared):
        super().finish_conversion(prepared)
        raise StateConflict("no_number", "There is no number left.")


@pytest.fixture
def seen(settings, monkeypatch):
    monkeypatch.setattr(WatchingAdapter, "seen", [])
    settings.AFFILIATES_ADAPTER = f"{__name__}.WatchingAdapter"
    return WatchingAdapter.seen


@pytest.fixture
def conversion(host, brand) -> OrderConversion:
    client = host.client(brand, email="client@example.com")
    return OrderConversion(
        order_ref=host.order(client),
        client_id=str(client.pk),
        payment_details_id=host.payment_details_id(client),
    )


@pytest.fixture
def convert(conversion, integration, now):
    cookie = cookie_of_a_visit(integration, now)

    def convert(origin_brand_id=None):
        return convert_order(
            conversion=conversion,
            origin_brand_id=origin_brand_id,
            referral_cookie=cookie,
            now=now,
        )

    return convert


def test_the_attribution_is_stored_before_the_host_makes_the_invoice(seen, convert):
    data = convert()

    assert seen == [("prepare", [], 0), ("finish", [data["id"]], 0)]


def test_a_repeat_prepares_and_finishes_again(seen, convert):
    first = convert()

    with nothing_written():
        repeat = convert()

    assert repeat == first
    known = [first["id"]]
    assert seen[2:] == [("prepare", known, 0), ("finish", known, 0)]


def test_a_payment_told_before_is_settled_before_the_host_makes_the_invoice(
    early_invoices, seen, convert, conversion, payment, now
):
    invoice_ref = f"invoice-{conversion.order_ref}"
    order = {"order_ref": conversion.order_ref, "invoice_ref": invoice_ref}
    invoice_paid(replace(payment, **order), now=now)

    convert()

    assert seen == [("prepare", [], 0), ("finish", [invoice_ref], 1)]


def test_what_cannot_be_finished_leaves_nothing(settings, convert):
    settings.AFFILIATES_ADAPTER = f"{__name__}.FullCounter"

    with nothing_written(), pytest.raises(StateConflict):
        convert()


def test_an_origin_of_another_brand_leaves_nothing(convert):
    other = BrandFactory(client_area="other.example.com")

    with nothing_written(), pytest.raises(NotAllowed):
        convert(origin_brand_id=other.pk)
