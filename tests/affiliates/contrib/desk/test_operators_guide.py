"""The operators' reference explains every word that the admin pages use."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets
from django.test import RequestFactory
from django.utils.text import capfirst

from affiliates.brands.models.brand import Brand
from affiliates.contrib.desk.navigation import areas
from affiliates.contrib.desk.queues import QUEUES
from affiliates.contrib.desk.system.page import groups
from affiliates.core.redirects import RedirectReason
from affiliates.referrals.rules.choices import (
    CookieState,
    ExternalVerdict,
    Outcome,
    Reason,
    Verdict,
)
from affiliates.sales.rules import SaleReason, SaleStatus

DOCS = Path(__file__).parents[4] / "docs"
PAGES = ("desk", "brand-fields", "order-words")
GUIDE = "\n".join((DOCS / f"{name}.md").read_text("utf-8") for name in PAGES)
# Of apps that a host may leave out.
OF_APPS = {
    "affiliates_invoices": ("Invoice terms", "Affiliate's invoices"),
    "affiliates_offers": ("Offers", "Codes of offers"),
    "affiliates_tax_identity": ("Identity terms", "Tax identities"),
}
ABSENT = [
    page for label in OF_APPS if not apps.all_models[label] for page in OF_APPS[label]
]


@pytest.mark.parametrize(
    "words",
    [
        RedirectReason,
        Outcome,
        Reason,
        Verdict,
        ExternalVerdict,
        CookieState,
        SaleStatus,
        SaleReason,
    ],
)
def test_guide_explains_every_word(words: type[StrEnum]):
    rows = GUIDE.splitlines()
    cells = {cell.strip() for row in rows for cell in row.split("|")}

    assert {word.label for word in words} <= cells


def test_guide_names_every_queue_in_its_order():
    assert [queue.title for queue in QUEUES] == [
        row[0] for row in table("| Queue | What is in it |")
    ]


def test_guide_says_where_every_page_is(admin_user):
    request = RequestFactory().get("/admin/")
    request.user = admin_user
    _, _, *works = table("| Work | Pages |")

    # Nothing waits, so nothing is to do.
    ours = areas(request)[1 : len(works) + 1]

    assert works == [
        [area.title, ", ".join(item.title for item in area.items)] for area in ours
    ]


def test_guide_says_what_the_system_page_lists(admin_user):
    request = RequestFactory().get("/admin/")
    request.user = admin_user
    lists = [
        [title, ", ".join(page for page in pages.split(", ") if page not in ABSENT)]
        for title, pages in table("| Group | Lists and pages |")
    ]

    assert lists == [
        [group.title, ", ".join(line.item.title for line in group.lines)]
        for group in groups(request, admin.site)[: len(lists)]
    ]


def test_guide_explains_every_field_of_a_brand(rf, admin_user):
    page = admin.site.get_model_admin(Brand)
    request = rf.get("/admin/")
    request.user = admin_user
    labels = {
        str(capfirst(field.label))
        for name, field in page.get_form(request).base_fields.items()
        if name in flatten_fieldsets(page.get_fieldsets(request)) and name != "name"
    }
    explained = {row[0] for row in table("| Brand field | Meaning |")}

    assert len(labels) > 18
    assert labels - explained == set()
    # What a form asks of a domain, and shows of a logo, is no field of it.
    assert explained - labels == set()


def table(heading: str) -> list[list[str]]:
    """The rows below it, cell by cell."""
    _, _, below = GUIDE.partition(f"{heading}\n|---|---|\n")
    rows = below.partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
