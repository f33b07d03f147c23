"""The paths of the area that docs/affiliate-area.md lists, and the guard of docs/area-pages.md."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from affiliates.contrib.area.sections import MORE_PAGES
from affiliates.contrib.area.urls import urlpatterns
from tests.affiliates.contrib.area.test_matrix import path_of
from tests.cases import each
from tests.lengths import in_steps

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).resolve().parents[4] / "docs"
TEXT = (DOCS / "affiliate-area.md").read_text("utf-8")
PAGES = (DOCS / "area-pages.md").read_text("utf-8")
PREFIX = "affiliate/"
ROWS = re.findall(rf"^\| (`{PREFIX}.*) \|.*\|$", TEXT, re.MULTILINE)
# Of apps that a host may leave out.
OF_APPS = (
    *("identity", "identity/change"),
    *("offers", "offers/<offer_id>", "codes/<coupon_id>/end"),
    *("invoices/<payout_id>", "invoices/<payout_id>/<invoice_id>.pdf"),
)
ABSENT = () if MORE_PAGES else OF_APPS
DOCUMENTED = [
    path
    for row in ROWS
    for path in re.findall(rf"`{PREFIX}([^`]*)`", row)
    if path not in ABSENT
]
[GUARD] = re.findall(r"```python\n(# shop/middleware.py.*?)```", PAGES, re.DOTALL)
# Nobody has such a token, an image of that name is not kept, and a choice is sent.
ANSWERED = {
    "sign-out": 405,
    "confirm/<token>": 404,
    "invitation/<token>": 404,
    "images/<stem>.<ending>": 404,
    "language": 405,
}

_names = {}
exec(GUARD, _names)  # noqa: S102 - of our own page


def recent_login(get_response):
    return _names["recent_login"](get_response)


def test_every_path_is_listed_once():
    known = [re.sub(r"<\w+:(\w+)>", r"<\1>", str(one.pattern)) for one in urlpatterns]

    assert sorted(DOCUMENTED) == sorted(known)


@in_steps(example=9, sweep=2)
def test_every_listed_path_is_answered_and_none_with_a_slash_behind(
    step, objects, browser
):
    for route in DOCUMENTED[::step]:
        path = f"/{PREFIX}{path_of(route, objects)}"
        answer = browser.get(path)
        is_page = answer.status_code in (200, 302, 403)
        assert is_page or answer.status_code == ANSWERED[route], route
        assert not route or browser.get(f"{path}/").status_code == 404, route


@each(
    ("path", "minutes", "status"),
    [
        ("destination", 11, 302),
        ("destination/paypal", 11, 302),
        ("destination", 9, 200),
        ("destination/paypal", 9, 200),
        ("payouts", 11, 200),
    ],
)
def test_the_guard_stands_before_the_page_and_its_forms(
    path, minutes, status, affiliate, settings
):
    guard = f"{__name__}.recent_login"
    others = [one for one in settings.MIDDLEWARE if one != guard]
    settings.MIDDLEWARE = [*others, guard]
    browser = Client(headers={"host": "shop.example.com"})
    browser.force_login(affiliate.user)
    entered_at = timezone.now() - timedelta(minutes=minutes)
    users = get_user_model().objects.filter(pk=affiliate.user_id)
    users.update(last_login=entered_at)

    answer = browser.get(f"/{PREFIX}{path}")

    assert answer.status_code == status
    if status == 302:
        assert answer["Location"].endswith(f"?next=/{PREFIX}{path}")
