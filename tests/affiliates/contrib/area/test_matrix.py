"""Who sees and does what in the area: every URL and every object in it, every caller.

The URLs are those of ``affiliates.contrib.area.urls``: one that has no row here fails. A row is
``(method, route)``, the route as the URLconf has it with ``<payout_id>`` for
``<int:payout_id>``; what stands for such a name is in the fixture ``objects``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.area.api.urls import urlpatterns as api_patterns
from affiliates.contrib.area.looks.models import AreaLook
from affiliates.contrib.area.looks.services import MAX_PAGES, ask_for_look
from affiliates.contrib.area.sections import MORE_PAGES
from affiliates.contrib.area.urls import urlpatterns
from affiliates.payouts.papers.pdf import writes_pdf
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.statements import issue_statement
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.till import order_of
from tests.database import nothing_written, queries_of
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
    ClickFactory,
    CreativeFactory,
)
from tests.factories.area import AffiliateKeyFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.ledger import ClientReferralFactory
from tests.factories.plans import CouponCodeFactory
from tests.factories.program import make_commission, make_payout
from tests.guard.markers import marker
from tests.lengths import in_steps

pytestmark = pytest.mark.django_db
PREFIX = "/affiliate/"
MAX_QUERIES = 25
MORE = 4
LOOKING = "looking"
NOT_ENROLLED = ("client", "guest", "staff", "other_brand")
# Where a page of the area leads whom it is not for.
LED = {
    "anonymous": f"?next={PREFIX}",
    **dict.fromkeys(NOT_ENROLLED, f"{PREFIX}welcome"),
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """What each caller is answered.

    A page of the area leads whoever is not signed in to the login, and whoever is no
    affiliate of the host's brand to the welcome page. ``public``: everybody sees it.
    ``of_object``: a rival finds none. ``writes``: done and undone again. ``hidden``: not
    shown to staff who look at the area as the affiliate sees it.
    """

    own: int = 200
    suspended: int | None = None
    rival: int | None = None
    public: bool = False
    of_object: bool = False
    body: dict[str, Any] | None = None
    writes: bool = False
    hidden: bool = False
    exceptions: tuple[tuple[str, int], ...] = ()

    def expected(self, caller: str) -> int:
        if caller in dict(self.exceptions):
            return dict(self.exceptions)[caller]
        if caller == LOOKING:
            return 403 if self.hidden else self.own
        if self.public:
            return self.own
        if caller in LED:
            return 302
        if caller == "rival":
            return self.rival or (404 if self.of_object else self.own)
        if caller == "suspended":
            return self.suspended or self.own
        return self.own

    def is_done_by(self, caller: str) -> bool:
        is_theirs = caller not in LED or caller in dict(self.exceptions)
        return self.writes and is_theirs and self.expected(caller) < 400

    def leads(self, caller: str) -> str:
        """What of the address that it is led to is the same for each page."""
        is_led = not self.public and caller not in dict(self.exceptions)
        return LED.get(caller, "") if is_led else ""


# For those who are no affiliates: others have one already, or are of another brand.
WELCOME = (("client", 200), ("guest", 200), ("staff", 404), ("other_brand", 404))
APPLICATION = (("client", 302), ("guest", 400), ("staff", 404), ("other_brand", 404))
LINK = {"name": "Blog"}
KEY = {"name": "Sheet", "scopes": ["money"], "days": "30"}
WEBHOOK = {
    "address": f"https://hooks.example.com/{marker('affiliate', 'hook')}",
    "is_active": "on",
}
IDENTITY = {
    "name": f"Ada {marker('affiliate', 'identity')}",
    "address": "Hauptstr. 1",
    "country": "DE",
    "kind": "person",
    "valid_from": "2026-03-01",
}
# Of apps that a host may leave out.
ROWS_OF_APPS = {
    ("GET", "invoices/<payout_id>"): Row(of_object=True, hidden=True),
    ("POST", "invoices/<payout_id>"): Row(own=400, of_object=True, body={}),
    ("GET", "invoices/<payout_id>/<invoice_id>.pdf"): Row(of_object=True, hidden=True),
    ("GET", "offers"): Row(),
    ("GET", "offers/<offer_id>"): Row(),
    ("POST", "offers/<offer_id>"): Row(own=302, suspended=400, body={}, writes=True),
    ("GET", "codes/<coupon_id>/end"): Row(of_object=True),
    ("POST", "codes/<coupon_id>/end"): Row(own=302, of_object=True, writes=True),
    ("GET", "identity"): Row(hidden=True),
    ("GET", "identity/change"): Row(hidden=True),
    ("POST", "identity/change"): Row(
        own=302, suspended=400, body=IDENTITY, writes=True
    ),
}
ROWS = {
    **(ROWS_OF_APPS if MORE_PAGES else {}),
    ("GET", ""): Row(),
    ("GET", "brand.css"): Row(public=True),
    ("POST", "language"): Row(own=302, public=True, body={"language": "de"}),
    ("GET", "welcome"): Row(own=302, hidden=True, exceptions=WELCOME),
    ("POST", "welcome"): Row(own=302, body={}, writes=True, exceptions=APPLICATION),
    ("GET", "links"): Row(),
    ("GET", "links/new"): Row(),
    ("POST", "links/new"): Row(own=302, suspended=400, body=LINK, writes=True),
    ("GET", "links/<link_id>"): Row(of_object=True),
    ("POST", "links/<link_id>"): Row(
        own=302, suspended=400, of_object=True, body=LINK, writes=True
    ),
    ("GET", "links/<link_id>/qr.svg"): Row(of_object=True),
    ("GET", "statistics"): Row(),
    ("GET", "orders"): Row(),
    ("GET", "orders/<order_id>"): Row(of_object=True),
    ("GET", "referrals"): Row(),
    ("GET", "commissions"): Row(),
    ("GET", "commissions/<commission_id>"): Row(of_object=True),
    ("GET", "balances"): Row(),
    ("GET", "postings"): Row(),
    ("GET", "coupons"): Row(),
    ("GET", "qr.svg"): Row(),
    ("GET", "creatives"): Row(),
    ("GET", "creatives/<creative_id>/file"): Row(),
    ("GET", "images/<stem>.<ending>"): Row(own=404, public=True),
    ("GET", "payouts"): Row(),
    ("GET", "payouts/ask/<currency>"): Row(),
    ("POST", "payouts/ask/<currency>"): Row(
        own=302, suspended=409, rival=409, writes=True
    ),
    ("GET", "payouts/<payout_id>"): Row(of_object=True),
    ("GET", "payouts/<payout_id>/<kind>"): Row(of_object=True),
    ("GET", "payouts/<payout_id>/<kind>.csv"): Row(of_object=True),
    ("GET", "payouts/<payout_id>/<kind>.pdf"): Row(
        own=200 if writes_pdf() else 404, of_object=True
    ),
    ("GET", "destination"): Row(hidden=True),
    ("GET", "destination/<to>"): Row(hidden=True),
    ("POST", "destination/<to>"): Row(
        own=302, suspended=400, body={"is_confirmed": "on"}, writes=True
    ),
    ("GET", "claims"): Row(),
    ("GET", "claims/new"): Row(),
    ("POST", "claims/new"): Row(
        own=302, suspended=403, body={"order": "order-2"}, writes=True
    ),
    ("GET", "claims/<claim_id>"): Row(of_object=True),
    ("GET", "notifications"): Row(),
    ("POST", "notifications"): Row(own=302, body={"sale": "weekly"}, writes=True),
    ("GET", "notifications/<email_id>"): Row(of_object=True, hidden=True),
    ("GET", "profile"): Row(),
    ("POST", "profile"): Row(
        own=302, body={"own_time_zone": "Asia/Tokyo"}, writes=True
    ),
    ("GET", "keys"): Row(hidden=True),
    ("GET", "keys/new"): Row(hidden=True),
    ("POST", "keys/new"): Row(suspended=400, body=KEY, writes=True),
    ("GET", "keys/<key_id>/revoke"): Row(of_object=True, hidden=True),
    ("POST", "keys/<key_id>/revoke"): Row(own=302, of_object=True, writes=True),
    ("GET", "webhook"): Row(hidden=True),
    ("POST", "webhook"): Row(
        own=302, rival=200, suspended=400, body=WEBHOOK, writes=True
    ),
    ("GET", "webhook/test"): Row(of_object=True, hidden=True),
    ("POST", "webhook/test"): Row(own=302, suspended=409, of_object=True, writes=True),
    ("GET", "webhook/secret"): Row(of_object=True, hidden=True),
    ("POST", "webhook/secret"): Row(suspended=409, of_object=True, writes=True),
    ("GET", "webhook/remove"): Row(of_object=True, hidden=True),
    ("POST", "webhook/remove"): Row(own=302, writes=True),
    ("GET", "leave"): Row(),
    ("GET", "leave/confirm"): Row(hidden=True),
    ("POST", "leave/confirm"): Row(
        own=302, suspended=400, body={"is_confirmed": "on"}, writes=True
    ),
    ("GET", "program"): Row(public=True, hidden=True),
    ("GET", "apply"): Row(public=True, hidden=True),
    ("POST", "apply"): Row(own=400, public=True, body={}),
    ("GET", "apply/sent"): Row(public=True, hidden=True),
    ("GET", "joined"): Row(public=True, hidden=True),
    # The token is nobody's. Verifying shows a button before it looks.
    ("GET", "confirm/<token>"): Row(own=404, public=True, hidden=True),
    ("POST", "confirm/<token>"): Row(own=404, public=True, body={}),
    ("GET", "verify/<token>"): Row(public=True, hidden=True),
    ("POST", "verify/<token>"): Row(own=404, public=True, body={}),
    ("GET", "invitation/<token>"): Row(own=404, public=True, hidden=True),
    ("POST", "invitation/<token>"): Row(own=404, public=True, body={}),
    ("GET", "my-terms"): Row(),
    ("GET", "terms"): Row(),
    ("POST", "terms"): Row(own=302, body={}),
    ("GET", "look/<token>"): Row(own=403, public=True),
    # The last ones: who looked or was signed in sees nothing from then on.
    ("GET", "look/end"): Row(public=True),
    ("POST", "look/end"): Row(own=302, public=True, writes=True),
    ("POST", "sign-out"): Row(
        own=302,
        public=True,
        body={},
        writes=True,
        exceptions=tuple((one, 302) for one in LED),
    ),
}
SENT_WHILE_LOOKING = (("POST", "look/end"), ("POST", "language"))
for call, row in ROWS.items():
    if call[0] == "POST" and call not in SENT_WHILE_LOOKING:
        ROWS[call] = replace(row, hidden=True)


def test_every_url_of_the_area_has_a_row():
    assert _urls() == ROWS.keys()


def _urls() -> set[tuple[str, str]]:
    return {
        (method, re.sub(r"<\w+:(\w+)>", r"<\1>", str(one.pattern)))
        for one in urlpatterns
        for method in _methods(one.callback)
    }


def _methods(view: Any) -> list[str]:
    """A function of ours is safe."""
    if hasattr(view, "view_class"):
        return [one for one in ("GET", "POST") if hasattr(view.view_class, one.lower())]
    return ["GET"]


@pytest.fixture
def callers(affiliate, rival, brand, host) -> dict[str, Callable[[], Client]]:
    """``suspended`` is the affiliate whose rows they are, once suspended. Whoever looks at
    what that affiliate sees is a rival beside it."""
    other_brand = BrandFactory(client_area="other.example.com")
    abroad = AffiliateFactory(
        brand=other_brand, user=host.client(other_brand, email="abroad@example.com")
    )
    name = get_user_model().USERNAME_FIELD
    boss = get_user_model().objects.create(
        **{name: "boss@example.com", "is_staff": True, "is_superuser": True}
    )
    client, guest = host.client(brand, email="nobody@example.com"), host.guest(brand)

    def suspended() -> Client:
        affiliate.status = AffiliateStatus.SUSPENDED
        affiliate.save()
        return _as(affiliate.user)

    return {
        "anonymous": _as,
        "guest": lambda: _as(guest),
        "client": lambda: _as(client),
        "staff": lambda: _as(boss),
        "owner": lambda: _as(affiliate.user),
        "rival": lambda: _as(rival.user),
        LOOKING: lambda: looking(affiliate, boss, _as(rival.user)),
        "other_brand": lambda: _as(abroad.user),
        "suspended": suspended,
    }


@in_steps(example=19, sweep=2)
def test_everybody_sees_and_does_what_is_theirs(step, objects, callers):
    """Each caller begins with another row, so that all of them call every row."""
    wrong = []
    for number, (caller, enter) in enumerate(callers.items()):
        rows = dict([*ROWS.items()][number % step :: step])
        with transaction.atomic():
            browser = enter()
            # The portal keeps in which language its client read last.
            _call(browser, "POST", "language", ROWS["POST", "language"], objects)
            _call(browser, "GET", "program", ROWS["GET", "program"], objects)
            with nothing_written():
                wrong += _faults(browser, caller, rows, objects, are_writing=False)
            wrong += _faults(browser, caller, rows, objects, are_writing=True)
            transaction.set_rollback(True)

    assert wrong == []


def _faults(
    browser: Client,
    caller: str,
    rows: dict[tuple[str, str], Row],
    objects: dict[str, Any],
    *,
    are_writing: bool,
) -> Iterator[tuple[Any, ...]]:
    """The calls that may write, or the others, as far as they are not so answered."""
    for (method, route), row in rows.items():
        if row.is_done_by(caller) is not are_writing:
            continue
        with transaction.atomic():
            answer = _call(browser, method, route, row, objects)
            if are_writing:
                transaction.set_rollback(True)
        if answer.status_code != row.expected(caller):
            yield caller, method, route, answer.status_code, row.expected(caller)
        if row.leads(caller) not in answer.headers.get("Location", ""):
            yield caller, method, route, answer.headers.get("Location")


def _call(
    browser: Client, method: str, route: str, row: Row, objects: dict[str, Any]
) -> Any:
    return getattr(browser, method.lower())(
        f"{PREFIX}{path_of(route, objects)}", row.body
    )


def path_of(route: str, objects: dict[str, Any]) -> str:
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda name: str(objects[name[1]]), route)


def looking(affiliate: Affiliate, staff: Any, browser: Client) -> Client:
    """With as many pages noted as are kept: none writes any more."""
    now = timezone.now()
    address = ask_for_look(
        affiliate, reason=marker("staff", "look"), actor_id=staff.pk, now=now
    )
    browser.get(address)
    AreaLook.objects.update(pages=["-"] * MAX_PAGES)
    return browser


def _as(user: Any = None) -> Client:
    browser = Client(headers={"host": "shop.example.com"})
    if user is not None:
        browser.force_login(user)
    return browser


@in_steps(example=17, sweep=2)
def test_a_page_takes_few_queries_and_no_more_for_many_rows(
    step, objects, affiliate, host, now, time_machine
):
    time_machine.move_to(now, tick=False)
    browser, api = _as(affiliate.user), APIClient()
    api.force_authenticate(affiliate.user)
    pages = [
        *((browser, f"{PREFIX}{route}") for method, route in ROWS if method == "GET"),
        *((api, f"/api{PREFIX}{one.pattern}") for one in api_patterns),
    ]
    gets = {
        path: partial(who.get, path_of(path, objects)) for who, path in pages[::step]
    }
    _make_more(affiliate, host, now)
    browser.get(PREFIX)
    few = {path: queries_of(get) for path, get in gets.items()}
    for _ in range(MORE):
        _make_more(affiliate, host, now)

    many = {path: queries_of(get) for path, get in gets.items()}

    # The bare host asks for each client by itself.
    allowed = 0 if host.knows_invoices_early else MORE
    assert {path: count for path, count in few.items() if count > MAX_QUERIES} == {}
    assert {
        path: (few[path], count)
        for path, count in many.items()
        if count > few[path] + allowed
    } == {}


def _make_more(affiliate: Any, host: Any, now: datetime) -> None:
    """One more of everything; of commissions, one of each status."""
    client = host.client(affiliate.brand, email=f"{uuid4()}@example.org")
    ClientReferralFactory(affiliate=affiliate, client=client)
    order_of(affiliate, client)
    link = AffiliateLinkFactory(affiliate=affiliate)
    ClickFactory(affiliate=affiliate, link=link, visitor_id=uuid4(), created_at=now)
    CreativeFactory(brand=affiliate.brand)
    CouponCodeFactory(affiliate=affiliate)
    MissingSaleClaimFactory(affiliate=affiliate)
    AffiliateKeyFactory(affiliate=affiliate)
    payout = make_payout(affiliate, PayoutStatus.PAID, now=now)
    issue_statement(payout, now=now)
    for status in CommissionStatus:
        make_commission(affiliate, status, payout=payout, taken=1, now=now)
