"""The page of one client, and the ways that lead to it."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.contrib.desk.client import client_path
from affiliates.db.accounts import email_of
from tests.factories.ledger import OrderReferralFactory

MAX_QUERIES = 20


@pytest.fixture
def client_of(commission):
    return commission.sale.order_referral.client


def tables(answer):
    return {table.title: len(table.rows) for table in answer.context["tables"]}


def test_page_shows_orders_sales_and_commissions(admin_client, commission, client_of):
    with CaptureQueriesContext(connection) as queries:
        answer = admin_client.get(client_path(client_of.pk))

    assert tables(answer) == {
        "Referral": 0,
        "Orders": 1,
        "Sales": 1,
        "Commissions": 1,
    }
    head = answer.context["head"]
    assert head.name == email_of(client_of)
    assert [value for name, value in head.facts if name == "Commissions"] == ["1"]
    page = reverse("admin:affiliates_commission_change", args=[commission.pk])
    assert f'href="{page}"' in answer.text
    assert "€10.00" in answer.text
    assert len(queries) <= MAX_QUERIES


def test_page_says_that_there_are_more_rows_than_it_shows(
    admin_client, commission, client_of
):
    order = commission.sale.order_referral
    for number in range(50):
        OrderReferralFactory(
            brand=order.brand, client=client_of, order_ref=f"more-{number}"
        )

    answer = admin_client.get(client_path(client_of.pk))

    assert tables(answer)["Orders"] == 50
    assert ("Orders", "More than 50") in answer.context["head"].facts
    assert "The first 50 are shown." in answer.text


def test_page_shows_only_rows_that_one_may_see(admin_client, admin_user, client_of):
    admin_user.is_superuser = False
    admin_user.save()
    names = ["view_orderreferral"]
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))

    assert tables(admin_client.get(client_path(client_of.pk))) == {"Orders": 1}

    admin_user.user_permissions.clear()
    assert admin_client.get(client_path(client_of.pk)).status_code == 403


@pytest.mark.parametrize(
    "client_id", ["", "nobody", "0", "00000000-0000-0000-0000-000000000000"]
)
def test_page_of_nobody_is_not_found(admin_client, db, client_id):
    assert admin_client.get(client_path(client_id)).status_code == 404


@pytest.mark.parametrize("model", ["commission", "sale", "orderreferral"])
def test_list_is_searched_by_the_clients_email(admin_client, client_of, model):
    page = reverse(f"admin:affiliates_{model}_changelist")

    found = admin_client.get(page, {"q": email_of(client_of)})
    nothing = admin_client.get(page, {"q": "somebody-else@example.com"})

    assert len(found.context["cl"].result_list) == 1
    assert nothing.context["cl"].result_list == []


def test_search_of_everything_leads_to_the_client(admin_client, client_of):
    page = reverse("admin:affiliates_brand_search")

    text = admin_client.get(page, {"q": email_of(client_of)}).text

    assert f'href="{client_path(client_of.pk)}"' in text
