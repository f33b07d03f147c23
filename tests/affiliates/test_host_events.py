"""Clients and orders that a host tells of itself, without our endpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.conf import conf
from affiliates.contracts import (
    ClientRegistered,
    CookieUse,
    EventResult,
    OrderConversion,
    OrderPlaced,
    PaidInvoice,
    RefundedInvoice,
)
from affiliates.errors import (
    AffiliatesError,
    InvalidInput,
    NotAllowed,
    NotFound,
    StateConflict,
)
from affiliates.host_events import (
    client_registered,
    invoice_paid,
    invoice_refunded,
    order_placed,
)
from affiliates.integrations.models import Delivery
from affiliates.ledger.models import AccountBalance
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import Sale, SaleReversal
from affiliates.settlement.services import convert_order
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from affiliates.visits.models import Click
from tests.affiliates.till import line
from tests.affiliates.verification.finding import everything_found
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory, ClickFactory
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.plans import CouponCodeFactory
from tests.lengths import times
from tests.races import at_once, needs_postgresql

DAY = timedelta(days=1)


def cookie_of(click: Click, *, brand_id: int | None = None, external: str = "") -> str:
    return seal_cookie(
        ReferralCookie(
            visitor_id=click.visitor_id,
            click_id=click.pk,
            affiliate_id=click.affiliate_id or 0,
            issued_at=click.created_at,
            expires_at=click.created_at + timedelta(days=90),
            external_visitor_id=external,
        ),
        brand_id=brand_id or click.brand_id,
        ring=conf.cookie_keys,
        nonce=b"n" * 12,
    )


def click_of(affiliate: Any, at: datetime) -> Click:
    return ClickFactory(affiliate=affiliate, visitor_id=uuid4(), created_at=at)


@pytest.fixture
def clicked(affiliate, now) -> Click:
    return click_of(affiliate, now - DAY)


@pytest.fixture
def cookie(clicked) -> str:
    return cookie_of(clicked)


@pytest.fixture
def registered(brand, buyer, now) -> ClientRegistered:
    return ClientRegistered(
        brand_id=brand.pk, client_id=str(buyer.pk), registered_at=now
    )


@pytest.fixture
def placed(brand, buyer, now) -> OrderPlaced:
    return OrderPlaced(
        brand_id=brand.pk,
        order_ref="subscription-1",
        invoice_ref="in_1",
        client_id=str(buyer.pk),
        placed_at=now,
        client_paid_before=False,
    )


@pytest.fixture
def paid(placed, now) -> PaidInvoice:
    return PaidInvoice(
        brand_id=placed.brand_id,
        invoice_ref=placed.invoice_ref,
        order_ref=placed.order_ref,
        payment_ref="pi_1",
        gross=Money("119.00", "EUR"),
        lines=(line(Money("100.00", "EUR"), quantity=1),),
        paid_at=now,
    )


class TestClientRegistered:
    def test_binds_the_client_as_of_its_registration(
        self, registered, buyer, affiliate, clicked, cookie, now
    ):
        client_registered(registered, referral_cookie=cookie, now=now + DAY)

        binding = ClientReferral.objects.get()
        assert (binding.client, binding.affiliate) == (buyer, affiliate)
        assert (binding.click_id, binding.visitor_id) == (
            clicked.pk,
            clicked.visitor_id,
        )
        assert (binding.touched_at, binding.bound_at) == (now - DAY, now)
        assert binding.step == "register"

    def test_binds_a_guest_who_stays_bound_as_a_client(
        self, registered, host, brand, cookie, now
    ):
        guest = replace(registered, client_id=str(host.guest(brand).pk))

        client_registered(guest, referral_cookie=cookie, now=now)

        assert ClientReferral.objects.get().step == "guest"

    def test_the_first_cookie_stands(self, registered, rival, cookie, now):
        client_registered(registered, referral_cookie=cookie, now=now)
        other = cookie_of(click_of(rival, now - timedelta(hours=1)))

        with nothing_written():
            client_registered(registered, referral_cookie=other, now=now + DAY)
            client_registered(registered, referral_cookie=None, now=now + DAY)

    def test_told_at_each_login_it_binds_nobody_by_a_later_click(
        self, registered, affiliate, now
    ):
        later = cookie_of(click_of(affiliate, now + timedelta(seconds=1)))

        with nothing_written():
            client_registered(registered, referral_cookie=None, now=now)
            client_registered(registered, referral_cookie=later, now=now + DAY)

    def test_told_months_late_it_binds_as_if_told_at_once(
        self, registered, affiliate, cookie, now
    ):
        late = now + timedelta(days=200)

        client_registered(registered, referral_cookie=cookie, now=late)

        assert ClientReferral.objects.get().affiliate == affiliate

    def test_a_host_whose_clock_is_ahead_binds_as_of_now(self, registered, cookie, now):
        ahead = replace(registered, registered_at=now + DAY)

        client_registered(ahead, referral_cookie=cookie, now=now)

        assert ClientReferral.objects.get().bound_at == now

    @pytest.mark.parametrize("is_guest", [False, True])
    def test_the_integration_hears_once_of_a_full_client(
        self, is_guest, registered, host, brand, now
    ):
        integration = TrackingIntegrationFactory(
            brand=brand, config={"lead_action": "signup"}
        )
        click = ClickFactory(
            brand=brand,
            affiliate=None,
            affiliate_status="",
            integration=integration,
            external_affiliate="testaff",
            visitor_id=uuid4(),
            created_at=now - DAY,
        )
        if is_guest:
            registered = replace(registered, client_id=str(host.guest(brand).pk))
        sent = cookie_of(click, external="visitor-1")

        for given_cookie in (sent, sent, None):
            client_registered(registered, referral_cookie=given_cookie, now=now)

        leads = Delivery.objects.filter(operation="lead")
        expected = [] if is_guest else [f"lead:{registered.client_id}"]
        assert [lead.key for lead in leads] == expected

    def test_the_host_learns_how_the_cookie_was_read(self, registered, clicked, now):
        other = BrandFactory(client_area="other.example.com")
        expected = {
            None: CookieUse.ABSENT,
            "": CookieUse.ABSENT,
            cookie_of(clicked): CookieUse.USABLE,
            cookie_of(clicked)[:-1]: CookieUse.UNUSABLE,
            cookie_of(clicked, brand_id=other.pk): CookieUse.UNUSABLE,
            "x" * 8192: CookieUse.UNUSABLE,
        }

        answered = {
            given_cookie: client_registered(
                registered, referral_cookie=given_cookie, now=now
            )
            for given_cookie in expected
        }

        assert answered == {
            given_cookie: EventResult(cookie=use)
            for given_cookie, use in expected.items()
        }


class TestOrderPlaced:
    def test_is_attributed_as_a_conversion_is(
        self, placed, host, buyer, clicked, cookie, now
    ):
        order_ref = host.order(buyer, created_at=now)
        convert_order(
            conversion=OrderConversion(
                order_ref=order_ref,
                client_id=str(buyer.pk),
                payment_details_id=host.payment_details_id(buyer),
            ),
            origin_brand_id=None,
            referral_cookie=cookie,
            ip_prefix="203.0.113.0/24",
            now=now,
        )

        order_placed(
            replace(placed, ip="203.0.113.77"), referral_cookie=cookie, now=now
        )

        own = {"id", "order_ref", "invoice_ref", "seal"}
        converted, told = (
            {name: value for name, value in row.items() if name not in own}
            for row in OrderReferral.objects.order_by("id").values()
        )
        assert told == converted
        assert told["click_id"] == clicked.pk

    def test_keeps_the_hosts_references_and_moment(self, placed, cookie, now):
        order_placed(placed, referral_cookie=cookie, now=now + DAY)

        referral = OrderReferral.objects.get()
        assert referral.order_ref == "subscription-1"
        assert referral.invoice_ref == "in_1"
        assert referral.converted_at == now
        assert referral.referral_cookie == cookie

    def test_is_credited_by_the_clients_binding(
        self, registered, placed, affiliate, cookie, now
    ):
        client_registered(registered, referral_cookie=cookie, now=now)

        order_placed(placed, referral_cookie=None, now=now)

        referral = OrderReferral.objects.get()
        assert (referral.outcome, referral.affiliate) == ("credited", affiliate)

    def test_is_credited_by_a_coupon(self, placed, affiliate, now):
        CouponCodeFactory(affiliate=affiliate, code="PARTNER10")

        order_placed(
            replace(placed, coupon_codes=("partner10",)), referral_cookie=None, now=now
        )

        assert OrderReferral.objects.get().affiliate == affiliate

    def test_of_an_existing_client_credits_nobody(self, placed, cookie, now):
        order_placed(
            replace(placed, client_paid_before=True), referral_cookie=cookie, now=now
        )

        referral = OrderReferral.objects.get()
        assert (referral.outcome, referral.reason) == ("nobody", "existing_client")

    def test_of_the_affiliate_in_person_is_held(self, placed, affiliate, cookie, now):
        own = replace(placed, client_id=str(affiliate.user_id))

        order_placed(own, referral_cookie=cookie, now=now)

        referral = OrderReferral.objects.get()
        assert (referral.outcome, referral.reason) == ("held", "self_referral")

    def test_told_months_late_is_decided_as_if_told_at_once(
        self, placed, affiliate, cookie, now
    ):
        order_placed(placed, referral_cookie=cookie, now=now + timedelta(days=200))

        assert OrderReferral.objects.get().affiliate == affiliate

    def test_what_was_clicked_since_counts_for_nothing(
        self, placed, affiliate, rival, clicked, now
    ):
        ClickFactory(
            affiliate=rival,
            visitor_id=clicked.visitor_id,
            created_at=now + timedelta(seconds=1),
        )

        order_placed(placed, referral_cookie=cookie_of(clicked), now=now + DAY)

        assert OrderReferral.objects.get().affiliate == affiliate

    def test_a_late_click_stands_down_by_the_baskets_beginning(
        self, placed, affiliate, rival, clicked, now
    ):
        late = ClickFactory(
            affiliate=rival,
            visitor_id=clicked.visitor_id,
            created_at=now - timedelta(hours=1),
        )
        began = replace(placed, created_at=now - timedelta(hours=2))

        order_placed(began, referral_cookie=cookie_of(late), now=now)

        assert OrderReferral.objects.get().affiliate == affiliate

    def test_a_repeat_writes_nothing_whatever_cookie_it_brings(
        self, plan, placed, paid, rival, cookie, now
    ):
        order_placed(placed, referral_cookie=cookie, now=now)
        invoice_paid(paid, now=now)
        other = cookie_of(click_of(rival, now - timedelta(hours=1)))

        with nothing_written():
            order_placed(placed, referral_cookie=other, now=now + DAY)
            order_placed(placed, referral_cookie=None, now=now + DAY)

    def test_an_order_converted_by_the_endpoint_is_known(
        self, placed, host, buyer, cookie, now
    ):
        order_ref = host.order(buyer)
        converted = convert_order(
            conversion=OrderConversion(
                order_ref=order_ref,
                client_id=str(buyer.pk),
                payment_details_id=host.payment_details_id(buyer),
            ),
            origin_brand_id=None,
            referral_cookie=None,
            now=now,
        )
        same = replace(placed, order_ref=order_ref, invoice_ref=converted.invoice_ref)

        with nothing_written():
            order_placed(same, referral_cookie=cookie, now=now)

    @pytest.mark.parametrize(
        "change",
        [
            {"invoice_ref": "in_2"},
            {"order_ref": "subscription-2"},
            {"client_id": "rival"},
        ],
    )
    def test_an_order_known_otherwise_is_refused(
        self, change, placed, rival, cookie, now
    ):
        order_placed(placed, referral_cookie=cookie, now=now)
        if "client_id" in change:
            change = {"client_id": str(rival.user_id)}

        with nothing_written(), pytest.raises(StateConflict) as refusal:
            order_placed(replace(placed, **change), referral_cookie=cookie, now=now)

        assert refusal.value.code == "order_placed_otherwise"

    @pytest.mark.parametrize("field", ["order_ref", "invoice_ref"])
    def test_a_long_reference_is_refused(self, field, placed, cookie, now):
        too_long = replace(placed, **{field: "x" * 65})

        with nothing_written(), pytest.raises(InvalidInput) as refusal:
            order_placed(too_long, referral_cookie=cookie, now=now)

        assert refusal.value.code == "too_long"

    def test_the_host_learns_how_the_cookie_was_read(self, placed, cookie, now):
        first = order_placed(placed, referral_cookie=cookie, now=now)
        repeated = order_placed(placed, referral_cookie=cookie[:-1], now=now)

        assert first == EventResult(cookie=CookieUse.USABLE)
        assert repeated == EventResult(cookie=CookieUse.UNUSABLE)


def unknown_client(brand: Any) -> dict[str, Any]:
    return {"client_id": str(uuid4())}


def no_id_at_all(brand: Any) -> dict[str, Any]:
    return {"client_id": "Ada Lovelace"}


def another_brand(brand: Any) -> dict[str, Any]:
    return {"brand_id": BrandFactory(client_area="other.example.com").pk}


def no_brand(brand: Any) -> dict[str, Any]:
    return {"brand_id": 0}


def inactive_brand(brand: Any) -> dict[str, Any]:
    brand.is_active = False
    brand.save(update_fields=["is_active"])
    return {}


@pytest.mark.parametrize(
    ("change", "expected", "code"),
    [
        (unknown_client, NotFound, "client_not_found"),
        (no_id_at_all, NotFound, "client_not_found"),
        (another_brand, NotAllowed, "client_of_another_brand"),
        (no_brand, NotAllowed, "client_of_another_brand"),
        (inactive_brand, NotFound, "not_found"),
    ],
)
@pytest.mark.parametrize("name", ["registered", "placed"])
def test_who_is_not_the_brands_client_is_refused(
    name, change, expected, code, registered, placed, brand, cookie, now
):
    changed = change(brand)

    tell, event = {
        "registered": (client_registered, registered),
        "placed": (order_placed, placed),
    }[name]

    with nothing_written(), pytest.raises(AffiliatesError) as refusal:
        tell(replace(event, **changed), referral_cookie=cookie, now=now)

    assert (type(refusal.value), refusal.value.code) == (expected, code)


@pytest.fixture
def events(placed, paid, cookie, now) -> dict[str, Callable[[datetime], object]]:
    """What a payment provider tells of one subscription, in the order it happened."""
    renewed = replace(
        paid,
        invoice_ref="in_2",
        payment_ref="pi_2",
        renewal_number=1,
        paid_at=now + 30 * DAY,
    )
    refund = RefundedInvoice(
        brand_id=paid.brand_id,
        invoice_ref="in_1",
        refund_ref="re_1",
        gross=Money("59.50", "EUR"),
        refunded_at=now + 2 * DAY,
    )
    return {
        "placed": lambda at: order_placed(placed, referral_cookie=cookie, now=at),
        "paid": lambda at: invoice_paid(paid, now=at),
        "renewed": lambda at: invoice_paid(renewed, now=at),
        "refunded": lambda at: invoice_refunded(refund, now=at),
    }


def outcome() -> dict[str, Any]:
    return {
        "referral": list(
            OrderReferral.objects.values_list("affiliate", "converted_at", "decision")
        ),
        "sales": list(
            Sale.objects.order_by("invoice_ref").values_list("invoice_ref", "net")
        ),
        "reversals": [one.net for one in SaleReversal.objects.all()],
        "balances": list(
            AccountBalance.objects.order_by("account").values_list("account", "amount")
        ),
        "commissions": [
            (one.sale.invoice_ref, one.status, one.amount)
            for one in Commission.objects.order_by("sale__invoice_ref")
        ],
    }


@settings(
    max_examples=times(6, long=300),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_events_in_any_order_and_number_end_alike(data, plan, events, now):
    again = data.draw(st.lists(st.sampled_from([*events]), max_size=4))
    told = data.draw(st.permutations([*events, *again]))
    ends = []
    for order in (list(events), told):
        with transaction.atomic():
            for number, name in enumerate(order):
                events[name](now + 60 * DAY + timedelta(hours=number))
            ends.append(outcome())
            transaction.set_rollback(True)

    in_order, as_told = ends
    assert len(in_order["commissions"]) == 2
    assert as_told == in_order


def test_events_told_backwards_leave_books_that_agree(plan, events, now):
    for name in reversed(events):
        events[name](now + 60 * DAY)

    assert Commission.objects.count() == 2
    assert everything_found() == []


@needs_postgresql
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_one_client_is_bound_once(self, registered, affiliate, rival, now):
        cookies = [cookie_of(click_of(one, now - DAY)) for one in (affiliate, rival)]

        at_once(
            20,
            lambda number: client_registered(
                registered, referral_cookie=cookies[number % 2], now=now
            ),
        )

        assert ClientReferral.objects.count() == 1

    def test_one_order_is_decided_once_and_earns_once(
        self, plan, placed, events, affiliate, rival, now
    ):
        cookies = [cookie_of(click_of(one, now - DAY)) for one in (affiliate, rival)]
        acts = [
            lambda: order_placed(placed, referral_cookie=cookies[0], now=now),
            lambda: order_placed(placed, referral_cookie=cookies[1], now=now),
            lambda: events["paid"](now),
            lambda: events["refunded"](now),
        ]

        at_once(20, lambda number: acts[number % 4]())

        referral = OrderReferral.objects.get()
        sale = Sale.objects.get()
        assert sale.affiliate == referral.affiliate
        assert [one.net for one in sale.reversals.all()] == [Money("-50.00", "EUR")]

    def test_one_invoice_is_of_one_order(self, placed, now):
        def place(number: int) -> str:
            other = replace(placed, order_ref=f"subscription-{number}")
            try:
                order_placed(other, referral_cookie=None, now=now)
            except StateConflict as refusal:
                return refusal.code
            return ""

        codes = at_once(10, place)

        assert sorted(codes) == ["", *["order_placed_otherwise"] * 9]
        assert OrderReferral.objects.count() == 1

    def test_a_conversion_of_it_is_decided_once_too(
        self, early_invoices, placed, host, buyer, now
    ):
        order_ref = host.order(buyer)
        conversion = OrderConversion(
            order_ref=order_ref,
            client_id=str(buyer.pk),
            payment_details_id=host.payment_details_id(buyer),
        )
        told = replace(placed, order_ref=order_ref, invoice_ref=f"invoice-{order_ref}")

        def act(number: int) -> None:
            if number % 2:
                order_placed(told, referral_cookie=None, now=now)
            else:
                convert_order(
                    conversion=conversion,
                    origin_brand_id=None,
                    referral_cookie=None,
                    now=now,
                )

        at_once(20, act)

        assert OrderReferral.objects.get().order_ref == order_ref
