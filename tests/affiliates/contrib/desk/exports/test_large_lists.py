"""A list too large to be waited for: its file, its e-mail, and who may open it."""

from __future__ import annotations

from datetime import timedelta
from threading import Event

import pytest
from django.core.files.storage import default_storage
from django.db import transaction
from django.urls import reverse

from affiliates.admin_tools import exports
from affiliates.contrib.desk.exports.models import SavedList, SavedListState
from affiliates.contrib.desk.exports.services import KEPT, make_lists, remove_lists
from affiliates.emails.models import Email
from affiliates.privacy.erasure.services import erase
from tests.factories.affiliates import AffiliateFactory
from tests.races import at_once, await_lock, needs_postgresql

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


def erase_somebody(brand, now):
    erase(brand=brand, accounts=[], email="gone@example.com", reason="", now=now)


@pytest.mark.parametrize("later", [timedelta(), timedelta(hours=1)])
def test_files_go_when_a_person_is_erased(later, asked, brand, now):
    make(now + later)
    name = SavedList.objects.get().file

    erase_somebody(brand, now)

    asked.refresh_from_db()
    assert (asked.state, asked.file) == (SavedListState.REMOVED, "")
    assert not default_storage.exists(name)


def test_list_is_made_anew_if_a_person_is_erased_meanwhile(
    asked, brand, now, monkeypatch, tmp_path
):
    write = exports.write

    def write_slowly(*args):
        count = write(*args)
        erase_somebody(brand, now)
        return count

    with monkeypatch.context() as patched:
        patched.setattr(exports, "write", write_slowly)
        assert make(now) == 0
    asked.refresh_from_db()
    assert (asked.state, asked.attempt_count) == (SavedListState.WAITING, 0)
    assert not Email.objects.exists()
    assert not [one for one in tmp_path.rglob("*") if one.is_file()]

    assert make(now) == 1

    asked.refresh_from_db()
    assert asked.state == SavedListState.READY


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_list_waits_for_the_erasure_that_has_removed_the_others(
    asked, brand, now, monkeypatch
):
    read = Event()
    write = exports.write

    def write_and_say_so(*args):
        count = write(*args)
        read.set()
        return count

    monkeypatch.setattr(exports, "write", write_and_say_so)

    def erase_first(number):
        if number:
            return make(now)
        with transaction.atomic():
            erase_somebody(brand, now)
            assert read.wait(timeout=30)
            await_lock()
        return 0

    assert at_once(2, erase_first) == [0, 0]

    asked.refresh_from_db()
    assert (asked.state, asked.file) == (SavedListState.WAITING, "")
