"""A client's login with a password and a code, by the shop's pages and by the API."""

from __future__ import annotations

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.core import mail
from rest_framework.test import APIClient

from affiliates.brands.models.brand import Brand
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken, OpenSession, digest_of_key
from portal.clients.password_reset import send_links
from portal.clients.second_factor import WRONG, renew_codes
from portal.clients.services import _issue_token, change_password, log_out_everywhere
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.portal import PASSWORD, ClientFactory, StaffFactory
from tests.portal.second_factors import (
    CODE_PAGE,
    NOW,
    SHOP,
    authenticator_of,
    browser,
    code_of,
    give_password,
    is_in,
    log_in,
)

NEW = "another-horse-entirely"
HOME = "203.0.113.7"
API = "/api/clients/login"


@pytest.fixture(autouse=True)
def shop(settings, time_machine):
    settings.ALLOWED_HOSTS = [".example.com", "testserver"]
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def device(client):
    return authenticator_of(client)


def test_the_password_alone_lets_nobody_in(client, device):
    person = browser()

    answer = person.post(
        "/login", {"email": client.email, "password": PASSWORD, "next": "/basket"}
    )

    assert (answer.status_code, answer["Location"]) == (
        302,
        "/login/code?next=%2Fbasket",
    )
    assert "_auth_user_id" not in person.session
    assert not is_in(person)
    assert person.post("/account/token").status_code == 401
    assert list(OpenSession.objects.values_list("user", flat=True)) == [None]


def test_a_right_code_leads_on_under_a_new_key(client, device):
    person = give_password(client)
    half = person.session.session_key
    page = person.get(f"{CODE_PAGE}?next=/basket")
    form = {"code": code_of(device), "next": "/basket"}

    answer = person.post(CODE_PAGE, form)

    assert '<input type="hidden" name="next" value="/basket">' in page.text
    assert "no-store" in page["Cache-Control"]
    assert (answer.status_code, answer["Location"]) == (302, "/basket")
    assert is_in(person)
    assert person.session.session_key != half
    assert "half_login" not in person.session
    assert not OpenSession.objects.filter(pk=digest_of_key(half)).exists()


def test_a_code_leads_to_no_other_site(client, device):
    form = {"code": code_of(device), "next": "https://evil.example/"}

    assert give_password(client).post(CODE_PAGE, form)["Location"] == "/account"


@each("typed", ["000000", "", "no", "x" * 33, "١٢٣٤٥٦"])
def test_a_wrong_code_lets_nobody_in(typed, client, device):
    person = give_password(client)

    answer = person.post(CODE_PAGE, {"code": typed})

    assert answer.status_code == 400
    assert 'class="error" id="code-error"' in answer.text
    assert not is_in(person)


def test_a_wrong_code_says_what_to_do_and_may_be_tried_again(
    client, device, time_machine
):
    person = give_password(client)
    wrong = person.post(CODE_PAGE, {"code": "000000"})
    at_once = person.post(CODE_PAGE, {"code": code_of(device)})
    device.refresh_from_db()
    assert device.throttling_failure_count == 1
    time_machine.move_to(NOW + timedelta(seconds=2), tick=False)

    answer = person.post(CODE_PAGE, {"code": code_of(device)})

    assert [one.status_code for one in (wrong, at_once)] == [400, 400]
    assert [str(WRONG) in one.text for one in (wrong, at_once)] == [True, True]
    assert answer.status_code == 302


def test_a_code_holds_once(client, device):
    first, second = give_password(client), give_password(client)
    form = {"code": code_of(device)}

    assert first.post(CODE_PAGE, form).status_code == 302
    assert second.post(CODE_PAGE, form).status_code == 400
    assert (is_in(first), is_in(second)) == (True, False)


def test_a_recovery_code_holds_once(client, device):
    [code, *_] = renew_codes(client)
    first, second = give_password(client), give_password(client)

    typed = f" {code.upper().replace('-', ' ')} "
    assert first.post(CODE_PAGE, {"code": typed}).status_code == 302
    assert second.post(CODE_PAGE, {"code": code}).status_code == 400


def test_a_code_of_another_account_lets_nobody_in(client, other_client, device):
    theirs = authenticator_of(other_client)
    person = give_password(client)

    assert person.post(CODE_PAGE, {"code": code_of(theirs)}).status_code == 400
    assert not is_in(person)


def test_a_half_login_lasts_five_minutes(client, device, time_machine):
    person = give_password(client)
    time_machine.move_to(NOW + timedelta(minutes=5, seconds=-1), tick=False)
    assert person.get(CODE_PAGE).status_code == 200
    time_machine.move_to(NOW + timedelta(minutes=5), tick=False)

    answer = person.post(CODE_PAGE, {"code": code_of(device), "next": "/basket"})

    assert answer.status_code == 302
    assert answer["Location"] == "/login?next=%2Fbasket&ended=1"
    assert "The time to enter the code has passed." in person.get(answer.url).text
    assert not is_in(person)
    device.refresh_from_db()
    assert device.last_t == -1


def end_by_password(client: User) -> None:
    change_password(client, NEW)


def end_by_log_out(client: User) -> None:
    log_out_everywhere(users=User.objects.filter(pk=client.pk), now=NOW)


def end_by_staff(client: User) -> None:
    User.objects.filter(pk=client.pk).update(is_active=False)


def end_by_brand(client: User) -> None:
    Brand.objects.filter(pk=client.brand_id).update(is_active=False)


@pytest.mark.parametrize(
    "end", [end_by_password, end_by_log_out, end_by_staff, end_by_brand]
)
def test_a_half_login_ends_with_what_it_was_begun_by(end, client, device):
    person = give_password(client)
    end(client)

    answer = person.post(CODE_PAGE, {"code": code_of(device)})

    assert answer.status_code in (302, 404)
    assert "_auth_user_id" not in person.session
    device.refresh_from_db()
    assert device.last_t == -1


def test_a_half_login_is_of_one_brand(client, device):
    BrandFactory(client_area="shop.other.example.com")
    key = give_password(client).session.session_key
    elsewhere = browser("shop.other.example.com")
    elsewhere.cookies["sessionid"] = key

    answer = elsewhere.post(CODE_PAGE, {"code": code_of(device)})

    assert answer["Location"].startswith("/login?")
    assert "_auth_user_id" not in elsewhere.session


def test_the_page_for_the_code_needs_the_password_first(brand):
    answer = browser().post(CODE_PAGE, {"code": "123456"})

    assert answer["Location"] == "/login?next=%2Faccount&ended=1"


def test_the_page_for_the_code_leads_on_who_is_in(client, device):
    answer = log_in(client, device).get(f"{CODE_PAGE}?next=/basket")

    assert answer["Location"] == "/basket"


def test_the_half_login_of_another_leaves_a_session_alone(client, other_client, device):
    person = give_password(other_client)
    form = {"email": client.email, "password": PASSWORD}
    person.post("/login", form)

    assert other_client.email in person.get("/account").text
    person.post(CODE_PAGE, {"code": code_of(device)})
    page = person.get("/account").text
    assert (client.email in page, other_client.email in page) == (True, False)


def test_a_wrong_password_is_answered_as_without_a_factor(client, other_client, device):
    def answer_of(user: User) -> tuple[int, str]:
        form = {"email": user.email, "password": "wrong-password"}
        person = browser()
        answer = person.post("/login", form)
        assert dict(person.session) == {}
        shown = answer.text.partition("<form")[2].partition("login-password")[0]
        token = answer.context["csrf_token"]
        return answer.status_code, shown.replace(user.email, "").replace(str(token), "")

    assert answer_of(client) == answer_of(other_client)


def test_staff_are_nobody_at_the_shops_login(brand, settings):
    settings.STAFF_SECOND_FACTOR = True
    staff = StaffFactory(email="root@example.com")
    authenticator_of(staff)
    person = browser()

    answer = person.post("/login", {"email": staff.email, "password": PASSWORD})

    assert answer.status_code == 400
    assert "Wrong e-mail or password." in answer.text
    assert dict(person.session) == {}


def test_tries_are_forgiven_by_the_code_and_not_by_the_password(client, device):
    def tries() -> int:
        return AccessAttempt.objects.count()

    give_password(client, "wrong-password", at=HOME)
    person = give_password(client, at=HOME)
    before = tries()
    person.post(CODE_PAGE, {"code": code_of(device)})

    assert (before, tries()) == (2, 0)


def test_codes_have_the_limit_of_an_address(client, device):
    person = give_password(client, at=HOME)

    statuses = [
        person.post(CODE_PAGE, {"code": "000000"}).status_code for _ in range(20)
    ]

    assert statuses == [400] * 19 + [429]


def test_a_new_password_by_the_link_needs_the_code_too(client, device):
    browser().post("/password-reset", {"email": client.email})
    send_links(now=NOW)
    path = mail.outbox[0].body.partition(f"https://{SHOP}")[2].split()[0]
    browser().post(path, {"password": NEW})

    person = give_password(client, NEW)

    assert not is_in(person)
    assert person.post(CODE_PAGE, {"code": code_of(device)}).status_code == 302
    assert is_in(person)


def api() -> APIClient:
    return APIClient(HTTP_ORIGIN=f"https://{SHOP}", REMOTE_ADDR=HOME)


def ask_api(client: User, **given: str):
    body = {"email": client.email, "password": PASSWORD, **given}
    return api().post(API, body, format="json")


def fault_of(answer) -> tuple[int, str, str | None]:
    [fault] = answer.json()["errors"]
    return answer.status_code, fault["code"], fault["attr"]


@each("given", [{}, {"code": ""}, {"code": " "}])
def test_the_api_asks_for_the_code(given, client, device):
    ask_api(client, **given)
    AccessAttempt.objects.all().delete()
    with nothing_written():
        answer = ask_api(client, **given)
        # The try at the password, which no code has forgiven.
        assert AccessAttempt.objects.all().delete()[0] == 1

    assert fault_of(answer) == (400, "code_required", "code")
    assert not AuthToken.objects.exists()


def test_the_api_refuses_a_wrong_code_and_counts_it(client, device):
    answer = ask_api(client, code="000000")
    at_once = ask_api(client, code=code_of(device))

    assert fault_of(answer) == fault_of(at_once) == (400, "invalid_code", "code")
    assert not AuthToken.objects.exists()
    device.refresh_from_db()
    assert device.throttling_failure_count == 1
    assert AccessAttempt.objects.count() == 2


def test_the_api_takes_a_code_once(client, device):
    code = code_of(device)
    spaced = f"{code[:3]} {code[3:]}"

    answer = ask_api(client, code=spaced)
    again = ask_api(client, code=code)

    assert answer.status_code == 200
    token = answer.json()["data"]["token"]
    signed_in = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")
    assert signed_in.get("/api/account_credit").status_code == 200
    assert fault_of(again) == (400, "invalid_code", "code")
    assert AuthToken.objects.count() == 1


def test_the_api_takes_a_recovery_code(client, device):
    [code, *_] = renew_codes(client)

    assert ask_api(client, code=code.upper()).status_code == 200
    assert ask_api(client, code=code).status_code == 400


def test_the_api_says_nothing_of_a_factor_before_the_password(client, device):
    for code in ("", "000000", code_of(device)):
        answer = ask_api(client, password="wrong-password", code=code)
        assert fault_of(answer) == (400, "invalid_credentials", None)

    device.refresh_from_db()
    assert (device.throttling_failure_count, device.last_t) == (0, -1)


def test_the_api_takes_any_code_of_who_has_none(client):
    assert ask_api(client, code="000000").status_code == 200


def stale_call(user: User, body: dict[str, object]):
    token = _issue_token(user, NOW)
    AuthToken.objects.update(created=NOW - timedelta(minutes=16))
    caller = APIClient(
        HTTP_HOST=SHOP,
        HTTP_ORIGIN=f"https://{SHOP}",
        HTTP_AUTHORIZATION=f"Bearer {token}",
    )
    key = {"name": "Mine", "scopes": ["statistics"]}
    return caller.post("/api/affiliate/keys", {**key, **body}, format="json")


def test_a_token_that_is_not_fresh_needs_password_and_code(client, affiliate):
    affiliate.user_id = client.pk
    affiliate.save()
    device = authenticator_of(client)
    password = {"current_password": PASSWORD}
    keys = affiliate.keys

    missing = stale_call(client, password)
    wrong = stale_call(client, {**password, "current_code": "abcdef"})
    at_first = stale_call(client, {"current_code": code_of(device)})

    assert fault_of(missing) == (400, "code_required", "current_code")
    assert fault_of(wrong) == (400, "invalid_code", "current_code")
    assert fault_of(at_first) == (400, "required", "current_password")
    assert not keys.exists()


def test_password_and_code_confirm_a_token(client, affiliate):
    affiliate.user_id = client.pk
    affiliate.save()
    device = authenticator_of(client)
    given = {"current_password": PASSWORD, "current_code": code_of(device)}

    assert stale_call(client, given).status_code == 201
    assert fault_of(stale_call(client, given)) == (400, "invalid_code", "current_code")
    assert affiliate.keys.count() == 1


def test_the_page_that_confirms_asks_for_the_code_too(client, device, time_machine):
    person = log_in(client, device)
    time_machine.move_to(NOW + timedelta(minutes=16), tick=False)
    code = code_of(device)

    def confirm(**given: str) -> int:
        return person.post("/account/confirm", given).status_code

    shown = person.get("/account/confirm").text
    assert '<input id="code" name="code"' in shown
    assert confirm(password=PASSWORD) == 400
    assert confirm(password="wrong-password", code=code) == 400
    assert confirm(password=PASSWORD, code=code) == 302
    assert confirm(password=PASSWORD, code=code) == 400


def test_the_page_that_confirms_asks_others_for_the_password_alone(client):
    shown = give_password(client).get("/account/confirm").text

    assert '<input id="code"' not in shown


def test_the_page_for_the_code_is_in_german(client, device):
    person = give_password(client)

    page = person.get(CODE_PAGE, headers={"accept-language": "de"}).text

    assert "<h1>Code eingeben</h1>" in page
    assert "Nach dem Passwort fragt Ihr Konto nach einem Code." in page


def test_a_client_of_the_same_address_elsewhere_is_not_asked(client, device):
    elsewhere = BrandFactory(client_area="shop.other.example.com")
    twin = ClientFactory(brand=elsewhere, email=client.email)

    person = give_password(twin, host="shop.other.example.com")

    assert is_in(person)
