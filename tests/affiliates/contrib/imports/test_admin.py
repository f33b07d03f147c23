"""Imports in Django admin: upload, look, confirm, withdraw, what is wrong as CSV."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from affiliates.admin_tools.naming import page_name
from affiliates.contrib.imports.models import ImportedRow, ImportFile
from affiliates.program.models import Affiliate
from tests.database import nothing_written
from tests.guard.markers import marker

UNKNOWN = f"{marker('affiliate', 'row')}@example.com"
LINES = ("email,code", "a-0@example.com,anna", "=nobody,nobody", f"{UNKNOWN},x-1")


def page(name: str, *args: object) -> str:
    model, _, page = name.partition("_")
    return reverse(page_name(model, page), args=args)


def text_of(answer) -> str:
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


@pytest.fixture
def upload_page(admin_client, brand):
    def upload_page(*lines, kind="affiliates", **more):
        said = {"brand": brand.pk, "kind": kind, "source": "own", "confirmed": "yes"}
        file = SimpleUploadedFile("them.csv", "\n".join(lines).encode())
        return admin_client.post(
            page("importfile_upload"), {**said, "file": file, **more}, follow=True
        )

    return upload_page


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["importfile", "importedrow", "importfault"])
def test_lists_are_shown_while_empty(admin_client, name):
    assert "Nothing yet" in text_of(admin_client.get(page(f"{name}_changelist")))


def test_file_is_checked_confirmed_and_imported(admin_client, clients, upload_page):
    clients(1)

    checked = text_of(upload_page(*LINES))

    file = ImportFile.objects.get()
    for said in (
        "Nothing is imported yet",
        f"Nobody of this brand&#x27;s clients is {UNKNOWN}",
    ):
        assert said in checked
    confirm = page("importfile_confirm", file.pk)
    with nothing_written():
        answer = admin_client.post(confirm, {"confirmed": "yes"})
        assert "Choose to leave the bad rows out" in text_of(answer)
    done = admin_client.post(
        confirm, {"confirmed": "yes", "leaves_out_bad": "on"}, follow=True
    )
    assert "Imported" in text_of(done)
    assert "Refresh" not in done
    assert Affiliate.objects.get().code == "anna"
    rows = text_of(admin_client.get(page("importedrow_changelist")))
    assert "anna" in rows
    again = text_of(upload_page(LINES[0], LINES[1]))
    assert "There is nothing to import in it." in again
    assert "Known, and left alone" in again


def test_what_is_wrong_is_saved_as_csv_without_formulas(admin_client, upload_page):
    upload_page(*LINES)
    file = ImportFile.objects.get()

    answer = admin_client.get(page("importfault_export", "csv"), {"file": str(file.pk)})

    lines = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()
    assert [line.split(",")[0] for line in lines] == ["Row", "2", "3", "4"]
    assert "“=nobody” is no e-mail address." in lines[2]


def test_large_file_is_the_workers_and_the_page_looks_again(
    admin_client, upload_page, monkeypatch
):
    monkeypatch.setattr("affiliates.contrib.imports.admin_actions.MAX_LINES_AT_ONCE", 2)

    answer = upload_page(*LINES)

    assert answer["Refresh"] == "3"
    assert "0 of about 4 lines are checked." in text_of(answer)
    file = ImportFile.objects.get()
    withdrawn = admin_client.post(
        page("importfile_withdraw", file.pk), {"confirmed": "yes"}, follow=True
    )
    assert "Withdrawn" in text_of(withdrawn)
    assert not ImportedRow.objects.exists()


def test_form_refuses_what_it_cannot_use(upload_page):
    with nothing_written():
        said = text_of(upload_page("email", currency="XYZ", kind="nothing"))

    assert "There is no such currency." in said
    assert "Select a valid choice" in said


def test_balances_are_for_those_who_may_post(
    admin_client, admin_user, upload, affiliate
):
    file = upload(
        "balances", "affiliate_code,amount,currency,reason", "partner,1,EUR,x"
    )
    admin_user.is_superuser = False
    admin_user.save(update_fields=["is_superuser"])
    for permission, status in (("add_affiliate", 403), ("add_adjustment", 200)):
        names = ["view_importfile", permission]
        admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))
        answer = admin_client.get(page("importfile_confirm", file.pk))
        assert answer.status_code == status
