"""Who may do what with whose rows: every path of an affiliate's account, every caller.

The paths are those of the URLconf: one that has no row here fails.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.urls import get_resolver
from rest_framework.test import APIClient

from affiliates.commissions.models import Commission
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import give_key
from affiliates.contrib.area.sections import MORE_PAGES
from affiliates.contrib.claims.rules import Hints
from affiliates.contrib.claims.services import submit_claim
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.api.calls import refusal
from tests.database import nothing_written
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateNoteFactory,
    CreativeFactory,
)
from tests.factories.books import PayoutFactory
from tests.factories.emails import EmailFactory
from tests.factories.integrations import WebhookFactory
from tests.factories.ledger import ClientReferralFactory
from tests.factories.payouts import DestinationFactory, earn
from tests.guard.markers import marker
from tests.lengths import in_steps

PREFIX = "api/affiliate/"
STRANGERS = ("client", "guest", "staff")
OTHERS = ("rival", "other_brand")


@dataclass(frozen=True, kw_only=True)
class Row:
    """``scope`` is what a key needs; None: no key may. ``of_object``: others find none."""

    own: int = 200
    suspended: int = 200
    stranger: int = 403
    scope: Scope | None = None
    of_object: bool = False
    others: int | None = None
    body: dict[str, Any] | None = None
    exceptions: tuple[tuple[str, int], ...] = ()

    def expected(self, caller: str) -> int:
        if caller in dict(self.exceptions):
            return dict(self.exceptions)[caller]
        if caller == "anonymous":
            return 401
        if caller in STRANGERS:
            return self.stranger
        if caller == "suspended":
            return self.suspended
        if caller in OTHERS:
            return self.others or (404 if self.of_object else self.own)
        return self.own


STATISTICS, MONEY = Scope.STATISTICS, Scope.MONEY
LINK = {"name": "Blog"}
WALLET = {"kind": "wallet"}
KEY = {"name": "Tool", "scopes": ["money"]}
WEBHOOK = {"address": f"https://hooks.example.com/{marker('affiliate', 'hook')}"}
IDENTITY = {
    "name": f"Ada {marker('affiliate', 'identity')}",
    "address": "Hauptstr. 1",
    "country": "DE",
    "kind": "person",
}
# An offer that is not there: those that are have tests of their own.
OFFER = {"offer_id": 999_999}
# Of apps that a host may leave out.
ROWS_OF_APPS = {
    ("GET", "tax_identity"): Row(),
    ("PUT", "tax_identity"): Row(suspended=409, body=IDENTITY),
    ("GET", "offers"): Row(scope=STATISTICS),
    ("POST", "coupons"): Row(own=404, suspended=409, scope=Scope.LINKS, body=OFFER),
    ("DELETE", "coupons/<coupon_id>"): Row(own=404, suspended=404, scope=Scope.LINKS),
}
ROWS = {
    **(ROWS_OF_APPS if MORE_PAGES else {}),
    ("GET", "profile"): Row(scope=STATISTICS, stranger=404),
    ("PATCH", "profile"): Row(stranger=404, body={"own_time_zone": "Asia/Tokyo"}),
    ("GET", "apply"): Row(stranger=404, exceptions=(("client", 200), ("guest", 200))),
    ("POST", "apply"): Row(
        own=409,
        suspended=409,
        stranger=404,
        body={},
        exceptions=(("client", 201), ("guest", 403)),
    ),
    ("GET", "terms"): Row(scope=MONEY),
    ("GET", "departure"): Row(scope=MONEY),
    ("POST", "departure"): Row(suspended=409, body={"gives_up_balance": False}),
    ("GET", "links"): Row(scope=STATISTICS),
    ("POST", "links"): Row(own=201, suspended=409, scope=Scope.LINKS, body=LINK),
    ("GET", "links/<link_id>"): Row(scope=STATISTICS, of_object=True),
    ("PATCH", "links/<link_id>"): Row(
        suspended=409, scope=Scope.LINKS, of_object=True, body={"is_active": False}
    ),
    ("GET", "coupons"): Row(scope=STATISTICS),
    ("GET", "creatives"): Row(scope=STATISTICS),
    ("GET", "creatives/<creative_id>"): Row(
        scope=STATISTICS, exceptions=(("other_brand", 404),)
    ),
    ("GET", "referrals"): Row(scope=STATISTICS),
    ("GET", "orders"): Row(scope=STATISTICS),
    ("GET", "orders/<order_id>"): Row(scope=STATISTICS, of_object=True),
    ("GET", "statistics"): Row(scope=STATISTICS),
    ("GET", "commissions"): Row(scope=MONEY),
    ("GET", "commissions/<commission_id>"): Row(scope=MONEY, of_object=True),
    ("GET", "postings"): Row(scope=MONEY),
    ("GET", "balances"): Row(scope=MONEY),
    ("GET", "payouts"): Row(scope=MONEY),
    ("POST", "payouts"): Row(
        own=201,
        suspended=409,
        others=409,
        scope=Scope.PAYOUTS,
        body={"currency": "EUR"},
    ),
    ("GET", "payouts/<payout_id>"): Row(scope=MONEY, of_object=True),
    ("GET", "payout_destination"): Row(scope=MONEY),
    ("PUT", "payout_destination"): Row(suspended=409, body=WALLET),
    ("GET", "claims"): Row(scope=Scope.CLAIMS),
    ("POST", "claims"): Row(
        own=201, suspended=403, scope=Scope.CLAIMS, body={"order": "order-1"}
    ),
    ("GET", "notifications"): Row(scope=MONEY),
    ("GET", "notifications/choices"): Row(scope=MONEY),
    ("PATCH", "notifications/choices"): Row(body={"choices": {"sale": "never"}}),
    ("GET", "keys"): Row(),
    ("POST", "keys"): Row(own=201, suspended=409, body=KEY),
    ("DELETE", "keys/<key_id>"): Row(of_object=True),
    ("GET", "webhook"): Row(),
    ("PUT", "webhook"): Row(suspended=409, body=WEBHOOK),
    ("DELETE", "webhook"): Row(),
    ("POST", "webhook/rotate"): Row(suspended=409, of_object=True),
    ("POST", "webhook/test"): Row(suspended=409, of_object=True),
}
# What an affiliate without any rows is answered, beside lists of nothing.
NOT_LISTS = {
    "apply",
    "creatives/<creative_id>",
    "departure",
    "notifications/choices",
    "payout_destination",
    "profile",
    "statistics",
    "tax_identity",
    "terms",
    "webhook",
}
# Rows of the brand, for each of its affiliates.
OF_BRAND = {"creatives"}


def test_every_path_of_the_urlconf_has_a_row():
    assert set(_paths()) == ROWS.keys()


def _paths() -> Iterator[tuple[str, str]]:
    for pattern in _patterns(get_resolver(), ""):
        route, view = pattern
        if route.startswith(PREFIX):
            plain = re.sub(r"<\w+:(\w+)>", r"<\1>", route.removeprefix(PREFIX))
            for method in set(view.actions) - {"head"}:
                yield method.upper(), plain


def _patterns(resolver: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for one in resolver.url_patterns:
        route = prefix + str(one.pattern)
        if hasattr(one, "url_patterns"):
            yield from _patterns(one, route)
        else:
            yield route, one.callback


@pytest.fixture
def objects(
    affiliate, brand, link, order, plan, till, terms, buyer, now
) -> dict[str, int]:
    """One of each thing of the affiliate's; 100.00 EUR of it are payable."""
    till.pay("50.00")
    commission = Commission.objects.get()
    earn(affiliate)
    DestinationFactory(affiliate=affiliate)
    WebhookFactory(brand=affiliate.brand, affiliate=affiliate)
    AffiliateNoteFactory(affiliate=affiliate)
    ClientReferralFactory(affiliate=affiliate, client=buyer)
    EmailFactory(brand=affiliate.brand, affiliate=affiliate, state="sent")
    submit_claim(affiliate=affiliate, hints=Hints(order="order-1"), now=now)
    return {
        "link_id": link.pk,
        "coupon_id": 999_999,
        "creative_id": CreativeFactory(brand=brand).pk,
        "order_id": order.pk,
        "commission_id": commission.pk,
        "payout_id": PayoutFactory(affiliate=affiliate, currency="JPY").pk,
        "key_id": _key(affiliate, [MONEY], now)[0].pk,
    }


@pytest.fixture
def callers(
    affiliate, rival, other_brand, brand, host
) -> dict[str, Callable[[], APIClient]]:
    """``suspended`` is the affiliate whose rows they are, once suspended."""
    abroad = AffiliateFactory(
        brand=other_brand, user=host.client(other_brand, email="abroad@example.com")
    )
    name = get_user_model().USERNAME_FIELD
    boss = get_user_model().objects.create(
        **{name: "boss@example.com", "is_staff": True, "is_superuser": True}
    )

    def suspended() -> APIClient:
        affiliate.status = AffiliateStatus.SUSPENDED
        affiliate.save()
        return _as(affiliate.user)

    client, guest = host.client(brand, email="nobody@example.com"), host.guest(brand)
    return {
        "anonymous": APIClient,
        "guest": lambda: _as(guest),
        "client": lambda: _as(client),
        "staff": lambda: _as(boss),
        "owner": lambda: _as(affiliate.user),
        "rival": lambda: _as(rival.user),
        "other_brand": lambda: _as(abroad.user),
        "suspended": suspended,
    }


@pytest.mark.usefixtures("_nobody_is_asked")
@in_steps(example=9, sweep=2)
def test_everybody_reads_and_does_what_is_theirs(step, objects, callers, clock):
    """Each caller begins with another row, so that all of them call every row."""
    wrong = []
    for number, (caller, enter) in enumerate(callers.items()):
        rows = dict([*ROWS.items()][number % step :: step])
        with transaction.atomic():
            api = enter()
            with nothing_written():
                wrong += _faults(api, caller, rows, objects, are_refused=True)
            wrong += _faults(api, caller, rows, objects, are_refused=False)
            transaction.set_rollback(True)

    assert wrong == []


@in_steps(example=7, sweep=2)
def test_a_key_does_what_its_scope_says(step, objects, affiliate, clock, now):
    keys = {scope: _key(affiliate, [scope], now)[1] for scope in Scope}

    wrong = []
    for (method, route), row in [*ROWS.items()][::step]:
        for scope, secret in keys.items():
            expected = row.own if row.scope is scope else 403
            api = APIClient(HTTP_AUTHORIZATION=f"Bearer {secret}")
            answer = _undone(api, method, route, row, objects)
            if answer.status_code != expected:
                wrong.append((scope, method, route, answer.status_code))

    assert wrong == []


def test_a_parameter_that_is_not_described_is_refused(objects, callers, clock):
    api, answers = callers["owner"](), {}
    with nothing_written():
        for (method, route), row in ROWS.items():
            path = f"{route}?colour=red"
            answers[method, route] = refusal(_call(api, method, path, row, objects))

    assert set(answers.values()) == {(400, "unknown_parameter", "colour")}


def test_a_page_beyond_the_last_is_refused_and_the_last_named(objects, callers, clock):
    api = callers["owner"]()
    lists = [
        route
        for (method, route), row in ROWS.items()
        if (method, row.of_object) == ("GET", False) and route not in NOT_LISTS
    ]

    assert len(lists) == (13 if MORE_PAGES else 12)
    for route in [*lists, "notifications/choices"]:
        last = api.get(f"/{PREFIX}{route}?page=1").json()["data"]
        beyond = api.get(f"/{PREFIX}{route}?page=2")
        assert (last["page"], last["pages"]) == (1, 1), route
        assert refusal(beyond) == (400, "beyond_last", "page"), route
        assert beyond.json()["errors"][0]["detail"] == "The last page is 1."


def _faults(
    api: APIClient,
    caller: str,
    rows: dict[tuple[str, str], Row],
    objects: dict[str, int],
    *,
    are_refused: bool,
) -> Iterator[tuple[Any, ...]]:
    """The calls that are to be refused, or the others, as far as they are not so."""
    call = _call if are_refused else _undone
    for (method, route), row in rows.items():
        expected = row.expected(caller)
        if are_refused is not (expected >= 400):
            continue
        answer = call(api, method, route, row, objects)
        if answer.status_code != expected:
            yield caller, method, route, answer.status_code, expected
        is_list = method == "GET" and route not in NOT_LISTS and not row.of_object
        is_own = caller != "rival" or route not in OF_BRAND
        if caller in OTHERS and is_list and is_own and _rows(answer):
            yield caller, method, route, _rows(answer)


def _undone(*call: Any) -> Any:
    with transaction.atomic():
        answer = _call(*call)
        transaction.set_rollback(True)
    return answer


def _call(
    api: APIClient, method: str, route: str, row: Row, objects: dict[str, int]
) -> Any:
    path = re.sub(r"<(\w+)>", lambda named: str(objects[named[1]]), route)
    return api.generic(
        method,
        f"/{PREFIX}{path}",
        b"" if row.body is None else json.dumps(row.body),
        content_type="application/json",
    )


def _rows(answer: Any) -> list[Any]:
    data = answer.json()["data"]
    return next(one for one in data.values() if isinstance(one, list))


def _as(user: Any) -> APIClient:
    api = APIClient()
    api.force_authenticate(user)
    return api


def _key(affiliate: Any, scopes: list[Scope], now: Any) -> Any:
    return give_key(
        affiliate_id=affiliate.pk,
        name="Tool",
        scopes=scopes,
        expires_at=now + timedelta(days=90),
        now=now,
    )
