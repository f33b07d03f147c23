"""The record of processing: a page and a file made from the table of personal data."""

from __future__ import annotations

import csv
from io import StringIO

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from affiliates.contrib.desk.system import personal_data
from affiliates.contrib.desk.system.personal_data import HEADER
from affiliates.privacy.registry import declared

PAGE = "admin:affiliates_brand_personal_data"

pytestmark = pytest.mark.django_db


def test_page_shows_each_use_with_the_times_that_are_set(admin_client, settings):
    settings.AFFILIATES_KEEP_USER_AGENTS_DAYS = 45
    settings.AFFILIATES_KEEP_BOOKS_YEARS = 7

    page = admin_client.get(reverse(PAGE))

    kept = {row["why"]: row["kept"] for row in page.context["rows"]}
    text = page.content.decode()
    assert kept["To recognise robots, and for the integration"] == "45 days"
    assert "7 years: as long as" in kept["To compute commissions of what was paid"]
    assert "affiliates.Click: user_agent" in text


def test_page_names_columns_that_nobody_declared(admin_client, monkeypatch):
    monkeypatch.setattr(personal_data, "undeclared", lambda: ["shop.Order.note"])

    page = admin_client.get(reverse(PAGE)).content.decode()

    assert "shop.Order.note" in page


def test_file_has_every_declared_column(admin_client):
    answer = admin_client.get(reverse(PAGE), {"format": "csv"})

    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    header, *rows = csv.reader(StringIO(text))
    found = {(row[5], name) for row in rows for name in row[6].split(", ")}
    assert header == list(HEADER)
    assert found == {(one.name, name) for one in declared() for name, _ in one.uses()}


def test_system_page_leads_there(admin_client):
    page = admin_client.get(reverse("admin:affiliates_brand_system"))

    assert reverse(PAGE) in page.content.decode()


def test_needs_what_the_system_page_needs(client, admin_user):
    admin_user.is_superuser = False
    admin_user.save()
    client.force_login(admin_user)

    refused = client.get(reverse(PAGE)).status_code
    admin_user.user_permissions.set(Permission.objects.filter(codename="view_brand"))

    assert [refused, client.get(reverse(PAGE)).status_code] == [403, 200]
