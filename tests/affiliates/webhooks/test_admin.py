"""Webhooks in Django admin: added, tested, given a new secret; secrets shown once."""

from __future__ import annotations

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone

from affiliates.outbox.active import active_webhooks
from affiliates.outbox.http.client import Transport
from affiliates.outbox.http.types import CallFailed, FailureKind
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.webhooks.announce import announce
from affiliates.webhooks.models import Webhook
from tests.affiliates.outbox.outbox import Clock, deliver
from tests.affiliates.tracking.test_admin import told
from tests.affiliates.webhooks.receiver import Receiver, answer, fact, verified
from tests.factories.integrations import (
    WEBHOOK_SECRET,
    DeliveryFactory,
    TrackingIntegrationFactory,
    WebhookFactory,
)

pytestmark = pytest.mark.django_db

ADD = "admin:affiliates_webhook_add"
CHANGE = "admin:affiliates_webhook_change"
LIST = "admin:affiliates_webhook_changelist"
PING = "admin:affiliates_webhook_ping"
NEW_SECRET = "admin:affiliates_webhook_new_secret"
SHOWN_SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")


def posted(brand, **fields) -> dict[str, object]:
    return {
        "brand": str(brand.pk),
        "is_active": "on",
        "address": "https://hooks.example.com/affiliates",
        "kinds": ["sale.recorded", "payout.changed"],
        "requests_per_second": "5",
        "sale_max_age_days": "7",
        **fields,
    }


@pytest.fixture
def receiver(monkeypatch) -> Receiver:
    one = Receiver()
    monkeypatch.setattr(Transport, "send", lambda transport, call: one.send(call))
    return one


def test_webhook_is_added_and_its_secret_shown_this_once(admin_client, brand):
    page = admin_client.post(reverse(ADD), posted(brand))

    webhook = Webhook.objects.get()
    [secret] = SHOWN_SECRET.findall(page.content.decode())
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    assert CREDENTIALS.open(webhook.secrets) == {"secret": secret}
    assert (webhook.provider, webhook.brand, webhook.is_active) == (
        "webhook",
        brand,
        True,
    )
    assert webhook.config == {"kinds": ["sale.recorded", "payout.changed"]}
    assert told(page) == []
    assert secret not in page.client.cookies.output()
    for name, args in [(CHANGE, [webhook.pk]), (LIST, [])]:
        shown = admin_client.get(reverse(name, args=args)).content.decode()
        assert not SHOWN_SECRET.search(shown)
        assert webhook.secrets not in shown


def test_every_process_knows_a_new_webhook(admin_client, brand):
    before = active_webhooks(brand.pk)

    admin_client.post(reverse(ADD), posted(brand, kinds=[]))

    [webhook] = active_webhooks(brand.pk)
    assert before == ()
    assert webhook.kinds == frozenset()


@pytest.mark.parametrize(
    ("address", "advice"),
    [
        ("http://hooks.example.com", "https"),
        ("https://127.0.0.1/hooks", "not give an IP address"),
        ("https://localhost/hooks", "inside one network only"),
        ("https://169.254.169.254/", "not give an IP address"),
        ("https://user:pw@hooks.example.com", "user"),
        ("https://hooks.example.com/?token=1", "before any ? or #"),
    ],
)
def test_unfit_address_is_refused_and_nothing_is_saved(
    address, advice, admin_client, brand
):
    page = admin_client.post(reverse(ADD), posted(brand, address=address))

    [error] = page.context["adminform"].form.errors["address"]
    assert advice in error
    assert TrackingIntegration.objects.count() == 0


def test_event_that_is_none_is_refused(admin_client, brand):
    page = admin_client.post(reverse(ADD), posted(brand, kinds=["sale.imagined"]))

    assert list(page.context["adminform"].form.errors) == ["kinds"]
    assert TrackingIntegration.objects.count() == 0


def test_changes_keep_the_secret_and_hurry_what_failed(admin_client, brand):
    webhook = WebhookFactory(brand=brand)
    clock = Clock(timezone.now())
    announce([fact(brand)], now=clock.at)
    deliver(Receiver(answer(404)), clock)

    page = admin_client.post(
        reverse(CHANGE, args=[webhook.pk]),
        posted(brand, address="https://hooks.example.com/moved", kinds=[]),
    )

    assert told(page)[0] == "1 events are sent again now."
    after = Webhook.objects.get()
    assert after.address == "https://hooks.example.com/moved"
    assert CREDENTIALS.open(after.secrets) == {"secret": WEBHOOK_SECRET}


def test_ping_is_sent_when_it_is_confirmed(admin_client, brand, receiver):
    webhook = WebhookFactory(brand=brand)
    page = reverse(PING, args=[webhook.pk])

    asked = admin_client.get(page).content.decode()
    untouched = len(receiver.calls)
    good = admin_client.post(page)
    receiver.answers = [answer(503)]
    bad = admin_client.post(page)
    receiver.answers = [CallFailed(FailureKind.FORBIDDEN, "It leads inside.")]
    forbidden = admin_client.post(page)

    assert f"{webhook.address} is sent an event" in asked
    assert untouched == 0
    assert verified(receiver.calls[0])["type"] == "ping"
    assert told(good) == ["The receiver accepted the ping."]
    assert told(bad)[-1] == "The receiver answered with status 503."
    assert told(forbidden)[-1] == "It leads inside."
    assert Delivery.objects.count() == 0


def test_new_secret_is_made_when_it_is_confirmed(admin_client, brand):
    webhook = WebhookFactory(brand=brand)
    page = reverse(NEW_SECRET, args=[webhook.pk])

    admin_client.get(page)
    untouched = CREDENTIALS.open(Webhook.objects.get().secrets)
    shown = admin_client.post(page)

    [secret] = SHOWN_SECRET.findall(shown.content.decode())
    assert untouched == {"secret": WEBHOOK_SECRET}
    assert CREDENTIALS.open(Webhook.objects.get().secrets) == {
        "secret": secret,
        "previous": WEBHOOK_SECRET,
    }
    assert LogEntry.objects.get().change_message == "Made a new secret."
    state = admin_client.get(reverse(CHANGE, args=[webhook.pk])).content.decode()
    assert "Signs too until" in state
    assert secret not in state


def test_webhooks_and_trackers_have_pages_of_their_own(admin_client, brand):
    webhook = WebhookFactory(brand=brand)
    tracker = TrackingIntegrationFactory(brand=brand)
    pages = "admin:affiliates_trackingintegration_"

    trackers = admin_client.get(reverse(f"{pages}changelist")).content.decode()
    choice = admin_client.get(reverse(f"{pages}add")).content.decode()
    forced = admin_client.get(f"{reverse(f'{pages}add')}?provider=webhook")
    of_webhook = admin_client.get(reverse(f"{pages}change", args=[webhook.pk]))
    of_tracker = admin_client.get(reverse(CHANGE, args=[tracker.pk]))
    of_brand = admin_client.get(
        reverse("admin:affiliates_brand_change", args=[brand.pk])
    ).content.decode()

    assert "hooks.example.com" not in trackers
    assert "?provider=webhook" not in choice
    assert "Which tracking provider?" in forced.content.decode()
    assert (of_webhook.status_code, of_tracker.status_code) == (302, 302)
    assert "hooks.example.com" in of_brand


def test_webhook_is_never_deleted(admin_client, brand):
    webhook = WebhookFactory(brand=brand)

    page = admin_client.post(
        reverse("admin:affiliates_webhook_delete", args=[webhook.pk]), {"post": "yes"}
    )

    assert page.status_code == 403
    assert Webhook.objects.get() == webhook


def test_delivered_event_is_sent_again_from_its_page(admin_client, brand):
    webhook = WebhookFactory(brand=brand)
    event = DeliveryFactory(
        integration=webhook, operation="event", state="sent", payload={"data": {}}
    )
    sale = DeliveryFactory(
        integration=TrackingIntegrationFactory(brand=brand),
        operation="sale",
        state="sent",
    )
    again = "admin:affiliates_delivery_send_again"

    of_event = admin_client.post(reverse(again, args=[event.pk]))
    of_sale = admin_client.post(reverse(again, args=[sale.pk]))

    event.refresh_from_db()
    sale.refresh_from_db()
    assert told(of_event) == ["Queued to be sent again."]
    assert told(of_sale)[-1] == "Nothing was changed. Its state: Sent."
    assert (event.state, sale.state) == ("retry", "sent")


def test_delivered_events_of_a_time_range_are_sent_again(admin_client, brand):
    webhook = WebhookFactory(brand=brand)
    DeliveryFactory(
        integration=webhook,
        operation="event",
        state="sent",
        payload={"data": {}},
        created_at=timezone.now(),
    )
    day = timezone.localdate().isoformat()

    page = admin_client.post(
        f"{reverse('admin:affiliates_delivery_replay')}?integration={webhook.pk}"
        f"&states=sent&first_day={day}&last_day={day}"
    )

    assert told(page) == ["1 deliveries are sent again."]


@pytest.mark.parametrize("name", [ADD, LIST])
def test_pages_are_for_staff_with_the_permission(name, client):
    page = client.get(reverse(name))

    assert page.status_code == 302
    assert "/admin/login/" in page.url
