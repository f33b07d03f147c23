"""The list of deliveries, in Django admin."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from affiliates.adapter import get_adapter
from affiliates.outbox.types import Operation
from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory

LIST = "admin:affiliates_delivery_changelist"


@pytest.mark.parametrize(
    ("subject", "shown"),
    [("invoice:inv-1", "INV-7"), ("invoice:inv-2", "inv-2"), ("plan:3", "plan:3")],
)
def test_event_names_its_invoice_by_the_number(
    admin_client, brand, monkeypatch, subject, shown
):
    known = {"inv-1": "INV-7"}
    monkeypatch.setattr(type(get_adapter()), "invoice_numbers", lambda *_, **__: known)
    integration = TrackingIntegrationFactory(brand=brand)
    DeliveryFactory(
        integration=integration, operation=Operation.EVENT, visitor_ref=subject
    )

    page = admin_client.get(reverse(LIST))

    [row] = page.context["cl"].result_list
    assert strip_tags(page.context["cl"].model_admin.order(row)) == shown
