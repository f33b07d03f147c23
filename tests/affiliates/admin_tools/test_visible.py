"""No query of a list, row, inline, file or choice of the admin bypasses `visible_to`."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.db import connection
from django.forms import ModelChoiceField
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.admin_tools.exports import found_rows
from affiliates.admin_tools.visible import VisibleRows
from affiliates.hooks import own_apps
from affiliates.program.models import Affiliate
from tests.factories.affiliates import BrandFactory
from tests.factories.plans import CommissionPlanFactory

OUR_MODELS = {model for config in own_apps() for model in config.get_models()}
OUR_TABLES = {model._meta.db_table for model in OUR_MODELS}
PAGES = {
    model._meta.label: page
    for model, page in admin.site._registry.items()
    if model in OUR_MODELS
}
LABELS = sorted(PAGES)


@pytest.fixture
def asking(rf, admin_user, brand):
    request = rf.get("/")
    request.user = admin_user
    return request


@pytest.fixture
def tables_read(admin_client):
    """Opens a page; returns its status and which of our tables it read."""

    def tables_read(path):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            status = admin_client.get(path).status_code
        named = re.findall(r"\w+", " ".join(one["sql"] for one in queries))
        return status, OUR_TABLES & set(named)

    return tables_read


def is_empty(rows) -> bool:
    return bool(rows.query.is_empty())


def unbounded(fields) -> list[str]:
    """The fields that offer rows of ours."""
    return [
        name
        for name, field in fields.items()
        if isinstance(field, ModelChoiceField)
        and field.queryset.model in OUR_MODELS
        and not is_empty(field.queryset)
    ]


def inlines_of(page, request, row):
    return [kind(page.model, admin.site) for kind in page.get_inlines(request, row)]


def test_every_page_and_inline_of_ours_decides_by_it(asking):
    for page in PAGES.values():
        for one in (page, *inlines_of(page, asking, page.model())):
            assert isinstance(one, VisibleRows), one


@pytest.mark.parametrize("label", LABELS)
def test_lists_read_no_hidden_row(label, sees_nothing, affiliate, tables_read):
    name = label.lower().replace(".", "_")

    assert tables_read(reverse(f"admin:{name}_changelist")) == (200, set())


@pytest.mark.parametrize("label", LABELS)
def test_files_pages_and_searches_have_no_hidden_row(label, sees_nothing, asking):
    page = PAGES[label]
    found, _ = page.get_search_results(asking, page.get_queryset(asking), "1")

    assert is_empty(found_rows(page, asking))
    assert is_empty(found)
    assert page.get_object(asking, "1") is None


@pytest.mark.parametrize("label", LABELS)
def test_forms_and_inlines_have_no_hidden_row(label, sees_nothing, asking):
    page = PAGES[label]

    if page.has_add_permission(asking):
        assert unbounded(page.get_form(asking, None).base_fields) == []
    row = page.model()
    if page.has_change_permission(asking, row):
        assert unbounded(page.get_form(asking, row, change=True).base_fields) == []
    for inline in inlines_of(page, asking, row):
        assert is_empty(inline.get_queryset(asking)), inline
        form = inline.get_formset(asking, row).form
        assert unbounded(form.base_fields) == []


def test_autocomplete_finds_no_hidden_row(request, affiliate, admin_client):
    asked = {"app_label": "affiliates", "model_name": "affiliatelink"}
    page = reverse("admin:autocomplete")
    query = {**asked, "field_name": "affiliate", "term": affiliate.code}
    assert len(admin_client.get(page, query).json()["results"]) == 1

    request.getfixturevalue("sees_nothing")

    assert admin_client.get(page, query).json()["results"] == []
    assert Affiliate.objects.count() == 1


def test_a_hidden_row_has_no_page(sees_nothing, brand, affiliate, admin_client):
    for row in (brand, affiliate):
        name = f"admin:affiliates_{row._meta.model_name}"
        for page in ("change", "history", "delete"):
            path = reverse(f"{name}_{page}", args=[row.pk])
            assert admin_client.get(path).status_code == 302, path


def test_plans_of_several_brands_are_told_apart(brand, admin_client):
    page, choices = (
        reverse("admin:affiliates_commission_changelist"),
        reverse("admin:autocomplete"),
    )
    asked = {
        "app_label": "affiliates",
        "model_name": "affiliate",
        "field_name": "plan",
        "term": "Standard",
    }
    plan = CommissionPlanFactory(brand=brand, name="Standard")
    assert [
        (one["text"]) for one in admin_client.get(choices, asked).json()["results"]
    ] == ["Standard"]

    other = BrandFactory(name="Other", client_area="other.example.com")
    CommissionPlanFactory(brand=other, name="Standard")

    names = {f"Standard ({plan.brand})", "Standard (Other)"}
    found = admin_client.get(choices, asked).json()["results"]
    assert {one["text"] for one in found} == names
    text = admin_client.get(page).content.decode()
    assert all(name in text for name in names)
