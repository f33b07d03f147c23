from __future__ import annotations

import pytest
from django.contrib import admin

from tests.factories.portal import ClientFactory, PaymentDetailsFactory, ProductFactory
from tests.portal.admin.pages import PAGES, page_of, text_of


@pytest.mark.parametrize("page", PAGES)
def test_lists_and_rows_open(page, browser, client, invoice, event):
    listed = browser.get(f"/admin/portal/{page}/")
    row = admin.site.get_model_admin(
        next(m for m in admin.site._registry if m._meta.label_lower == f"portal.{page}")
    ).model.objects.first()

    assert listed.status_code == 200
    assert str(row.pk) in text_of(listed)
    assert browser.get(page_of(row)).status_code == 200


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("wanted", ["example", "INV-000001", "0197c0de", "\u20ac", "'"])
def test_lists_can_be_searched(page, wanted, browser, invoice, event):
    assert browser.get(f"/admin/portal/{page}/", {"q": wanted}).status_code == 200


@pytest.mark.parametrize("wanted", ["ada", "0197c0de-0000-7000-8000-000000000000"])
def test_every_list_with_a_search_can_be_searched(wanted, browser):
    statuses = {
        model._meta.label: browser.get(
            f"/admin/{model._meta.app_label}/{model._meta.model_name}/", {"q": wanted}
        ).status_code
        for model, rows in admin.site._registry.items()
        if rows.search_fields
    }

    assert {label: status for label, status in statuses.items() if status != 200} == {}
    assert len(statuses) > 40


@pytest.mark.parametrize("page", PAGES)
def test_lists_do_not_ask_for_each_row(
    page, browser, brand, invoice_of, django_assert_max_num_queries
):
    for _ in range(5):
        user = ClientFactory(brand=brand)
        invoice_of(user)

    with django_assert_max_num_queries(16):
        browser.get(f"/admin/portal/{page}/")


@pytest.mark.parametrize("page", ["order", "paymentdetails", "invoice", "paymentevent"])
def test_rows_of_services_cannot_be_added_changed_or_deleted(
    page, browser, invoice, event
):
    model = next(
        model
        for model in admin.site._registry
        if model._meta.label_lower == f"portal.{page}"
    )
    row = model.objects.first()
    before = model.objects.values().get(pk=row.pk)

    assert browser.get(f"/admin/portal/{page}/add/").status_code == 403
    assert browser.post(page_of(row), {"status": "paid"}).status_code == 403
    assert browser.post(page_of(row, "delete"), {"post": "yes"}).status_code == 403
    browser.post(
        f"/admin/portal/{page}/",
        {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"},
    )
    assert model.objects.values().get(pk=row.pk) == before


def test_rows_open_for_staff_who_may_only_look(helper, client, invoice):
    ProductFactory(brand=client.brand)
    PaymentDetailsFactory(client=client)

    for page in PAGES:
        assert helper.get(f"/admin/portal/{page}/").status_code == 200


def test_tokens_have_no_page(browser):
    assert browser.get("/admin/portal/authtoken/").status_code == 404
