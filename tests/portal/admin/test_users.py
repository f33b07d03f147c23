from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.clients.models import User
from portal.clients.open_sessions import AuthToken
from portal.clients.services import _issue_token
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.portal import PASSWORD, ClientFactory, StaffFactory
from tests.portal.admin.pages import page_of, text_of

pytestmark = pytest.mark.portable


def test_staff_are_created_with_a_hashed_password(browser):
    response = browser.post(
        "/admin/portal/user/add/",
        {
            "brand": "",
            "email": "new@example.com",
            "firstname": "New",
            "lastname": "Staff",
            "is_staff": "on",
            "usable_password": "true",
            "password1": PASSWORD,
            "password2": PASSWORD,
        },
    )

    assert response.status_code == 302
    user = User.objects.get(email="new@example.com")
    assert (user.brand, user.is_staff, user.is_superuser) == (None, True, False)
    assert user.check_password(PASSWORD)


def add_user(browser: Client, **values: object) -> str:
    form = {
        "email": "ada@example.com",
        "usable_password": "true",
        "password1": PASSWORD,
        "password2": PASSWORD,
        **values,
    }
    return text_of(browser.post("/admin/portal/user/add/", form))


@pytest.mark.parametrize(
    ("_case", "message"),
    [
        ("e-mail of a client", "The brand has a client with this e-mail."),
        ("client who is staff", "Clients and guests need a brand; staff have none."),
        ("no e-mail", "Only a guest may have no e-mail."),
        ("weak password", "This password is too common."),
    ],
)
def test_an_impossible_user_is_refused(_case, message, browser, client):
    change = {
        "e-mail of a client": {"brand": client.brand_id, "email": client.email.upper()},
        "client who is staff": {"brand": client.brand_id, "is_staff": "on"},
        "no e-mail": {"brand": client.brand_id, "email": ""},
        "weak password": {"password1": "password1", "password2": "password1"},
    }[_case]
    before = User.objects.count()

    assert message in add_user(browser, **change)
    assert User.objects.count() == before


def test_a_password_is_changed_by_its_page(browser, client):
    response = browser.post(
        f"/admin/portal/user/{client.pk}/password/",
        {
            "usable_password": "true",
            "password1": "another-good-one",
            "password2": "another-good-one",
        },
    )

    assert response.status_code == 302
    client.refresh_from_db()
    assert client.check_password("another-good-one")


def test_staff_set_no_password_that_the_login_would_not_take(browser, client):
    answer = browser.post(
        f"/admin/portal/user/{client.pk}/password/",
        {"usable_password": "true", "password1": "x7" * 65, "password2": "x7" * 65},
    )

    assert "Your password can have at most 128 characters." in text_of(answer)
    client.refresh_from_db()
    assert client.check_password(PASSWORD)


def test_a_client_stays_in_its_brand(browser, client, other_brand):
    browser.post(
        page_of(client),
        {
            "email": client.email,
            "firstname": "Renamed",
            "brand": other_brand.pk,
            "is_guest": "on",
            "is_active": "on",
        },
    )

    brand = client.brand
    client.refresh_from_db()
    assert (client.firstname, client.brand, client.is_guest) == (
        "Renamed",
        brand,
        False,
    )


def test_only_superusers_touch_staff(helper, staff, client):
    assert helper.post(page_of(staff), {"email": "x@example.com"}).status_code == 403
    assert (
        helper.post(f"/admin/portal/user/{staff.pk}/password/", {}).status_code == 403
    )
    helper.post(
        page_of(client),
        {
            "email": client.email,
            "firstname": "Renamed",
            "is_active": "on",
            "is_staff": "on",
            "is_superuser": "on",
        },
    )
    client.refresh_from_db()
    assert (client.firstname, client.is_staff, client.is_superuser) == (
        "Renamed",
        False,
        False,
    )


def test_users_are_never_deleted(browser, client):
    assert browser.post(page_of(client, "delete"), {"post": "yes"}).status_code == 403
    assert User.objects.filter(pk=client.pk).exists()


def test_a_client_is_logged_out_everywhere(browser, client, other_client, now):
    for user in (client, client, other_client):
        _issue_token(user, now)

    browser.post(
        "/admin/portal/user/",
        {"action": "log_out_everywhere", "_selected_action": [client.pk]},
    )

    assert not AuthToken.objects.filter(user=client).exists()
    assert AuthToken.objects.filter(user=other_client).exists()


@pytest.mark.parametrize(
    ("_case", "choice"),
    [
        ("two rows", lambda *users: {"_selected_action": [one.pk for one in users]}),
        (
            "every row, of which one is shown",
            lambda first, _: {"_selected_action": [first.pk], "select_across": "1"},
        ),
    ],
)
def test_several_clients_are_logged_out_in_one_statement(
    _case, choice, browser, client, other_client, now
):
    for user in (client, client, other_client):
        _issue_token(user, now)
    form = {"action": "log_out_everywhere", **choice(client, other_client)}

    with CaptureQueriesContext(connection) as queries:
        browser.post("/admin/portal/user/", form)

    assert not AuthToken.objects.exists()
    told = [one["sql"] for one in queries if "authtoken" in one["sql"]]
    assert len(told) == 1
    assert told[0].startswith("DELETE")
    assert User.objects.filter(logged_out_at__isnull=False).count() == 2


def test_logging_out_all_of_a_filtered_list_spares_the_others(
    browser, client, other_brand, now
):
    elsewhere = ClientFactory(brand=other_brand)
    for user in (client, elsewhere):
        _issue_token(user, now)

    browser.post(
        f"/admin/portal/user/?brand__id__exact={client.brand_id}",
        {
            "action": "log_out_everywhere",
            "_selected_action": [client.pk],
            "select_across": "1",
        },
    )

    assert [one.user_id for one in AuthToken.objects.all()] == [elsewhere.pk]
    assert User.objects.get(logged_out_at__isnull=False) == client


def test_language_is_chosen_for_staff_and_only_shown_of_clients(browser, client):
    staff = StaffFactory(language="de")

    pages = [
        text_of(browser.get(f"/admin/portal/user/{one.pk}/change/"))
        for one in (staff, client)
    ]

    assert '<option value="de" selected>Deutsch</option>' in pages[0]
    assert 'name="language"' not in pages[1]


def test_only_clients_of_the_brand_who_are_no_affiliates_yet_are_offered(
    browser, client
):
    StaffFactory(email="picked-staff@example.com")
    other = BrandFactory(client_area="other.example.com")
    ClientFactory(brand=other, email="picked-elsewhere@example.com")
    known = ClientFactory(brand=client.brand, email="picked-before@example.com")
    AffiliateFactory(brand=client.brand, user=known)
    picked = ClientFactory(brand=client.brand, email="picked@example.com")
    question = {"app_label": "affiliates", "model_name": "affiliate"}
    question |= {"field_name": "user", "term": "picked", "brand": client.brand_id}

    answer = browser.get("/admin/autocomplete/", question)

    assert [row["id"] for row in answer.json()["results"]] == [str(picked.pk)]
