"""The doctor names what the host reports wrongly."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.checks import ERROR, WARNING
from moneyed import Money

from affiliates.adapter import get_adapter
from affiliates.contracts import PaidInvoice
from affiliates.host_events import invoice_paid
from affiliates.operations.health.reported import REMEDY, brand_ids, labels
from affiliates.plans.rules.matching import stored_label
from tests.affiliates.operations.health.mistakes import PATH
from tests.affiliates.till import line
from tests.factories.affiliates import BrandFactory

pytestmark = pytest.mark.django_db
Sound = type(get_adapter())
PATH = PATH.replace("mistakes", "test_reported")


class NamesNoBrand(Sound):
    def get_client(self, client_id):
        return replace(super().get_client(client_id), brand_id=987654321)


class NamesAnotherBrand(Sound):
    def get_client(self, client_id):
        client = super().get_client(client_id)
        return replace(client, brand_id=client.brand_id + 1)


def test_a_sound_adapter_names_its_brands(affiliate, now):
    assert list(brand_ids(now)) == []


def test_an_id_of_no_brand_is_named(affiliate, settings, now):
    settings.AFFILIATES_ADAPTER = f"{PATH}.NamesNoBrand"

    (finding,) = brand_ids(now)

    assert (finding.id, finding.level) == ("affiliates.D037", ERROR)
    assert (finding.msg, finding.hint) == (
        "No brand has the id 987654321. get_client of the adapter names it for the "
        f"client {affiliate.user_id}.",
        REMEDY,
    )


def test_another_brand_than_the_affiliates_is_named(affiliate, settings, now):
    BrandFactory(pk=affiliate.brand_id + 1, client_area="other.example.com")
    settings.AFFILIATES_ADAPTER = f"{PATH}.NamesAnotherBrand"

    (finding,) = brand_ids(now)

    assert finding.msg.startswith(
        f"An affiliate of brand {affiliate.brand_id} is a client of brand "
    )


def test_texts_that_were_cut_and_unknown_cycles_are_named(brand, now):
    sold = line(Money("100.00", "EUR"), quantity=1)
    event = PaidInvoice(
        brand_id=brand.pk,
        invoice_ref="in_1",
        order_ref="order-1",
        payment_ref="",
        gross=Money("100.00", "EUR"),
        lines=(replace(sold, product_ref="SKU" * 50, billing_cycle="once"), sold),
        paid_at=now,
    )
    invoice_paid(event, now=now)
    stored = stored_label("product_ref", "SKU" * 50)

    findings = list(labels(now))

    assert stored.startswith("SKU" * 18 + "S~")
    assert {finding.level for finding in findings} == {WARNING}
    assert [finding.msg for finding in findings] == [
        f"A payment's line has a product_ref stored as '{stored}' of 150 characters: "
        "it was cut.",
        "A payment's line has the billing cycle 'once', which fits no rule with a cycle: "
        "one_time, monthly, quarterly, semi_annually, annually, biennially, triennially.",
    ]
