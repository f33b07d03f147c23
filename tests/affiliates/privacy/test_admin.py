"""Staff export what is stored of an affiliate or client, from its page."""

from __future__ import annotations

import json
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse

from affiliates.privacy.admin import EXPORTED
from tests.database import nothing_written
from tests.factories.ledger import ClientReferralFactory


@pytest.fixture
def buyer(brand, host):
    return host.client(brand, email="buyer@example.com")


def _download(admin_client, page):
    with nothing_written():
        asked = admin_client.get(page).content.decode()
    answer = admin_client.post(page)
    archive = ZipFile(BytesIO(answer.content))
    assert "Export what is stored of" in asked
    assert answer["Content-Type"] == "application/zip"
    assert "no-store" in answer["Cache-Control"]
    assert archive.namelist() == ["person.json", "person.html"]
    return json.loads(archive.read("person.json"))


def test_of_an_affiliate(admin_client, admin_user, affiliate):
    page = reverse("admin:affiliates_affiliate_export_person", args=[affiliate.pk])

    person = _download(admin_client, page)

    assert person["email"] == "affiliate@example.com"
    [part] = person["parts"]
    tables = {one["table"]: one["rows"] for one in part["tables"]}
    assert part["brand"] == affiliate.brand.name
    assert tables["affiliates.Affiliate"][0]["code"] == affiliate.code
    entry = LogEntry.objects.get()
    assert (entry.user_id, entry.object_id) == (admin_user.pk, str(affiliate.pk))
    assert entry.get_change_message() == EXPORTED


def test_of_a_client(admin_client, affiliate, buyer):
    bound = ClientReferralFactory(affiliate=affiliate, client=buyer)
    page = reverse("admin:affiliates_clientreferral_export_person", args=[bound.pk])

    person = _download(admin_client, page)

    tables = {one["table"] for part in person["parts"] for one in part["tables"]}
    assert person["email"] == "buyer@example.com"
    assert "affiliates.ClientReferral" in tables
    assert "affiliates.Affiliate" not in tables


def test_of_any_account(admin_client, buyer):
    page = reverse("admin:affiliates_export_account", args=[buyer.pk])

    assert _download(admin_client, page)["email"] == "buyer@example.com"
    assert LogEntry.objects.get().object_id == str(buyer.pk)


@pytest.mark.parametrize("user_id", ["0", "nobody"])
def test_an_account_that_does_not_exist_is_not_found(admin_client, user_id):
    page = reverse("admin:affiliates_export_account", args=[user_id])

    assert admin_client.get(page).status_code == 404


@pytest.mark.parametrize("is_permitted", [True, False])
def test_needs_its_permission(
    client, django_user_model, admin_user, affiliate, buyer, is_permitted
):
    admin_user.is_superuser = False
    admin_user.save()
    names = ["view_affiliate", *(["export_person"] if is_permitted else [])]
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))
    client.force_login(admin_user)
    pages = [
        reverse("admin:affiliates_affiliate_export_person", args=[affiliate.pk]),
        reverse("admin:affiliates_export_account", args=[buyer.pk]),
    ]

    statuses = [client.post(page).status_code for page in pages]

    assert statuses == ([200, 200] if is_permitted else [403, 403])
    assert LogEntry.objects.exists() is is_permitted
