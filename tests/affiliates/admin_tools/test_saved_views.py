"""Everybody keeps views of lists: filters, columns and order, by a name."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.html import strip_tags

from affiliates.admin_tools.lists.columns import chosen_columns
from affiliates.admin_tools.lists.models import MAX_NAME, MAX_QUERY, SavedView
from affiliates.admin_tools.lists.services import MAX_VIEWS, save_view
from affiliates.errors import InvalidInput
from tests.factories.books import CommissionFactory
from tests.guard.markers import marker

LIST = "admin:affiliates_commission_changelist"
SAVE = "admin:affiliates_commission_save_view"
DELETE = "admin:affiliates_commission_delete_view"
MODEL = "affiliates.commission"
VIEW = marker("staff", "view")
HELD = "_columns=affiliate&_columns=left&status__exact=held"


@pytest.fixture
def helper(admin_user, admin_client):
    """Signed in, with the permission to look at commissions alone."""
    admin_user.is_superuser = False
    admin_user.save()
    admin_user.user_permissions.set(
        Permission.objects.filter(codename="view_commission")
    )
    return admin_user


@pytest.fixture
def other(brand, host):
    return host.client(brand, email="other@example.com")


def kept() -> list[tuple[object, str, str, str]]:
    rows = SavedView.objects.order_by("pk")
    return list(rows.values_list("person_id", "model", "name", "query"))


@pytest.mark.parametrize(
    ("_case", "chosen", "shown"),
    [
        ("none: all", [], ["a", "b", "c"]),
        ("in the order of the list, with the first", ["c", "b"], ["a", "b", "c"]),
        ("fewer", ["c"], ["a", "c"]),
        ("the first alone", ["a"], ["a"]),
        ("one that there is not", ["x", "b"], ["a", "b"]),
        ("only such", ["x"], ["a", "b", "c"]),
    ],
)
def test_columns_that_are_chosen(_case, chosen, shown):
    assert list(chosen_columns(("a", "b", "c"), chosen)) == shown


def test_list_and_its_file_have_the_chosen_columns(admin_client, affiliate):
    CommissionFactory(affiliate=affiliate, status="held")

    page = admin_client.get(f"{reverse(LIST)}?{HELD}")
    file = admin_client.get(f"{reverse(LIST)}export/csv/?{HELD}")

    cl = page.context["cl"]
    assert [one for one in cl.list_display if one != "action_checkbox"] == [
        "invoice_number",
        "affiliate",
        "left",
    ]
    assert f'href="export/csv/?{HELD.replace("&", "&amp;")}"' in page.content.decode()
    header = b"".join(file.streaming_content).decode().splitlines()[0]
    assert header == "\ufeffInvoice,Affiliate,After refunds,After refunds: currency"


def test_columns_are_chosen_by_checkboxes_without_losing_filters(
    admin_client, affiliate
):
    page = admin_client.get(f"{reverse(LIST)}?{HELD}&p=1&o=2")

    menu = page.context["list_menu"]
    assert menu.kept == [("status__exact", "held")]
    assert [label for _, label, is_shown in menu.columns if is_shown] == [
        "Invoice",
        "Affiliate",
        "After refunds",
    ]
    assert (
        '<input type="checkbox" name="_columns" value="plan"> Plan'
        in page.content.decode()
    )


def test_view_is_saved_and_found_again(admin_client, admin_user, affiliate):
    saved = admin_client.post(
        reverse(SAVE), {"name": "  To   look at ", "query": f"{HELD}&p=3&e=1"}
    )
    page = admin_client.get(f"{reverse(LIST)}?{HELD}")

    assert saved["Location"] == f"../../?{HELD}"
    assert kept() == [(admin_user.pk, MODEL, "To look at", HELD)]
    assert page.context["list_menu"].current.name == "To look at"
    text = page.content.decode()
    assert "<summary>View: To look at</summary>" in text
    assert f'href="?{HELD.replace("&", "&amp;")}"' in text


def test_saving_under_the_same_name_replaces(admin_client, admin_user, db):
    for query in ("status__exact=held", "status__exact=paid"):
        admin_client.post(reverse(SAVE), {"name": VIEW, "query": query})

    assert kept() == [(admin_user.pk, MODEL, VIEW, "status__exact=paid")]


@pytest.mark.parametrize(
    ("_case", "given"),
    [
        ("no name", {"name": " ", "query": ""}),
        ("too long a name", {"name": "a" * (MAX_NAME + 1), "query": ""}),
        ("too many filters", {"name": "a", "query": "q=" + "a" * MAX_QUERY}),
    ],
)
def test_view_that_cannot_be_saved(admin_client, db, _case, given):
    page = admin_client.post(reverse(SAVE), given)

    assert page.status_code == 302
    assert kept() == []


def test_views_of_a_list_are_limited(admin_user):
    for number in range(MAX_VIEWS):
        save_view(person_id=admin_user.pk, model=MODEL, name=str(number), query="")

    with pytest.raises(InvalidInput, match="delete one first"):
        save_view(person_id=admin_user.pk, model=MODEL, name="more", query="")
    save_view(person_id=admin_user.pk, model=MODEL, name="0", query="q=a")
    save_view(person_id=admin_user.pk, model="affiliates.sale", name="a", query="")

    assert SavedView.objects.filter(model=MODEL).count() == MAX_VIEWS


def test_view_is_deleted(admin_client, admin_user):
    view = save_view(person_id=admin_user.pk, model=MODEL, name=VIEW, query="")

    page = admin_client.post(reverse(DELETE, args=[view.pk]), follow=True)

    assert page.request["PATH_INFO"] == reverse(LIST)
    assert f"The view “{VIEW}” is deleted." in page.content.decode()
    assert kept() == []


def test_views_are_ones_own(helper, other, admin_client):
    view = save_view(person_id=other.pk, model=MODEL, name="Theirs", query="")
    query = f"q={marker('staff', 'viewed')}"
    own = save_view(person_id=helper.pk, model=MODEL, name="Ours", query=query)

    page = admin_client.get(reverse(LIST))
    deleted = admin_client.post(reverse(DELETE, args=[view.pk]), follow=True)

    assert page.context["list_menu"].views == [own]
    assert "There is no such view any more." in strip_tags(deleted.content.decode())
    assert [name for _, _, name, _ in kept()] == ["Theirs", "Ours"]


@pytest.mark.parametrize("model", ["sale", "payout"])
def test_views_of_a_list_that_one_may_not_see(helper, admin_client, model):
    view = save_view(
        person_id=helper.pk, model=f"affiliates.{model}", name="a", query=""
    )

    saved = admin_client.post(
        reverse(f"admin:affiliates_{model}_save_view"), {"name": "b", "query": ""}
    )
    deleted = admin_client.post(
        reverse(f"admin:affiliates_{model}_delete_view", args=[view.pk])
    )

    assert (saved.status_code, deleted.status_code) == (403, 403)
    assert [name for _, _, name, _ in kept()] == ["a"]


def test_nothing_is_saved_or_deleted_by_a_link(admin_client, admin_user):
    view = save_view(person_id=admin_user.pk, model=MODEL, name=VIEW, query="")

    saved = admin_client.get(reverse(SAVE), {"name": "a", "query": ""})
    deleted = admin_client.get(reverse(DELETE, args=[view.pk]))

    assert (saved.status_code, deleted.status_code) == (405, 405)
    assert [name for _, _, name, _ in kept()] == [VIEW]


def test_name_is_unique_for_a_person_and_a_list(admin_user):
    save_view(person_id=admin_user.pk, model=MODEL, name=VIEW, query="")

    with pytest.raises(IntegrityError), transaction.atomic():
        SavedView.objects.create(person=admin_user, model=MODEL, name=VIEW)


def test_views_go_with_their_person(other):
    save_view(person_id=other.pk, model=MODEL, name=VIEW, query="")

    other.delete()

    assert kept() == []


def test_list_to_choose_a_row_from_has_no_menu(admin_client, affiliate):
    page = admin_client.get(reverse(LIST), {"_popup": "1"})

    assert "affiliates-list-menu" not in page.content.decode()
