"""A list too large to be waited for: its file, its e-mail, and who may open it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from affiliates.admin_tools import exports
from affiliates.contrib.desk.exports.models import SavedList, SavedListState
from affiliates.contrib.desk.exports.services import KEPT, make_lists, remove_lists
from affiliates.emails.models import Email
from tests.factories.affiliates import AffiliateFactory

LISTS = "/admin/affiliates_desk/savedlist/"


@pytest.fixture(autouse=True)
def _small(monkeypatch, settings, tmp_path):
    monkeypatch.setattr(exports, "MAX_AT_ONCE", 1)
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def asked(admin_client, affiliate, brand, host):
    """A list of two affiliates, asked for with its filters."""
    AffiliateFactory(
        brand=brand, user=host.client(brand, email="b@example.com"), code="second"
    )
    url = reverse("admin:affiliates_affiliate_export", args=["csv"])
    question = admin_client.get(f"{url}?o=1")
    answer = admin_client.post(question["Location"], {"confirmed": "yes"}, follow=True)
    assert "The file is being made" in answer.content.decode()
    return SavedList.objects.get()


def make(now):
    return make_lists(now=lambda: now, should_stop=lambda: False)


def test_file_is_made_by_the_worker(asked, admin_client, now):
    assert asked.state == SavedListState.WAITING
    assert make(now) == 1

    asked.refresh_from_db()
    assert (asked.state, asked.row_count) == (SavedListState.READY, 2)
    file = admin_client.get(asked.url)
    lines = b"".join(file.streaming_content).decode("utf-8-sig").splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == ["partner", "second"]
    assert file["Content-Disposition"].startswith('attachment; filename="affiliate-')


def test_asker_gets_one_email_with_the_way_to_it(asked, admin_user, now):
    make(now)

    email = Email.objects.get()
    assert (email.recipient, email.brand) == (admin_user.email, None)
    assert f"http://testserver{LISTS}{asked.pk}/file/" in email.text
    assert "2 rows" in email.text


def test_nobody_else_sees_or_opens_it(asked, admin_client, django_user_model, now):
    make(now)
    SavedList.objects.update(asker=_other(asked, django_user_model))

    assert admin_client.get(f"{LISTS}{asked.pk}/file/").status_code == 404
    assert str(asked) not in admin_client.get(LISTS).content.decode()


def _other(saved, model):
    other = model._default_manager.get(pk=saved.asker_id)
    other.pk = None
    for field in model._meta.concrete_fields:
        if field.unique and not field.primary_key:
            setattr(other, field.attname, f"other-{getattr(other, field.attname)}")
    other.email = "other@example.com"
    other.save()
    return other


def test_file_goes_after_some_days(asked, admin_client, now):
    make(now)
    name = SavedList.objects.get().file

    assert remove_lists(now=now + KEPT) == 0
    assert default_storage.exists(name)
    assert remove_lists(now=now + KEPT + timedelta(seconds=1)) == 1
    assert not default_storage.exists(name)
    assert admin_client.get(asked.url)["Location"] == LISTS


def test_whoever_may_no_longer_look_gets_nothing(asked, admin_user, now):
    admin_user.is_superuser = False
    admin_user.save(update_fields=["is_superuser"])

    make(now)

    asked.refresh_from_db()
    assert (asked.state, asked.file) == (SavedListState.FAILED, "")
    assert asked.detail == "You may no longer look at this list."


def test_list_that_ends_the_worker_is_given_up(asked, now):
    SavedList.objects.update(attempt_count=3)

    make(now)

    asked.refresh_from_db()
    assert asked.state == SavedListState.FAILED


def test_unknown_list_is_not_there(admin_client, asked):
    response = admin_client.get(
        reverse("admin:affiliates_desk_savedlist_make"),
        {"site": "admin", "model": "affiliates.nothing", "file_format": "csv"},
    )

    assert response.status_code == 404
