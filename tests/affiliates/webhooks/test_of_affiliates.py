"""An affiliate's own webhook: told of its own alone, and in nobody's way."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from affiliates.commissions.models import Commission
from affiliates.commissions.services.staff import reject
from affiliates.contrib.desk.queues import QUEUES
from affiliates.emails.alerts import notify_of_integrations
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.rules import is_lasting
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from affiliates.program.webhooks import rotate_webhook_secret, send_test, set_webhook
from affiliates.webhooks.announce import OWN_DATA, FactKind, announce
from affiliates.webhooks.models import Webhook
from affiliates.webhooks.services import forget_webhook_of
from tests.affiliates.api.calls import SHOP, register, visit
from tests.affiliates.outbox.outbox import NO_ANSWER, OK, Clock, Wire, deliver, state_of
from tests.affiliates.outbox.test_worker import Running, wait_for
from tests.affiliates.till import PAID_AT
from tests.affiliates.webhooks.receiver import Receiver, fact, verified
from tests.affiliates.webhooks.test_documented import EXAMPLES
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.integrations import WebhookFactory
from tests.guard.markers import marker
from tests.races import needs_postgresql

pytestmark = pytest.mark.django_db

ADDRESS = f"https://hooks.example.com/{marker('affiliate', 'hook')}"
# All that one may be told: whatever else an event brings stays with the brand.
TOLD = {
    "client.referred": {
        "referral_id": 5,
        "registered_at": "2026-03-01T12:00:00+00:00",
    },
    "referral.recorded": {
        "order_ref": "order-1",
        "outcome": "credited",
        "converted_at": "2026-03-01T12:00:00+00:00",
    },
    "commission.changed": {
        "commission_id": 17,
        "order_ref": "order-1",
        "status": "pending",
        "amount": "10.00",
        "left": "10.00",
        "currency": "EUR",
    },
    "payout.changed": {
        "payout_id": 3,
        "status": "requested",
        "before": "",
        "amount": "100.00",
        "currency": "EUR",
    },
}


@pytest.fixture
def clock() -> Clock:
    """The verifying library knows no other time than the present."""
    return Clock(timezone.now())


@pytest.fixture
def own(brand, affiliate) -> Webhook:
    return WebhookFactory(brand=brand, affiliate=affiliate)


def own_fact(affiliate, kind=FactKind.COMMISSION_CHANGED, number=1, **more):
    return fact(
        affiliate.brand,
        kind,
        affiliate_id=affiliate.pk,
        subject=f"commission:{number}",
        key=f"{number}",
        data={**EXAMPLES[kind]["data"], **more},
    )


def put(affiliate: Affiliate, address: str = ADDRESS, **fields):
    given = {"kinds": [], "is_active": True, "now": timezone.now(), **fields}
    return set_webhook(affiliate_id=affiliate.pk, address=address, **given)


def test_it_is_told_of_its_own_and_what_is_listed_alone(brand, affiliate, rival, host):
    brands = WebhookFactory(brand=brand)
    own = WebhookFactory(brand=brand, affiliate=affiliate)
    WebhookFactory(brand=brand, affiliate=rival)
    other = BrandFactory(client_area="other.example.com")
    abroad = AffiliateFactory(brand=other, user=host.client(other, email="a@b.example"))
    WebhookFactory(brand=other, affiliate=abroad)

    announce(
        [own_fact(affiliate, kind, note="A new key") for kind in FactKind],
        now=timezone.now(),
    )

    told = Delivery.objects.filter(integration=own)
    assert {one.payload["type"]: one.payload["data"] for one in told} == TOLD
    assert OWN_DATA.keys() == TOLD.keys()
    others = Delivery.objects.exclude(integration=own)
    assert {one.integration_id for one in others} == {brands.pk}


def test_what_a_sale_brings_names_no_client_reason_or_invoice(
    plan, order, till, own, rival
):
    WebhookFactory(brand=own.brand, affiliate=rival)

    till.pay()
    till.refund("40.00")

    told = Delivery.objects.order_by("pk")
    assert {one.integration_id for one in told} == {own.pk}
    assert [one.payload["data"] for one in told] == [
        {
            "commission_id": told[0].payload["data"]["commission_id"],
            "order_ref": "order-1",
            "status": "pending",
            "amount": "10.00",
            "left": left,
            "currency": "EUR",
        }
        for left in ("10.00", "6.00")
    ]


def test_of_a_rejected_commission_nothing_is_left(plan, order, till, own, staff):
    till.pay()
    reject(
        commission_ids=[Commission.objects.get().pk],
        actor_id=staff.pk,
        reason=marker("staff", "decision"),
        now=PAID_AT,
    )

    told = Delivery.objects.latest("pk").payload["data"]
    assert (told["status"], told["left"]) == ("rejected", "0.00")


def test_a_client_who_registers_is_told_once_and_not_named(api, link, own):
    cookie = visit(api, f"{SHOP}/?ref={link.hash}").json()["data"]["referral_cookie"]
    register(api, referral_cookie=cookie)

    [told] = Delivery.objects.filter(visitor_ref__startswith="client:")
    assert told.payload["type"] == "client.referred"
    assert set(told.payload["data"]) == {"referral_id", "registered_at"}


def test_kinds_are_chosen_and_a_suspended_affiliate_is_told_nothing(affiliate, own):
    own.config = {"kinds": ["payout.changed"]}
    own.save()
    announce([own_fact(affiliate)], now=timezone.now())
    own.config = {}
    own.save()
    Affiliate.objects.filter(pk=affiliate.pk).update(status=AffiliateStatus.SUSPENDED)
    affiliate.refresh_from_db()
    affiliate.save()

    announce([own_fact(affiliate)], now=timezone.now())

    assert Delivery.objects.count() == 0


def test_suspension_ends_it_and_what_waits(affiliate, own, clock):
    announce([own_fact(affiliate)], now=clock.at)

    change_status(
        Affiliate.objects.filter(pk=affiliate.pk), status=AffiliateStatus.SUSPENDED
    )
    receiver = Receiver()
    deliver(receiver, clock)
    change_status(
        Affiliate.objects.filter(pk=affiliate.pk), status=AffiliateStatus.ACTIVE
    )

    own.refresh_from_db()
    assert (own.is_active, own.end) == (False, "suspended")
    assert Delivery.objects.get().state == "given_up"
    assert receiver.calls == []
    put(affiliate)
    own.refresh_from_db()
    assert (own.is_active, own.end) == (True, "")


def test_calls_are_spread_over_the_hour_and_the_brands_go_first(
    brand, affiliate, own, clock, settings
):
    settings.AFFILIATES_OWN_WEBHOOK_CALLS_PER_HOUR = 600
    WebhookFactory(brand=brand, address="https://brand.example.com/hooks")
    facts = [own_fact(affiliate, number=number) for number in range(3)]
    announce(facts, now=clock.at)
    receiver = Receiver()

    made = []
    for _ in range(4):
        deliver(receiver, clock)
        made.append(len(receiver.calls))
        clock.pass_by(seconds=5)

    # Three of the brand's at once; of the affiliate's one in each six seconds.
    assert [call.url.split("/")[2] for call in receiver.calls[:4]] == [
        *["brand.example.com"] * 3,
        "hooks.example.com",
    ]
    assert made == [4, 4, 5, 5]


@each(
    ("failing", "lasting"),
    [
        (None, False),
        (timedelta(0), False),
        (timedelta(days=2, hours=23), False),
        (timedelta(days=3), True),
        (timedelta(days=30), True),
    ],
)
def test_lasting_failure_is_of_three_days(failing, lasting):
    now = timezone.now()

    said = is_lasting(failing_since=None if failing is None else now - failing, now=now)

    assert said is lasting


def test_dead_receiver_is_switched_off_though_it_took_a_later_event(
    affiliate, own, clock
):
    """The event that fails is older than the last one that was accepted."""
    announce([own_fact(affiliate, number=1)], now=clock.at)
    deliver(Receiver(NO_ANSWER), clock)
    clock.pass_by(seconds=10)
    announce([own_fact(affiliate, number=2)], now=clock.at)
    deliver(Receiver(), clock)
    assert Delivery.objects.filter(state="sent").count() == 1

    fail_for(timedelta(days=2, hours=20), clock)
    own.refresh_from_db()
    assert own.is_active
    fail_for(timedelta(hours=16), clock)

    own.refresh_from_db()
    assert (own.is_active, own.end) == (False, "failing")


@pytest.mark.parametrize("tried_before", [False, True])
def test_one_failure_after_days_without_a_worker_ends_nothing(
    affiliate, own, clock, tried_before
):
    announce([own_fact(affiliate)], now=clock.at)
    if tried_before:
        deliver(Receiver(NO_ANSWER), clock)
    clock.pass_by(days=4)

    deliver(Receiver(NO_ANSWER), clock)

    own.refresh_from_db()
    assert (own.is_active, own.end) == (True, "")
    assert IntegrationHealth.of_all.get().failing_since == clock.at


@pytest.mark.parametrize("removed", [False, True])
def test_saving_it_begins_the_three_days_anew(affiliate, clock, removed):
    webhook, _secret = put(affiliate)
    announce([own_fact(affiliate)], now=clock.at)
    fail_for(timedelta(days=2, hours=20), clock)

    if removed:
        forget_webhook_of(affiliate.pk)
    put(affiliate, now=clock.at)

    assert IntegrationHealth.of_all.get().failing_since is None
    fail_for(timedelta(hours=16), clock)
    webhook.refresh_from_db()
    assert webhook.is_active


def fail_for(time: timedelta, clock: Clock) -> None:
    """Call it whenever something is due: nothing is accepted."""
    until = clock.at + time
    while clock.at < until:
        deliver(Receiver(NO_ANSWER), clock)
        IntegrationHealth.of_all.update(paused_until=None)
        clock.pass_by(hours=1)


def test_lasting_failure_switches_it_off_and_tells_no_staff(
    brand, affiliate, own, clock
):
    brands = WebhookFactory(brand=brand, address="https://brand.example.com/hooks")
    announce([own_fact(affiliate)], now=clock.at)
    until = clock.at + timedelta(days=3, hours=15)

    while clock.at < until:
        deliver(Receiver(NO_ANSWER), clock)
        IntegrationHealth.of_all.update(paused_until=None)
        clock.pass_by(hours=3)
        if clock.at < until - timedelta(hours=16):
            own.refresh_from_db()
            assert own.is_active
    deliver(Receiver(NO_ANSWER), clock)

    own.refresh_from_db()
    brands.refresh_from_db()
    assert (own.is_active, own.end) == (False, "failing")
    assert brands.is_active
    assert set(Delivery.objects.values_list("integration", "state")) == {
        (own.pk, "given_up"),
        (brands.pk, "retry"),
    }
    waiting = {one.name: one.select().count() for one in QUEUES}
    assert waiting["deliveries"] == 0
    Webhook.objects.filter(pk=own.pk).update(is_active=True)
    IntegrationHealth.of_all.update(paused_until=clock.at)
    assert notify_of_integrations(now=clock.at + timedelta(days=1)) == 1


def test_test_is_an_event_signed_by_the_secret_that_was_shown(affiliate, clock):
    webhook, secret = put(affiliate)
    send_test(affiliate_id=affiliate.pk, now=clock.at)
    with nothing_written(), pytest.raises(StateConflict, match="still on its way"):
        send_test(affiliate_id=affiliate.pk, now=clock.at)
    receiver = Receiver()

    deliver(receiver, clock)

    [call] = receiver.calls
    assert call.url == ADDRESS
    assert verified(call, secret)["type"] == "ping"
    assert Delivery.objects.get(integration=webhook).state == "sent"
    assert secret not in str(Webhook.objects.values())


def test_new_secret_signs_beside_the_old_one(affiliate, own, clock):
    secret = rotate_webhook_secret(affiliate_id=affiliate.pk, now=clock.at)
    announce([own_fact(affiliate)], now=clock.at)
    receiver = Receiver()

    deliver(receiver, clock)

    [call] = receiver.calls
    assert verified(call, secret) == verified(call)


@each(
    "address",
    [
        "",
        "hooks.example.com",
        "http://hooks.example.com",
        "https://10.0.0.1/",
        "https://metadata.google.internal/",
        "https://localhost/",
        "https://ann:pass@hooks.example.com/",
        "https://hooks.example.com:8080/",
        "https://hooks.example.com/?token=1",
        f"https://hooks.example.com/{'a' * 255}",
    ],
)
def test_address_that_may_not_be_called_is_refused(affiliate, address):
    with nothing_written(), pytest.raises(InvalidInput) as refused:
        put(affiliate, address)

    assert refused.value.field == "address"


def test_each_has_one_and_forgets_it(affiliate, rival, clock):
    first, secret = put(affiliate)
    second, again = put(affiliate, "https://hooks.example.com/other")
    assert (first.pk, again) == (second.pk, "")
    announce([own_fact(affiliate)], now=clock.at)

    forget_webhook_of(affiliate.pk)
    forget_webhook_of(rival.pk)
    receiver = Receiver()
    deliver(receiver, clock)

    row = Webhook.objects.get()
    assert (row.address, row.secrets, row.is_active) == ("", "", False)
    assert receiver.calls == []
    with nothing_written(), pytest.raises(NotFound):
        rotate_webhook_secret(affiliate_id=affiliate.pk, now=clock.at)
    _, anew = put(affiliate)
    assert anew not in ("", secret)


def test_staff_see_them_apart_and_may_switch_one_off(admin_client, brand, own):
    WebhookFactory(brand=brand, address="https://brand.example.com/hooks")
    announce([own_fact(own.affiliate)], now=timezone.now())
    listed = admin_client.get(reverse("admin:affiliates_webhook_changelist")).text
    apart = admin_client.get(
        reverse("admin:affiliates_affiliatewebhook_changelist")
    ).text
    sent = admin_client.get(reverse("admin:affiliates_delivery_changelist")).text
    taken = reverse("admin:affiliates_webhook_new_secret", args=[own.pk])
    path = reverse("admin:affiliates_affiliatewebhook_switch_off", args=[own.pk])

    with nothing_written():
        assert admin_client.post(taken, {"confirmed": "yes"}).status_code == 404
        shown = admin_client.get(
            reverse("admin:affiliates_affiliatewebhook_change", args=[own.pk])
        )
    admin_client.post(path, {"confirmed": "yes"})

    own.refresh_from_db()
    assert (own.is_active, own.end) == (False, "staff")
    assert ("brand.example.com" in listed, "hooks.example.com" in listed) == (
        True,
        False,
    )
    assert ("brand.example.com" in apart, "hooks.example.com" in apart) == (False, True)
    assert "to brand.example.com" in sent
    assert "hooks.example.com" not in sent
    assert own.affiliate.code in shown.text


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_slow_receiver_of_an_affiliate_holds_up_nothing_of_the_brand(brand, affiliate):
    own = WebhookFactory(brand=brand, affiliate=affiliate)
    WebhookFactory(brand=brand, address="https://brand.example.com/hooks")
    answered = threading.Event()
    wire = Wire(OK)
    wire.on_call = lambda url: answered.wait(60) if url == own.address else None

    with Running(wire, threads=1) as running:
        announce([own_fact(affiliate)], now=running.worker._now())
        quick = Delivery.objects.exclude(integration=own).get()
        wait_for(lambda: state_of(quick) == ("sent", 1))
        slow = Delivery.objects.get(integration=own)
        # Its own threads may take it up later.
        wait_for(lambda: state_of(slow) == ("sending", 1))
        answered.set()
