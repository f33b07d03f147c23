"""Repeats of payout requests and claims with one Idempotency-Key."""

from __future__ import annotations

import pytest

from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import give_key
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.payouts.models import Payout
from tests.affiliates.api import repeating
from tests.affiliates.api.repeating import DAY, Call, send, whole
from tests.factories.payouts import DestinationFactory, earn

globals().update(repeating.TESTS)

pytestmark = pytest.mark.django_db

OF_ANOTHER_BRAND = (403, "origin_of_another_brand", None)


@pytest.fixture
def of_endpoint(affiliate, rival, terms, host, clock):
    who = {
        "authorization": lambda: host.authorization(affiliate.user),
        "others_authorization": lambda: host.authorization(rival.user),
    }

    def payout():
        earn(affiliate, 5_000)
        earn(affiliate, 5_000, "JPY")
        DestinationFactory(affiliate=affiliate)
        return Call(
            method="post",
            path="/api/affiliate/payouts",
            status=201,
            body={"currency": "EUR", "note": ""},
            other_body={"currency": "JPY"},
            refused_body={"currency": "EURO"},
            to_another=(409, "no_destination", None),
            at_another_brand=OF_ANOTHER_BRAND,
            after_a_day=(409, "payout_open", None),
            **who,
        )

    def claim():
        return Call(
            method="post",
            path="/api/affiliate/claims",
            status=201,
            body={"order": "order-77", "note": "She ordered through my blog."},
            other_body={"order": "order-78"},
            refused_body={"order": 7},
            at_another_brand=OF_ANOTHER_BRAND,
            repeats_itself=True,
            **who,
        )

    makers = {"payout": payout, "claim": claim}
    return lambda name: makers[name]()


@pytest.fixture(params=["payout", "claim"])
def call(of_endpoint, request):
    return of_endpoint(request.param)


def test_repeated_payout_request_is_one_payout(of_endpoint, affiliate):
    payout = of_endpoint("payout")

    answers = [send(payout) for _ in range(3)]

    assert len({one.content for one in answers}) == 1
    assert Payout.objects.get().amount == 5_000


def test_repeated_claim_is_answered_as_the_first_time(of_endpoint):
    claim = of_endpoint("claim")
    first = send(claim)
    MissingSaleClaim.objects.get().change(note="Changed since")

    assert whole(send(claim)) == whole(first)


def test_a_key_of_the_affiliates_tools_is_the_same_person(of_endpoint, affiliate, now):
    payout = of_endpoint("payout")
    first = send(payout)

    def tool(*scopes: Scope) -> str:
        key, secret = give_key(
            affiliate_id=affiliate.pk,
            name="Tool",
            scopes=scopes,
            expires_at=now + DAY,
            now=now,
        )
        return f"Bearer {secret}"

    assert whole(send(payout, authorization=tool(Scope.PAYOUTS))) == whole(first)
    assert send(payout, authorization=tool(Scope.MONEY)).status_code == 403
