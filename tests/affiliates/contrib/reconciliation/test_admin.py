"""The page that asks the provider what it holds, in Django admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from affiliates.contrib.reconciliation import admin as reconciliation_admin
from affiliates.contrib.reconciliation.types import Agreement
from affiliates.outbox.models.delivery import Delivery

PAGE = "admin:affiliates_orderreferral_reconcile"
LIST = "admin:affiliates_orderreferral_changelist"
DAYS = {"first_day": "2026-03-01", "last_day": "2026-03-01"}


def open_page(client, shop, **query):
    fields = {"integration": shop.integration.pk, **DAYS, **query}
    return client.get(reverse(PAGE), fields)


def verdicts(page) -> list[Agreement]:
    return [row["line"].verdict for row in page.context["rows"]]


def test_the_list_of_orders_leads_to_the_page(admin_client, shop):
    text = admin_client.get(reverse(LIST)).content.decode()

    assert "Reconcile with the tracker" in text
    assert reverse(PAGE) in text


def test_nobody_is_asked_before_a_choice_is_made(admin_client, shop, simulator):
    shop.sell()
    before = len(simulator.state.log)

    page = admin_client.get(reverse(PAGE))

    assert page.status_code == 200
    assert "rows" not in page.context
    assert f"{shop.brand} (Post Affiliate Pro)" in page.content.decode()
    assert len(simulator.state.log) == before


def test_orders_are_shown_with_verdict_reason_and_delivery(admin_client, shop, caller):
    shop.sell()
    twice = shop.sell()
    caller.sell(twice.invoice_ref, t="100.00")
    delivery = Delivery.objects.get(order_ref=twice.invoice_ref)

    page = open_page(admin_client, shop)

    assert verdicts(page) == [Agreement.HELD_TWICE, Agreement.NAMES_UNCLEAR]
    text = page.content.decode()
    assert "1 of these differs." in text
    assert "Orders 1 to 2 of 2" in text
    assert "The provider holds the order 2 times" in text
    assert reverse("admin:affiliates_delivery_change", args=[delivery.pk]) in text
    assert reverse("admin:affiliates_orderreferral_change", args=[twice.pk]) in text


def test_nothing_is_written(admin_client, shop):
    shop.sell()
    rows = list(Delivery.objects.values())

    open_page(admin_client, shop)

    assert list(Delivery.objects.values()) == rows


def test_twenty_orders_are_asked_for_a_page(admin_client, shop):
    for _ in range(21):
        shop.order()

    first = open_page(admin_client, shop)
    second = open_page(admin_client, shop, p="2")

    assert len(verdicts(first)) == 20
    assert len(verdicts(second)) == 1
    assert second.context["rows"][0]["line"].order.order_ref == "order-1"
    assert "Older orders" in first.content.decode()
    assert "Newer orders" in second.content.decode()


def test_a_provider_that_does_not_answer_is_asked_once(admin_client, shop, simulator):
    shop.sell()
    shop.sell()
    simulator.fault(on="rpc", times=None, status=503)
    before = len(simulator.state.log)

    page = open_page(admin_client, shop)

    assert verdicts(page) == [Agreement.NOT_ASKED] * 2
    assert len(simulator.state.log) - before == 1
    assert "The provider answered with status 503." in page.content.decode()


def test_a_slow_provider_does_not_hold_the_page(
    admin_client, shop, simulator, monkeypatch
):
    shop.sell()
    shop.sell(external_affiliate="11111111")
    monkeypatch.setattr(reconciliation_admin, "MAX_SECONDS", 0.2)
    simulator.fault(on="rpc", times=1, delay_s=0.3)

    page = open_page(admin_client, shop)

    assert verdicts(page) == [Agreement.AGREES, Agreement.NOT_ASKED]
    assert "it answers too slowly for all of these orders" in page.content.decode()


def test_days_without_orders_say_so(admin_client, shop):
    page = open_page(admin_client, shop)

    assert (
        "No order of this brand was converted on these days." in page.content.decode()
    )


@pytest.mark.parametrize(
    ("_case", "query", "message"),
    [
        ("reversed", {"last_day": "2026-02-01"}, "The last day is before the first."),
        ("no day", {"first_day": "soon"}, "Enter a valid date."),
        (
            "far future",
            {"last_day": "9999-12-31"},
            "Choose a day before the year 9000.",
        ),
        ("far past", {"first_day": "0001-01-01"}, "Choose a day after the year 1900."),
        ("nobody's", {"integration": "0"}, "Select a valid choice."),
    ],
)
def test_a_wrong_choice_is_explained(_case, query, message, admin_client, shop):
    page = open_page(admin_client, shop, **query)

    assert page.status_code == 200
    assert message in page.content.decode()
    assert "rows" not in page.context


def test_without_an_integration_the_page_says_where_to_add_one(admin_client, brand):
    text = admin_client.get(reverse(PAGE)).content.decode()

    assert "No brand has a tracking integration" in text
    assert reverse("admin:affiliates_trackingintegration_changelist") in text


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["view_orderreferral"], 403),
        (["view_orderreferral", "view_delivery"], 200),
    ],
)
def test_it_takes_the_right_to_see_orders_and_deliveries(
    names, status, admin_client, admin_user, shop
):
    admin_user.is_superuser = False
    admin_user.save()
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))

    assert admin_client.get(reverse(PAGE)).status_code == status
