"""Staff look at the area as the affiliate sees it, and change nothing by it."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from affiliates.contrib.area.looks.models import AreaLook
from affiliates.contrib.area.looks.services import MAX_PAGES, ask_for_look, opened
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.statements import issue_statement
from affiliates.program.models import AffiliateLink
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.books import PayoutFactory
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
AREA = "/affiliate/"
COOKIE = "affiliates_look"
CSRF = "django.middleware.csrf.CsrfViewMiddleware"


@pytest.fixture(autouse=True)
def clock(now):
    with time_machine.travel(now, tick=False) as clock:
        yield clock


@pytest.fixture
def staff(db):
    name = get_user_model().USERNAME_FIELD
    staff = get_user_model().objects.create(
        **{name: "helper@example.com", "is_staff": True}
    )
    staff.user_permissions.add(Permission.objects.get(codename="add_arealook"))
    return staff


@pytest.fixture
def other_brand(db):
    return BrandFactory(client_area="other.example.com")


@pytest.fixture
def address(affiliate, staff, now) -> str:
    return ask_for_look(
        affiliate, reason=marker("staff", "look"), actor_id=staff.pk, now=now
    )


@pytest.fixture
def looker(rival, address) -> Client:
    """Staff's browser, in which another affiliate of the brand is signed in."""
    looker = Client(headers={"host": "shop.example.com"})
    looker.force_login(rival.user)
    looker.get(address)
    return looker


def test_the_address_begins_it_once_on_the_area_s_host(address, affiliate, now):
    browser = Client(headers={"host": "shop.example.com"})

    begun = browser.get(address)
    cookie = begun.cookies[COOKIE]
    with nothing_written():
        again = Client(headers={"host": "shop.example.com"}).get(address)

    assert re.match(r"https?://shop\.example\.com/affiliate/look/", address)
    assert (begun.status_code, begun["Location"]) == (302, AREA)
    assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == (
        *("/", "Lax"),
        True,
    )
    assert (again.status_code, again.cookies.get(COOKIE)) == (403, None)
    assert "This address was used, or is too old" in again.text
    look = AreaLook.objects.get()
    assert (look.started_at, look.ends_at) == (now, now + timedelta(minutes=15))


def test_with_https_no_other_host_can_set_its_cookie(address):
    browser = Client(headers={"host": "shop.example.com"})

    [(name, cookie)] = browser.get(address, secure=True).cookies.items()

    assert name == "__Host-affiliates_look"
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")
    assert "You see what" in browser.get(AREA, secure=True).text
    browser.cookies[COOKIE] = browser.cookies.pop(name).value
    assert "You see what" not in browser.get(AREA, secure=True).text


@each(
    ("_case", "seconds", "host", "status"),
    [
        ("too late", 60, "shop.example.com", 403),
        ("on another brand's host", 0, "other.example.com", 403),
        ("on a host of no brand", 0, "third.example.com", 404),
    ],
)
def test_it_begins_at_once_and_there_alone(
    address, other_brand, clock, now, seconds, host, status
):
    clock.move_to(now + timedelta(seconds=seconds))

    with nothing_written():
        answer = Client(headers={"host": host}).get(address)

    assert (answer.status_code, answer.cookies.get(COOKIE)) == (status, None)


def test_it_shows_the_affiliate_s_pages_and_says_so(looker, affiliate, rival):
    page = looker.get(f"{AREA}links/new").text

    assert (
        f"You see what {affiliate.code} sees. Nothing can be changed. Ends at 12:15."
        in page
    )
    # That of End: what is left open is not sent afterwards by the client signed in.
    tokens = re.findall(r'csrfmiddlewaretoken" value="(\w+)"', page)
    assert [len(one) for one in tokens] == [64, len("none")]
    # Nor does it send what is typed.
    assert "hx-post" not in page
    looker.get(f"{AREA}links?page=1")
    looker.get(f"{AREA}links")
    assert AreaLook.objects.get().pages == [f"{AREA}links/new", f"{AREA}links"]


def test_whoever_looks_reads_in_a_language_of_choice(looker):
    answer = looker.post(f"{AREA}language", {"language": "de", "next": f"{AREA}links"})

    assert (answer.status_code, answer["Location"]) == (302, f"{AREA}links")
    assert '<html lang="de"' in looker.get(f"{AREA}links").text
    assert AreaLook.objects.get().pages == [f"{AREA}links"]


def test_only_so_many_pages_are_kept():
    full = [str(one) for one in range(MAX_PAGES)]

    assert opened(["/a"], "/b") == ["/a", "/b"]
    assert opened(full, "/b") == full


def test_where_money_goes_is_masked(looker, affiliate, now):
    PayoutTermsFactory(brand=affiliate.brand, issuer="Demo GmbH")
    destination = DestinationFactory(affiliate=affiliate)
    paid = PayoutFactory(
        affiliate=affiliate, destination=destination, status=PayoutStatus.PAID
    )
    issue_statement(paid, now=now)
    own = Client(headers={"host": "shop.example.com"})
    own.force_login(affiliate.user)

    paths = ["payouts", f"payouts/{paid.pk}", f"payouts/{paid.pk}/paid"]
    paths += [f"payouts/{paid.pk}/paid.csv", "payouts/ask/EUR"]
    for path in paths:
        assert destination.hint in own.get(f"{AREA}{path}").text, path
        seen = looker.get(f"{AREA}{path}")
        assert (seen.status_code, destination.hint in seen.text) == (200, False), path
        assert "•••" in seen.text
    hidden = looker.get(f"{AREA}destination")
    assert "This page is hidden while you look." in hidden.text
    assert destination.hint not in hidden.text


def _has_passed(clock, now, staff, looker):
    clock.move_to(now + timedelta(minutes=15))


def _is_ended(clock, now, staff, looker):
    clock.move_to(now + timedelta(minutes=1))
    ended = Client(headers={"host": "shop.example.com"})
    ended.cookies[COOKIE] = looker.cookies[COOKIE].value
    assert "The look has ended" in ended.post(f"{AREA}look/end", follow=True).text


def _logs_out(clock, now, staff, looker):
    clock.move_to(now + timedelta(minutes=1))
    admin = Client()
    admin.force_login(staff)
    admin.post(reverse("admin:logout"))


def _is_suspended(clock, now, staff, looker):
    clock.move_to(now + timedelta(minutes=1))
    staff.is_active = False
    staff.save()


def _is_staff_no_more(clock, now, staff, looker):
    clock.move_to(now + timedelta(minutes=1))
    staff.is_staff = False
    staff.save()


def _may_no_more(clock, now, staff, looker):
    clock.move_to(now + timedelta(minutes=1))
    staff.user_permissions.clear()


@pytest.mark.parametrize(
    ("end", "minutes"),
    [
        (_has_passed, 15),
        (_is_ended, 1),
        (_logs_out, 1),
        (_is_suspended, 1),
        (_is_staff_no_more, 1),
        (_may_no_more, 1),
    ],
)
def test_it_ends(looker, staff, rival, clock, now, end, minutes):
    end(clock, now, staff, looker)

    sent = looker.post(f"{AREA}links/new", {"name": "Blog"})

    assert (sent.status_code, "The look has ended" in sent.text) == (403, True)
    assert sent.cookies[COOKIE]["max-age"] == 0
    assert not AffiliateLink.objects.filter(name="Blog").exists()
    assert AreaLook.objects.get().ends_at == now + timedelta(minutes=minutes)
    # And is nobody but the client who was signed in all along.
    own = looker.get(AREA)
    assert (own.status_code, "You see what" in own.text) == (200, False)


def test_logging_out_ends_the_looks_of_nobody_else(looker, affiliate, now):
    colleague = get_user_model().objects.create(
        **{get_user_model().USERNAME_FIELD: "colleague@example.com", "is_staff": True}
    )
    ask_for_look(affiliate, reason="Mine", actor_id=colleague.pk, now=now)
    admin = Client()
    admin.force_login(colleague)

    admin.post(reverse("admin:logout"))

    mine, theirs = AreaLook.objects.order_by("pk")
    assert mine.ends_at == now + timedelta(minutes=15)
    # It was asked for and can no more begin.
    assert (theirs.started_at, theirs.ends_at) == (None, now)
    assert looker.get(AREA).status_code == 200


def test_an_address_asked_for_before_logging_out_begins_nothing(address, staff):
    admin = Client()
    admin.force_login(staff)
    admin.post(reverse("admin:logout"))

    with nothing_written():
        answer = Client(headers={"host": "shop.example.com"}).get(address)

    assert (answer.status_code, answer.cookies.get(COOKIE)) == (403, None)


def test_staff_read_who_looked_why_and_at_what(admin_client, looker, affiliate, staff):
    looker.get(f"{AREA}links")
    look = AreaLook.objects.get()

    listed = admin_client.get(reverse("admin:affiliates_area_arealook_changelist"))
    shown = admin_client.get(
        reverse("admin:affiliates_area_arealook_change", args=[look.pk])
    )
    others = admin_client.get(
        reverse("admin:affiliates_area_arealook_changelist"), {"q": "unknown"}
    )

    for text in (str(staff), affiliate.code, "Asked"):
        assert text in listed.text
        assert text in shown.text
    assert f"<div>{AREA}links</div>" in shown.text
    assert list(others.context["cl"].result_list) == []
    path = reverse("admin:affiliates_area_arealook_delete", args=[look.pk])
    with nothing_written():
        assert admin_client.post(path, {"post": "yes"}).status_code == 403


def test_what_is_said_to_the_client_signed_in_waits(looker, rival):
    cookie = looker.cookies.pop(COOKIE)
    looker.post(f"{AREA}links/new", {"name": "Blog"})
    looker.cookies[COOKIE] = cookie.value

    looked = looker.get(AREA).text

    assert "share its address" not in looked
    looker.post(f"{AREA}look/end")
    assert "share its address" in looker.get(AREA).text


def test_it_is_ended_by_its_own_button_alone(address, settings):
    if not any("Csrf" in one for one in settings.MIDDLEWARE):
        settings.MIDDLEWARE = [*settings.MIDDLEWARE, CSRF]
    browser = Client(enforce_csrf_checks=True, headers={"host": "shop.example.com"})
    browser.get(address)
    token = re.search(
        r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(AREA).text
    )

    assert browser.post(f"{AREA}look/end").status_code == 403
    ended = browser.post(f"{AREA}look/end", {"csrfmiddlewaretoken": token[1]})
    assert (ended.status_code, ended.cookies[COOKIE]["max-age"]) == (302, 0)


def test_a_made_up_cookie_opens_nothing(looker, affiliate, now):
    look = AreaLook.objects.get()
    stranger = Client(headers={"host": "shop.example.com"})
    for made_up in (str(look.pk), "x"):
        stranger.cookies[COOKIE] = made_up

        assert stranger.get(AREA).status_code == 403
    # Nor what begins a look, as the cookie of one.
    other = ask_for_look(affiliate, reason="?", actor_id=look.actor_id, now=now)
    stranger.cookies[COOKIE] = other.rpartition("/")[2]
    assert stranger.get(AREA).status_code == 403


def test_the_api_is_not_opened(address):
    browser = Client(headers={"host": "shop.example.com"})
    browser.get(address)

    assert browser.get("/api/affiliate/profile").status_code == 401


def test_a_changed_password_of_staff_s_ends_it(looker, staff):
    staff.set_password("another-horse-entirely")
    staff.save()

    ended = looker.get(f"{AREA}links")

    assert (ended.status_code, "The look has ended" in ended.text) == (403, True)
    look = AreaLook.objects.get()
    assert (look.ends_at, look.pages) == (look.started_at, [])


def test_a_changed_password_of_staff_s_lets_none_begin(address, staff):
    staff.set_password("another-horse-entirely")
    staff.save()

    with nothing_written():
        answer = Client(headers={"host": "shop.example.com"}).get(address)

    assert (answer.status_code, answer.cookies.get(COOKIE)) == (403, None)
