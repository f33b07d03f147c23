"""Staff's second factor, after the password."""

from __future__ import annotations

import re
from base64 import b32decode
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.apps import apps
from django.contrib import admin
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from portal.clients.authenticators import Authenticator
from portal.clients.second_factor import WRONG, renew_codes
from tests.factories.portal import PASSWORD

pytestmark = pytest.mark.portable

PAGE = "/admin/second-factor/"
NOW = datetime(2026, 3, 1, 12, 0, 15, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _asked(settings, time_machine):
    settings.STAFF_SECOND_FACTOR = True
    # In the middle of a code's 30 seconds, which no slow machine can then end.
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def device(staff) -> Authenticator:
    return Authenticator.objects.create(user=staff, name="Phone", confirmed=True)


def logged_in(user) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def code_of(device: Authenticator) -> str:
    return f"{totp(device.bin_key):06}"


def text_of(answer) -> str:
    return answer.content.decode()


def test_password_alone_leads_to_the_page_for_the_code(browser, device):
    answer = browser.get("/admin/affiliates/brand/?q=a")

    assert answer.status_code == 302
    assert answer["Location"] == f"{PAGE}?next=%2Fadmin%2Faffiliates%2Fbrand%2F%3Fq%3Da"
    assert browser.post("/admin/affiliates/brand/add/").status_code == 302


def test_right_code_leads_on(browser, device):
    answer = browser.post(
        f"{PAGE}?next=/admin/affiliates/brand/", {"code": code_of(device)}
    )

    assert answer["Location"] == "/admin/affiliates/brand/"
    assert browser.get("/admin/").status_code == 200


def test_next_page_is_never_another_site(browser, device):
    answer = browser.post(
        f"{PAGE}?next=https://evil.example/", {"code": code_of(device)}
    )

    assert answer["Location"] == "/admin/"


def test_code_holds_once(staff, device):
    code = code_of(device)
    logged_in(staff).post(PAGE, {"code": code})
    second = logged_in(staff)

    answer = second.post(PAGE, {"code": code})

    assert str(WRONG) in text_of(answer)
    assert second.get("/admin/").status_code == 302


@pytest.mark.parametrize(
    ("seconds", "status"), [(-16, 200), (-15, 302), (14, 302), (15, 200)]
)
def test_code_is_valid_for_its_own_30_seconds(
    seconds, status, browser, device, time_machine
):
    code = code_of(device)
    time_machine.move_to(NOW + timedelta(seconds=seconds), tick=False)

    answer = browser.post(PAGE, {"code": code})

    assert answer.status_code == status
    assert (str(WRONG) in text_of(answer)) == (status == 200)
    assert browser.get("/admin/").status_code == (200 if status == 302 else 302)


def test_wrong_code_makes_the_next_wait(browser, device):
    first = browser.post(PAGE, {"code": "000000"})
    at_once = browser.post(PAGE, {"code": code_of(device)})

    assert str(WRONG) in text_of(first)
    assert str(WRONG) in text_of(at_once)
    device.refresh_from_db()
    assert device.throttling_failure_count == 1
    assert browser.get("/admin/").status_code == 302


def test_first_login_sets_it_up(browser, staff):
    asked = browser.get(PAGE)
    device = Authenticator.objects.get(user=staff)
    wrong = browser.post(PAGE, {"code": "no"})
    TOTPDevice.objects.update(throttling_failure_timestamp=None)

    answer = browser.post(PAGE, {"code": code_of(device)})

    assert "<svg" in text_of(asked)
    assert str(WRONG) in text_of(wrong)
    codes = re.findall(r"<code>((?:[a-z2-7]{4}-?){6})</code>", text_of(answer))
    assert len(set(codes)) == StaticToken.objects.count() == 10
    assert TOTPDevice.objects.get().confirmed
    assert browser.get("/admin/").status_code == 200


def test_recovery_code_lets_in_once(staff, device):
    [code, *others] = renew_codes(staff)

    first, second = logged_in(staff), logged_in(staff)
    typed = f" {code.upper().replace('-', ' ')} "
    assert first.post(PAGE, {"code": typed}).status_code == 302
    assert first.get("/admin/").status_code == 200
    assert str(WRONG) in text_of(second.post(PAGE, {"code": code}))
    assert StaticToken.objects.count() == len(others)


def test_database_holds_no_key_and_no_code(browser, staff):
    shown = text_of(browser.get(PAGE))
    device = Authenticator.objects.get(user=staff)
    answer = text_of(browser.post(PAGE, {"code": code_of(device)}))

    codes = [
        one.replace("-", "") for one in re.findall(r"<code>([^<]+)</code>", answer)
    ]
    [shown_key] = re.findall(r'<code class="affiliates-copy">(.+)</code>', shown)
    stored = " ".join(
        str(value)
        for model in apps.get_models()
        for row in model._base_manager.values_list()
        for value in row
    )

    assert (b32decode(shown_key), len(codes)) == (device.bin_key, 10)
    assert device.key.startswith("1.")
    assert not [
        secret
        for secret in (shown_key, device.bin_key.hex(), *codes)
        if secret.lower() in stored.lower()
    ]


def test_key_that_is_gone_lets_a_recovery_code_in(staff, device, settings):
    [code, *_] = renew_codes(staff)
    right = code_of(device)
    settings.AFFILIATES_SECRET_KEYS = "9:" + "C" * 43 + "="

    assert str(WRONG) in text_of(logged_in(staff).post(PAGE, {"code": right}))
    assert logged_in(staff).post(PAGE, {"code": code}).status_code == 302


def test_authenticator_works_on_after_a_rotation(staff, device, settings):
    old, new = settings.AFFILIATES_COOKIE_KEYS, "9:" + "C" * 42 + "A="
    settings.AFFILIATES_SECRET_KEYS = f"{new},{old}"
    call_command("affiliates_rotate_keys", "--yes", stdout=StringIO())
    settings.AFFILIATES_SECRET_KEYS = new

    device.refresh_from_db()

    assert device.key.startswith("9.")
    assert logged_in(staff).post(PAGE, {"code": code_of(device)}).status_code == 302


def test_new_recovery_codes_replace_the_old(browser, staff, device):
    [old, *_] = renew_codes(staff)
    before = set(StaticToken.objects.values_list("token", flat=True))
    browser.post(PAGE, {"code": old})
    assert "9 recovery codes are left" in text_of(browser.get(PAGE))

    browser.post(PAGE, {"codes": "1"})

    assert StaticToken.objects.count() == 10
    assert not StaticToken.objects.filter(token__in=before).exists()
    assert browser.get("/admin/").status_code == 200


def test_authenticator_is_replaced_by_whoever_has_it(browser, staff, device):
    browser.post(PAGE, {"anew": "1"})
    assert TOTPDevice.objects.filter(pk=device.pk).exists()

    TOTPDevice.objects.update(throttling_failure_timestamp=None)
    browser.post(PAGE, {"code": code_of(device)})
    browser.post(PAGE, {"anew": "1"})

    assert not TOTPDevice.objects.filter(pk=device.pk).exists()
    assert browser.get("/admin/").status_code == 302


def test_page_is_for_staff(client, db):
    answer = Client().get(PAGE)

    assert answer["Location"] == "/admin/login/?next=/admin/second-factor/"


def test_tries_at_the_password_are_counted_as_ever(staff, device):
    browser = Client()
    for _ in range(11):
        answer = browser.post(
            "/admin/login/", {"username": staff.email, "password": "wrong"}
        )
    right = browser.post(
        "/admin/login/", {"username": staff.email, "password": PASSWORD}
    )

    assert (answer.status_code, right.status_code) == (429, 429)
    assert browser.get(PAGE)["Location"].startswith("/admin/login/")


def test_nobody_is_asked_where_it_is_off(settings, browser, device):
    settings.STAFF_SECOND_FACTOR = False

    assert browser.get("/admin/").status_code == 200


def test_visits_and_the_api_are_not_concerned(browser, device, client):
    assert browser.get("/admin/login/").status_code == 302
    assert browser.get("/admin/jsi18n/").status_code == 200
    assert browser.get("/api/docs").status_code == 200


def test_lost_factor_is_reset_by_command(staff, device):
    out = StringIO()

    call_command("reset_second_factor", "root@example.com", stdout=out)

    assert "sets up a second factor at the next login" in out.getvalue()
    assert TOTPDevice.objects.count() == 0


@pytest.mark.django_db
def test_nobody_of_staff_is_named():
    with pytest.raises(CommandError, match="Nobody of staff has the address"):
        call_command("reset_second_factor", "nobody@example.com")


@pytest.mark.parametrize(
    "page", ["otp_totp/totpdevice", "otp_static/staticdevice", "otp_static/statictoken"]
)
def test_keys_and_codes_have_no_page(page, staff, device):
    """Of superusers neither: who read them could log in as whoever they are of."""
    staff.is_superuser = True
    staff.save()
    browser = Client()
    browser.force_login(staff)
    session = browser.session
    session["otp_device_id"] = device.persistent_id
    session.save()

    answers = [
        browser.get(f"/admin/{page}/{rest}")
        for rest in ("", f"{device.pk}/change/", f"{device.pk}/qrcode/", "add/")
    ]

    assert browser.get("/admin/").status_code == 200
    assert [one.status_code for one in answers] == [404, 404, 404, 404]


def test_no_page_of_the_admin_shows_a_key(staff, device):
    shown = [
        name
        for model, page in admin.site._registry.items()
        for inline in (page, *(one(model, admin.site) for one in page.inlines))
        for name in [inline.model._meta.label_lower]
        if name.startswith("otp_")
    ]

    assert shown == []
