"""Bad input and bad days: a state, a reason that people can read, and business as ever."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from moneyed import Money

from affiliates.contrib.reconciliation.types import Agreement
from affiliates.outbox.http.client import Transport
from affiliates.outbox.models.delivery import Delivery, VisitorAlias
from affiliates.outbox.queue.rules import QueueState
from affiliates.visits.models import Click
from portal.demo.network.server import Simulator
from tests.portal.network.shop import PASSWORD, Shop, delivery

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
ANOTHER = "4c5e2151b8856e55dbfeb247c22300Hg"
DETOUR = "Enter the address it redirects to: none is followed."
ERROR = "Post Affiliate Pro met an error of its own while it tracked."
ACCEPTED = "Accepted; the provider does not say what it did with it."
NO_ANSWER = "127.0.0.1 gave no whole answer in time."
OTHER = (
    "The answer is not Post Affiliate Pro's: check the tracking address, and the error "
    "log of the install."
)
PAGE = (
    "A web page answered instead of Post Affiliate Pro's tracking: check the tracking "
    "address."
)
NOT_PUBLIC = (
    "tracker.example.com resolves to an address that is not public. Enter the "
    "provider's public address."
)
REFUSED_LOGIN = (
    "Post Affiliate Pro refused the merchant's login: check user name and password."
)


def check(shop: Shop, row: Delivery, state: str, reason: str) -> None:
    """The delivery is in this state for this reason, and the admin says so."""
    row.refresh_from_db()
    assert (row.state, row.detail) == (state, reason)
    page, listed = shop.page_of(row), reverse("admin:affiliates_delivery_changelist")
    for address in (page, listed):
        shown = shop.shown(address)
        assert reason in shown
        assert str(QueueState(state).label) in shown


def check_business(shop: Shop) -> None:
    """Another visitor comes, registers, orders and pays as on any other day."""
    clicks = Click.objects.count()
    invoice = shop.sell()
    assert Click.objects.count() == clicks + 1
    assert delivery("sale", invoice) is not None


# What it answers; the state of a click and of a sale after it; the reason.
ANSWERS: list[tuple[str, dict[str, Any], tuple[str, str], str]] = [
    (
        "redirects",
        {"redirect_to": "/scripts/server.php"},
        ("retry", "retry"),
        f"The provider answered with status 302. {DETOUR}",
    ),
    ("drips", {"drip": True}, ("retry", "unclear"), NO_ANSWER),
    ("a page", {"html_page": True}, ("retry", "retry"), PAGE),
    ("10 MB", {"body": "a" * 10_000_000}, ("retry", "unclear"), OTHER),
    ("no UTF-8", {"body": b"\xff\xfe\xc3("}, ("retry", "unclear"), OTHER),
    ("an error", {"body": "//error\n"}, ("retry", "unclear"), ERROR),
]


@pytest.mark.parametrize("operation", ["click", "sale"])
@pytest.mark.parametrize(("_case", "fault", "states", "reason"), ANSWERS)
def test_a_tracker_that_answers_badly(
    shop, impatient, operation, _case, fault, states, reason
):
    shop.integrate()
    shop.sell()
    if operation == "sale":
        shop.deliver()
    shop.tracker.fault(on=operation, **fault)

    calls = len(shop.tracker.state.log)
    shop.deliver(by=impatient)

    row = delivery(operation)
    check(shop, row, states[operation == "sale"], reason)
    assert row.next_at is not None
    assert len(shop.tracker.state.log) == calls + 1
    check_business(shop)


def test_a_tracker_that_names_another_visitor(shop):
    shop.integrate()
    shop.sell()
    shop.tracker.fault(body=f"setVisitor('{ANOTHER}');\n")

    shop.deliver()
    shop.deliver()

    check(shop, delivery("click"), "sent", ACCEPTED)
    check(shop, delivery("sale"), "sent", ACCEPTED)
    assert VisitorAlias.objects.get().remote_id == ANOTHER
    assert f"visitorId={ANOTHER}&" in shop.requests()[-1].target
    check_business(shop)


# What is stored; what the form says of it; what the delivery says.
ADDRESSES = [
    ("http://tracker.example.com", "The address must begin with https://."),
    (
        "https://10.0.0.1",
        "The address must name its host, not give an IP address.",
    ),
]


@pytest.mark.parametrize(("address", "reason"), ADDRESSES)
def test_an_address_that_may_not_be_called(shop, address, reason):
    """The form refuses it; a row that got there another way is not called either."""
    refusals = shop.refusals_of_form(address=address)
    integration = shop.integrate()
    integration.address = address
    integration.save(update_fields=["address"])
    shop.arrive()

    report = shop.deliver()

    assert refusals == {"address": [reason]}
    assert report[QueueState.RETRY] == 1
    check(shop, delivery("click"), "retry", reason)
    assert len(shop.tracker.state.log) == 0
    check_business(shop)


@pytest.mark.parametrize(
    ("_case", "addresses"),
    [
        ("private", ["10.0.0.1"]),
        ("loopback", ["127.0.0.1"]),
        ("cloud's own", ["169.254.169.254"]),
        ("rebinding", ["93.184.215.14", "127.0.0.1"]),
    ],
)
def test_a_name_that_leads_inside_is_not_called(shop, _case, addresses):
    integration = shop.integrate()
    integration.address = "https://tracker.example.com"
    integration.save(update_fields=["address"])
    shop.arrive()
    asked = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return addresses

    with Transport(resolve=resolve) as transport:
        shop.deliver(by=transport)

    check(shop, delivery("click"), "retry", NOT_PUBLIC)
    # Once for the judgement and the connection together.
    assert asked == ["tracker.example.com"]
    check_business(shop)


@pytest.mark.parametrize(
    "page", ["/plans?a_aid=a%00b", "/plans#a_aid=a%0d%0ab", f"/?aid={'x' * 5000}"]
)
def test_a_parameter_that_can_be_no_affiliate_makes_a_plain_visit(shop, page):
    shop.integrate()

    cookie = shop.arrive(page)
    invoice = shop.order(shop.join(cookie), cookie=cookie)

    assert shop.pay(invoice) is None
    assert (cookie, Click.objects.count(), Delivery.objects.count()) == (None, 0, 0)
    check_business(shop)


def test_an_integration_switched_off_with_rows_waiting(shop):
    integration = shop.integrate()
    invoice = shop.sell()
    shop.integrate(is_active="")

    report = shop.deliver()

    click, sale = delivery("click"), delivery("sale", invoice)
    assert report[QueueState.GIVEN_UP] == 2
    for row in (click, sale):
        check(shop, row, "given_up", "The integration was switched off.")
    assert "Switched off: nothing is sent." in shop.shown(shop.page_of(integration))
    assert shop.requests() == []
    clicks = Click.objects.count()
    shop.sell()
    assert (Click.objects.count(), Delivery.objects.count()) == (clicks, 2)

    shop.integrate()
    chosen = {"action": "retry", "_selected_action": [click.pk, sale.pk]}
    page = reverse("admin:affiliates_delivery_changelist")
    with shop.at_this_time():
        shop.operator.post(page, {**chosen, "confirmed": "yes"})
    shop.deliver()
    shop.deliver()

    assert shop.held() == [("S", str(invoice.pk), "testaff", "P")]


def test_an_address_changed_with_rows_waiting(shop, settings):
    shop.integrate()
    shop.tracker.stop()
    invoice = shop.sell()
    shop.deliver()
    check(
        shop,
        delivery("click"),
        "retry",
        "No connection to 127.0.0.1: Connection refused.",
    )

    with Simulator() as other:
        settings.AFFILIATES_TRACKING_ALLOWED_HOSTS = [urlsplit(other.address).netloc]
        moved = replace(shop, tracker=other)
        moved.integrate()
        with Transport() as transport:
            moved.deliver(after=HOUR, by=transport)
            moved.deliver(by=transport)

        assert moved.held() == [("S", str(invoice.pk), "testaff", "P")]
        check_business(moved)


def test_a_merchants_login_that_is_wrong(shop):
    shop.integrate(sale_status="A")
    invoice = shop.sell()
    shop.deliver()
    shop.deliver()
    shop.tracker.settings.change({"password": "changed there"})
    shop.refund(invoice)

    shop.deliver()

    check(shop, delivery("reversal"), "retry", REFUSED_LOGIN)
    check_business(shop)

    shop.tracker.settings.change({"password": PASSWORD})
    shop.integrate(sale_status="A")
    shop.deliver()

    assert delivery("reversal").state == "sent"


def test_a_sale_that_is_unclear_while_the_login_is_wrong(shop):
    shop.integrate(password="wrong")
    invoice = shop.sell()
    shop.deliver()
    shop.tracker.fault(on="sale", close_after_processing=True)
    shop.deliver()

    shop.deliver(after=HOUR)

    check(shop, delivery("sale", invoice), "unclear", REFUSED_LOGIN)
    assert len(shop.held()) == 1
    check_business(shop)


def test_a_currency_that_the_tracker_does_not_know(shop):
    shop.integrate()
    invoice = shop.sell(price=Money("9.00", "CHF"))

    shop.deliver()
    shop.deliver()
    [line] = shop.reconcile()

    check(shop, delivery("sale", invoice), "sent", ACCEPTED)
    assert shop.held() == []
    assert line.verdict is Agreement.MISSING_THERE
    assert "currency" in line.reason
    check_business(shop)
