"""A forgotten password: the link by e-mail, what it opens, and what it says to nobody."""

from __future__ import annotations

import re
from datetime import timedelta
from threading import Thread

import pytest
from django.core import mail
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from affiliates.brands.models.brand import Brand
from affiliates.emails.models import Email
from affiliates.errors import InvalidInput
from affiliates.worker.running import run_job
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken
from portal.clients.password_reset import reset_password, send_links
from portal.clients.reset_requests import PasswordReset
from portal.clients.services import _issue_token
from tests.cases import each
from tests.factories.affiliates import AffiliateFactory, BrandDomainFactory
from tests.factories.portal import PASSWORD, ClientFactory, GuestFactory, StaffFactory
from tests.races import needs_postgresql

SHOP = "shop.example.com"
HOME = "203.0.113.7"
NEW = "another-horse-entirely"
ASK, SET = "/api/clients/password_reset", "/api/clients/password_reset/confirm"


@pytest.fixture(autouse=True)
def shop(settings):
    settings.ALLOWED_HOSTS = [".example.com", "testserver"]


def browser(*, at: str = "127.0.0.1", language: str = "en") -> Client:
    return Client(
        headers={"host": SHOP, "accept-language": language},
        REMOTE_ADDR=at,
    )


def ask(email: str, **who: str):
    return browser(**who).post("/password-reset", {"email": email})


def path_in(message: mail.EmailMessage) -> str:
    [link] = re.findall(
        r"https?://shop\.example\.com(/password-reset/\S+)", message.body
    )
    return link


def path_for(client: User) -> str:
    ask(client.email)
    send_links(now=timezone.now())
    return path_in(mail.outbox.pop())


def log_in(email: str, password: str) -> int:
    answer = browser().post("/login", {"email": email, "password": password})
    return answer.status_code


def test_a_client_sets_a_new_password_by_the_link(client):
    asked = ask(client.email.upper())
    assert (asked.status_code, asked["Location"]) == (302, "/password-reset/sent")
    assert mail.outbox == []

    run_job("password_resets")

    [message] = mail.outbox
    assert message.to == [client.email]
    assert message.subject == f"Set a new password at {client.brand.name}"
    person, path = browser(), path_in(message)
    # Programs that look at links use nothing up.
    assert [person.get(path).status_code, person.head(path).status_code] == [200, 200]
    answer = person.post(path, {"password": NEW})
    assert (answer.status_code, answer["Location"]) == (302, "/login?new-password")
    page = person.get(answer["Location"]).text
    assert "Your new password is set. Sign in with it." in page
    assert (log_in(client.email, PASSWORD), log_in(client.email, NEW)) == (400, 302)


def test_the_link_is_good_once(client):
    path = path_for(client)
    browser().post(path, {"password": NEW})

    again = browser().post(path, {"password": "a-third-horse-entirely"})

    assert again.status_code == 404
    assert "This link no longer works" in again.text
    client.refresh_from_db()
    assert client.check_password(NEW)


def test_the_link_is_good_for_an_hour(client, time_machine):
    time_machine.move_to("2026-03-01T12:00:00Z", tick=False)
    path = path_for(client)

    time_machine.move_to("2026-03-01T13:00:00Z", tick=False)
    assert browser().get(path).status_code == 200
    time_machine.move_to("2026-03-01T13:00:01Z", tick=False)

    assert browser().post(path, {"password": NEW}).status_code == 404
    client.refresh_from_db()
    assert client.check_password(PASSWORD)


def change_email(client: User) -> None:
    client.email = "moved@example.com"
    client.save()


def change_password(client: User) -> None:
    client.set_password("a-third-horse-entirely")
    client.save()


def switch_off(client: User) -> None:
    User.objects.filter(pk=client.pk).update(is_active=False)


def close_brand(client: User) -> None:
    Brand.objects.filter(pk=client.brand_id).update(is_active=False)


@pytest.mark.parametrize("end", [change_email, change_password, switch_off])
def test_the_link_ends_with_the_account_it_was_made_for(end, client):
    path = path_for(client)
    end(client)
    held = User.objects.get(pk=client.pk).password

    assert browser().post(path, {"password": NEW}).status_code == 404
    assert User.objects.get(pk=client.pk).password == held


@each(
    "token",
    [
        "x",
        "-",
        "0" * 32,
        "{pk}",
        "{pk}-",
        "{pk}-x-y",
        "{other}-{made}",
        "\u0661-{made}",
    ],
)
def test_any_other_link_opens_nothing(token, client, other_client):
    pk, _, made = path_for(client).rpartition("/")[2].partition("-")
    PasswordReset.objects.all().delete()
    path = token.format(pk=pk, made=made, other=other_client.pk.hex)

    assert browser().get(f"/password-reset/{path}").status_code == 404
    with pytest.raises(InvalidInput) as refusal:
        reset_password(token=path, brand_id=client.brand_id, password=NEW)
    assert (refusal.value.code, refusal.value.field) == ("link_ended", "token")


def test_another_brands_link_opens_nothing_here(client, other_brand):
    token = path_for(client).rpartition("/")[2]

    with pytest.raises(InvalidInput):
        reset_password(token=token, brand_id=other_brand.pk, password=NEW)


def guest_of(brand: Brand) -> str:
    return GuestFactory(brand=brand, email="guest@example.com").email


def inactive_of(brand: Brand) -> str:
    return ClientFactory(brand=brand, email="off@example.com", is_active=False).email


def staff_of(brand: Brand) -> str:
    """Whom the second factor would ask for a code: there is no way around it here."""
    return StaffFactory(email="root@example.com").email


def nobody_of(brand: Brand) -> str:
    return "nobody@example.com"


@each("who", [guest_of, inactive_of, staff_of, nobody_of])
def test_who_is_no_client_is_answered_alike_and_gets_nothing(who, client):
    email = who(client.brand)
    api = APIClient(HTTP_ORIGIN=f"https://{SHOP}")
    answers, statements = [], []
    # From then on this process knows the brands.
    ask("first@example.com")

    for one in (client.email, email):
        with CaptureQueriesContext(connection) as asked:
            answers.append(ask(one))
        statements.append([re.sub(r"'[^']*'", "", q["sql"]) for q in asked])
        PasswordReset.objects.all().delete()
        answers.append(api.post(ASK, {"email": one}, format="json"))

    assert {(one.status_code, one.content) for one in answers[::2]} == {(302, b"")}
    assert {one["Location"] for one in answers[::2]} == {"/password-reset/sent"}
    assert {one.content for one in answers[1::2]} == {
        b'{"data":{"valid_seconds":3600}}'
    }
    # No look at an account, which would take its time.
    assert statements[0] == statements[1]
    assert not any("portal_user" in one for one in statements[0])
    PasswordReset.objects.exclude(email=email).delete()
    assert send_links(now=timezone.now()) == (0, 0)
    assert mail.outbox == []


def test_a_closed_brands_clients_get_nothing(client):
    ask(client.email)
    close_brand(client)

    assert send_links(now=timezone.now()) == (0, 0)


def test_every_session_and_token_ends(client, other_client, now):
    here = browser()
    here.post("/login", {"email": client.email, "password": PASSWORD})
    assert here.get("/account").status_code == 200
    for user in (client, other_client):
        _issue_token(user, timezone.now())

    browser().post(path_for(client), {"password": NEW})

    assert here.get("/account").status_code == 302
    assert [token.user for token in AuthToken.objects.all()] == [other_client]


def test_an_affiliate_is_notified(client):
    AffiliateFactory(brand=client.brand, user=client)

    browser().post(path_for(client), {"password": NEW})

    [email] = Email.objects.all()
    assert (email.kind, email.recipient) == ("credentials_changed", client.email)
    assert (email.values["change"], email.values["is_by_staff"]) == ("password", False)


def test_who_is_blocked_by_tries_signs_in_with_the_new_password(client):
    for _ in range(11):
        browser(at=HOME).post("/login", {"email": client.email, "password": "wrong"})
    tried = {"email": client.email, "password": PASSWORD}
    assert browser(at=HOME).post("/login", tried).status_code == 429

    path = path_for(client)
    browser(at=HOME).post(path, {"password": NEW})

    signed_in = browser(at=HOME).post("/login", tried | {"password": NEW})
    assert signed_in.status_code == 302


@each(
    ("password", "message"),
    [
        ("short", "This password is too short."),
        ("password1", "This password is too common."),
        ("x" * 129, "at most 128 characters"),
        ("", "This field is required."),
    ],
)
def test_a_new_password_follows_the_rules_of_registration(password, message, client):
    PasswordReset.objects.all().delete()
    answer = browser().post(path_for(client), {"password": password})

    assert answer.status_code == 400
    assert message in answer.text
    client.refresh_from_db()
    assert client.check_password(PASSWORD)


def test_one_address_is_limited_like_the_login(client, time_machine):
    time_machine.move_to("2026-03-01T12:00:00Z", tick=False)
    for number in range(19):
        ask(f"nobody{number}@example.com", at=HOME)
    login = {"email": "nobody@example.com", "password": "x"}
    assert browser(at=HOME).post("/login", login).status_code == 400

    refused = ask(client.email, at=HOME)

    assert (refused.status_code, refused["Retry-After"]) == (429, "60")
    assert "Wait a minute, then try again." in refused.text
    assert not PasswordReset.objects.filter(email=client.email).exists()


def test_a_mailbox_gets_one_link_in_a_quarter_of_an_hour(client, time_machine):
    time_machine.move_to("2026-03-01T12:00:00Z", tick=False)
    for _ in range(3):
        ask(client.email)
        send_links(now=timezone.now())
    assert len(mail.outbox) == 1

    time_machine.shift(timedelta(minutes=15, seconds=1))
    send_links(now=timezone.now())
    assert not PasswordReset.objects.exists()
    ask(client.email)
    send_links(now=timezone.now())

    assert len(mail.outbox) == 2


def test_what_the_mail_server_refuses_is_tried_again(client, other_client, settings):
    ask(client.email)
    ask(other_client.email)
    settings.EMAIL_BACKEND = "tests.portal.clients.test_password_reset.RefusesOne"
    RefusesOne.refused = client.email
    assert send_links(now=timezone.now()) == (1, 1)

    RefusesOne.refused = ""

    assert send_links(now=timezone.now()) == (1, 0)
    assert send_links(now=timezone.now()) == (0, 0)


class RefusesOne:
    refused = ""

    def __init__(self, **options: object) -> None:
        pass

    def send_messages(self, messages):
        if messages[0].to == [self.refused]:
            raise OSError("refused")
        return 1


def test_the_e_mail_is_in_the_language_of_the_page(client):
    ask(client.email, language="de")

    send_links(now=timezone.now())

    [message] = mail.outbox
    assert message.subject == f"Neues Passwort bei {client.brand.name} festlegen"
    assert "Der Link gilt einmal und eine Stunde lang." in message.body
    assert "The link" not in message.body


def test_no_script_sees_the_page_of_the_link(client):
    page = browser().get(path_for(client))

    assert "<script" not in page.text
    assert "no-store" in page["Cache-Control"]


def test_the_api_does_the_same(client):
    api = APIClient(HTTP_ORIGIN=f"https://{SHOP}")
    api.post(ASK, {"email": client.email}, format="json")
    send_links(now=timezone.now())
    token = path_in(mail.outbox.pop()).rpartition("/")[2]

    weak = api.post(SET, {"token": token, "password": "short"}, format="json")
    done = api.post(SET, {"token": token, "password": NEW}, format="json")
    again = api.post(SET, {"token": token, "password": NEW}, format="json")

    assert (weak.status_code, weak.json()["errors"][0]["attr"]) == (400, "password")
    assert (done.status_code, done.json()) == (200, {"data": {"email": client.email}})
    assert again.status_code == 400
    assert again.json()["errors"][0] == {
        "code": "link_ended",
        "detail": "This link was used, or is too old.",
        "attr": "token",
    }
    assert log_in(client.email, NEW) == 302


def test_without_an_origin_the_link_leads_to_the_brands_client_area(client):
    APIClient().post(ASK, {"email": client.email}, format="json")

    send_links(now=timezone.now())

    assert "https://shop.example.com/password-reset/" in mail.outbox[0].body


@pytest.mark.parametrize(
    ("origin", "address"),
    [
        (f"http://{SHOP}", f"https://{SHOP}/password-reset/"),
        ("http://shop.example.org", "https://shop.example.org/password-reset/"),
        ("http://localhost:8000", "http://localhost:8000/password-reset/"),
    ],
)
def test_the_link_has_the_scheme_of_the_brand_and_not_of_the_request(
    origin, address, client
):
    for host in ("shop.example.org", "localhost:8000"):
        BrandDomainFactory(brand=client.brand, host=host)
    api = APIClient(HTTP_ORIGIN=origin)

    asked = api.post(ASK, {"email": client.email}, format="json")
    send_links(now=timezone.now())

    assert asked.status_code == 200
    assert address in mail.outbox[-1].body


@each(
    ("origin", "body", "status", "code"),
    [
        (
            "https://evil.example",
            {"email": "a@b.example"},
            403,
            "origin_not_registered",
        ),
        ("https://shop.example.com", {}, 400, "required"),
        ("https://shop.example.com", {"email": "a" * 255}, 400, "max_length"),
    ],
)
def test_a_bad_request_is_refused(origin, body, status, code, client):
    answer = APIClient(HTTP_ORIGIN=origin).post(ASK, body, format="json")

    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (status, code)
    assert not PasswordReset.objects.exists()


def test_an_address_that_is_too_long_in_small_letters_is_nobodys(client):
    email = "\u0130" * 254
    api = APIClient(HTTP_ORIGIN=f"https://{SHOP}")

    by_api = api.post(ASK, {"email": email}, format="json")
    by_page = ask(email)

    assert (by_api.status_code, by_page.status_code) == (200, 302)
    assert not PasswordReset.objects.exists()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_sets_the_password(client):
    token = path_for(client).rpartition("/")[2]
    done: list[str] = []

    def use(password: str) -> None:
        try:
            reset_password(token=token, brand_id=client.brand_id, password=password)
            done.append(password)
        except InvalidInput:
            pass
        finally:
            connections.close_all()

    threads = [Thread(target=use, args=(f"{NEW}-{n}",)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    [winner] = done
    client.refresh_from_db()
    assert client.check_password(winner)


def test_log_of_a_refused_form_holds_no_token(client, caplog):
    path = path_for(client)
    person = Client(enforce_csrf_checks=True, headers={"host": SHOP})

    answer = person.post(path, {"password": NEW})

    assert answer.status_code == 403
    assert path not in caplog.text
    assert User.objects.get(pk=client.pk).check_password(PASSWORD)
