"""The session of a client on the shop's host, begun by a form that needs no script."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.hashers import make_password
from django.test import Client
from rest_framework.test import APIClient

from affiliates.brands.models.brand import Brand
from portal.clients import services
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken, OpenSession
from portal.clients.services import log_out_everywhere
from portal.clients.session_store import SessionStore
from portal.clients.sessions import delete_expired
from tests.cases import each
from tests.factories.affiliates import BrandFactory
from tests.factories.portal import PASSWORD, ClientFactory, GuestFactory, StaffFactory

SHOP = "shop.example.com"
HOME = "203.0.113.7"
LIMIT = 10


@pytest.fixture(autouse=True)
def shop(settings):
    settings.ALLOWED_HOSTS = [".example.com", "testserver"]


def browser(host: str = SHOP, *, at: str = "127.0.0.1", **options) -> Client:
    return Client(
        headers={"host": host, "x-forwarded-proto": "https"},
        REMOTE_ADDR=at,
        **{"wsgi.url_scheme": "https"},
        **options,
    )


def log_in(
    who: Client, email: str, password: str = PASSWORD, *, next_page: str = "/basket"
):
    form = {"email": email, "password": password, "next": next_page}
    return who.post("/login", form)


def is_in(who: Client) -> bool:
    return who.get("/account").status_code == 200


@pytest.mark.parametrize("host", [f"{SHOP}:80", "Shop.Example.com"])
def test_a_proxy_may_write_the_host_otherwise(host, client):
    assert log_in(browser(host), client.email).status_code == 302


def test_a_client_is_in_by_the_form_alone(client):
    person = browser()

    answer = log_in(person, client.email.upper())

    assert (answer.status_code, answer["Location"]) == (302, "/basket")
    assert answer.wsgi_request.user == client
    assert client.email in person.get("/account").content.decode()
    # The API is asked with a token; the session alone opens nothing there.
    assert not AuthToken.objects.exists()
    assert person.get("/api/account_credit").status_code == 401


def test_the_cookie_is_for_this_host_its_pages_and_https(client, settings):
    settings.SESSION_COOKIE_SECURE = True

    cookie = log_in(browser(), client.email).cookies["sessionid"]

    assert cookie["secure"] is True
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Lax"
    assert (cookie["domain"], cookie["path"]) == ("", "/")


def test_the_session_gets_a_new_key(client):
    person = browser()
    planted = SessionStore()
    planted["before"] = "here"
    planted.save()
    person.cookies["sessionid"] = planted.session_key

    log_in(person, client.email)

    assert person.cookies["sessionid"].value != planted.session_key
    assert not SessionStore().exists(planted.session_key)


def guest_of(brand: Brand) -> User:
    password = make_password(PASSWORD)
    return GuestFactory(brand=brand, email="guest@example.com", password=password)


def inactive_of(brand: Brand) -> User:
    return ClientFactory(brand=brand, email="off@example.com", is_active=False)


def stranger_of(brand: Brand) -> User:
    elsewhere = BrandFactory(client_area="other.example.com")
    return ClientFactory(brand=elsewhere, email="stranger@example.com")


def staff_of(brand: Brand) -> User:
    return StaffFactory(email="root@example.com")


def nobody_of(brand: Brand) -> User:
    return User(email="nobody@example.com")


def said(answer) -> str:
    """The page, without what is random in it."""
    hidden = r'name="csrfmiddlewaretoken" value="\w+"'
    return re.sub(hidden, "", answer.content.decode())


@each("who", [guest_of, inactive_of, stranger_of, staff_of, nobody_of])
def test_whoever_is_no_client_of_the_brand_is_answered_as_a_wrong_password(who, client):
    user = who(client.brand)

    answer = log_in(browser(), user.email)
    wrong = log_in(browser(), client.email, "wrong-password")

    assert (answer.status_code, wrong.status_code) == (400, 400)
    assert said(answer) == said(wrong).replace(client.email, user.email)
    assert "Wrong e-mail or password." in said(answer)
    assert not OpenSession.objects.exists()


@each(
    ("wanted", "led_to"),
    [
        ("/affiliate/?page=2#top", "/affiliate/?page=2#top"),
        ("", "/account"),
        ("https://evil.example/", "/account"),
        ("//evil.example/", "/account"),
        ("/\\evil.example/", "/account"),
        ("///evil.example", "/account"),
        ("javascript:alert(1)", "/account"),
        ("account", "/account"),
        ("https://shop.example.com/basket", "/account"),
    ],
)
def test_the_next_page_is_a_path_of_this_host(wanted, led_to, client):
    assert log_in(browser(), client.email, next_page=wanted)["Location"] == led_to


def test_a_page_of_the_account_asks_for_the_login_and_is_come_back_to(client):
    person = browser()

    asked = person.get("/account")

    assert asked["Location"] == "/login?next=/account"
    page = person.get(asked["Location"]).content.decode()
    assert '<input type="hidden" name="next" value="/account">' in page


def test_no_page_of_the_account_is_kept(client):
    person = browser()
    log_in(person, client.email)

    assert "no-store" in person.get("/account")["Cache-Control"]


def test_a_form_of_another_site_logs_nobody_in(client):
    person = browser(enforce_csrf_checks=True)

    assert log_in(person, client.email).status_code == 403
    assert person.post("/logout").status_code == 403
    assert person.post("/account/token").status_code == 403
    assert not OpenSession.objects.exists()


def test_a_host_of_no_brand_has_no_login(client):
    assert log_in(browser("shop.other.example.com"), client.email).status_code == 404
    assert log_in(browser("api.example.com"), client.email).status_code == 404
    assert not OpenSession.objects.exists()


def test_tries_are_those_of_the_api(client):
    api = APIClient(HTTP_HOST=SHOP, HTTP_ORIGIN=f"https://{SHOP}", REMOTE_ADDR=HOME)
    body = {"email": client.email, "password": "wrong-password"}
    for _ in range(LIMIT // 2):
        api.post("/api/clients/login", body, format="json")
        log_in(browser(at="198.51.100.1"), client.email, "wrong-password")

    refusal = log_in(browser(at="198.51.100.2"), client.email)

    assert refusal.status_code == 429
    assert refusal["Retry-After"] == "900"
    assert "Wait 15 minutes, then try again." in refusal.content.decode()
    assert not OpenSession.objects.exists()


def test_one_address_has_the_limit_of_the_api(client, time_machine):
    # All within one minute, by which tries are counted.
    time_machine.move_to("2026-03-01T12:00:00Z", tick=False)

    answers = [
        log_in(browser(at=HOME), f"nobody{number}@example.com").status_code
        for number in range(21)
    ]

    assert answers == [400] * 20 + [429]


def test_a_login_forgives_the_clients_tries_and_not_those_of_staff(client):
    StaffFactory(email=client.email)
    for _ in range(3):
        log_in(browser(at=HOME), client.email, "wrong-password")
        admin = {"username": client.email, "password": "wrong-password"}
        Client(REMOTE_ADDR=HOME).post("/admin/login/", admin)

    log_in(browser(at=HOME), client.email)

    left = AccessAttempt.objects.values_list("username", flat=True)
    assert list(left) == [f":{client.email}"] * 3


def change_password(client: User) -> None:
    client.set_password("another-horse-entirely")
    client.save()


def leave_everywhere(client: User) -> None:
    now = datetime.now(tz=UTC)
    log_out_everywhere(users=User.objects.filter(pk=client.pk), now=now)


def switch_off(client: User) -> None:
    User.objects.filter(pk=client.pk).update(is_active=False)


def close_brand(client: User) -> None:
    Brand.objects.filter(pk=client.brand_id).update(is_active=False)


@pytest.mark.parametrize(
    "end", [change_password, leave_everywhere, switch_off, close_brand]
)
def test_every_session_of_the_client_ends(end, client):
    here, there = browser(), browser()
    for person in (here, there):
        log_in(person, client.email)
        assert is_in(person)

    end(client)

    assert not is_in(here)
    assert not is_in(there)


def test_a_session_begun_after_a_log_out_everywhere_lasts(client):
    leave_everywhere(client)
    person = browser()

    log_in(person, client.email)

    assert is_in(person)


def test_logging_out_ends_this_session_alone(client):
    here, there = browser(), browser()
    for person in (here, there):
        log_in(person, client.email)

    answer = here.post("/logout")

    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert not is_in(here)
    assert is_in(there)
    assert here.get("/logout").status_code == 405


def test_the_admin_is_closed_to_a_client(client):
    person = browser()
    log_in(person, client.email)

    for path in ("/admin/", "/admin/portal/user/", "/admin/second-factor/"):
        answer = person.get(path)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/admin/login/?next=")


def test_staff_are_nobody_in_the_shop_and_stay_staff(db):
    person = browser()
    person.force_login(StaffFactory(), "portal.clients.backends.EmailBackend")

    assert person.get("/account")["Location"] == "/login?next=/account"
    assert person.post("/account/token").status_code == 401
    person.post("/logout")
    assert person.get("/admin/portal/user/").status_code == 200


def test_the_shops_script_gets_a_token_for_the_sessions_client(client):
    person = browser()
    log_in(person, client.email)

    answer = person.post("/account/token")

    data = answer.json()["data"]
    assert data == {
        "id": str(client.pk),
        "email": client.email,
        "firstname": client.firstname,
        "lastname": client.lastname,
        "is_guest": False,
        "token": data["token"],
    }
    assert "no-store" in answer["Cache-Control"]
    api = APIClient(HTTP_HOST=SHOP, HTTP_AUTHORIZATION=f"Bearer {data['token']}")
    assert api.get("/api/account_credit").status_code == 200


def test_nobody_gets_a_token_without_a_session(brand):
    assert browser().post("/account/token").status_code == 401
    assert not AuthToken.objects.exists()


def test_expired_sessions_are_deleted_by_the_worker(client):
    person = browser()
    log_in(person, client.email)
    expiry = OpenSession.objects.get().expire_date

    assert delete_expired(now=expiry) == ""
    said = delete_expired(now=expiry + timedelta(seconds=1))

    assert said == "1 expired sessions and 0 expired tokens deleted."
    assert not OpenSession.objects.exists()


def test_expired_tokens_are_deleted_by_the_worker(client, guest, now):
    services._issue_token(guest, now - timedelta(hours=24, microseconds=1))
    services._issue_token(client, now - timedelta(hours=24))

    assert delete_expired(now=now) == "0 expired sessions and 1 expired tokens deleted."

    assert AuthToken.objects.get().user == client
