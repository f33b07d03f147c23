"""Requests made up from the description, well-formed and not, on every operation."""

from __future__ import annotations

from functools import cache

import pytest
import schemathesis
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from knox.models import AuthToken
from schemathesis import GenerationMode, checks
from schemathesis.specs.openapi import checks as openapi_checks

from portal.wsgi import application
from tests.contract.frontend import GATEWAY, Frontend
from tests.contract.test_openapi import OPERATIONS
from tests.factories.affiliates import AffiliateFactory, AffiliateLinkFactory
from tests.factories.area import AffiliateKeyFactory
from tests.factories.books import PayoutFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.payouts import DestinationFactory, earn
from tests.factories.portal import ClientFactory
from tests.lengths import times

ORIGIN = "https://shop.example.com"
CASES = times(8, long=400)
pytestmark = pytest.mark.long
CHECKS = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
    openapi_checks.response_headers_conformance,
]


generously = settings(
    max_examples=CASES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def on_loopback(environ, start_response):
    """The service as its own machine sees it: never throttled."""
    environ["REMOTE_ADDR"] = "127.0.0.1"
    return application(environ, start_response)


@cache
def description():
    return schemathesis.openapi.from_wsgi("/api/schema", on_loopback)


@pytest.fixture
def existing(brand, product_id):
    """A client with a basket and an invoice, and a link: what requests can refer to."""
    user = ClientFactory(brand=brand)
    affiliate = AffiliateFactory(brand=brand, user=user)
    commission = earn(affiliate)
    MissingSaleClaimFactory(affiliate=affiliate)
    destination = DestinationFactory(affiliate=affiliate)
    payout = PayoutFactory(affiliate=affiliate, destination=destination)
    _, affiliate_token = AuthToken.objects.create(user)
    link = AffiliateLinkFactory(affiliate=affiliate)
    link_url = f"{ORIGIN}/aff/{link.hash}"
    frontend = Frontend(origin=ORIGIN)
    frontend.visit(link_url)
    guest = frontend.become_guest().json()["data"]
    invoice = frontend.buy(product_id)
    order_id, details_id = frontend.fill_basket(product_id)
    return {
        "token": guest["token"],
        "affiliate_token": affiliate_token,
        "link_id": link.pk,
        "commission_id": commission.pk,
        "payout_id": payout.pk,
        "key_id": AffiliateKeyFactory(affiliate=affiliate).pk,
        "client_id": guest["id"],
        "order_id": order_id,
        "invoice_id": invoice["id"],
        "gateway": GATEWAY,
        "product_id": product_id,
        "payment_details_id": details_id,
        "visit_url": link_url,
        "referral_cookie": frontend.cookie,
    }


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode)
@pytest.mark.parametrize(("method", "path"), sorted(OPERATIONS))
def test_every_answer_is_a_described_one(existing, one_connection, method, path, mode):
    requests = description()[path][method].as_strategy(generation_mode=mode)
    is_affiliates = path.startswith("/api/affiliate/")
    token = existing["affiliate_token" if is_affiliates else "token"]
    statuses = set()

    @generously
    @given(case=requests)
    def ask(case):
        _refer_to(existing, case)
        with transaction.atomic():
            answer = case.call_and_validate(
                headers={"Origin": ORIGIN, "Authorization": f"Bearer {token}"},
                checks=CHECKS,
            )
            statuses.add(answer.status_code)
            # Every request finds the same world.
            transaction.set_rollback(True)

    ask()

    if is_affiliates and method == "GET" and mode is GenerationMode.POSITIVE:
        # What can be asked for need not be there, nor a day be one of this century.
        assert statuses <= {200, 400, 404}
        assert 200 in statuses or "{" in path


def _refer_to(existing, case):
    """Let about half of the requests name what exists instead of what was made up."""
    for name, value in (case.path_parameters or {}).items():
        if len(str(value)) % 2:
            case.path_parameters[name] = existing[name]
    if isinstance(case.body, dict):
        for name in case.body.keys() & existing.keys():
            if len(str(case.body[name])) % 2:
                case.body[name] = existing[name]
