"""Integrations and deliveries in Django admin."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools import confirmation
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.secrets import CREDENTIALS
from tests.database import nothing_written
from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory
from tests.simulator import trusted_simulator

pytestmark = pytest.mark.django_db

ADD = "admin:affiliates_trackingintegration_add"
CHANGE = "admin:affiliates_trackingintegration_change"
TEST = "admin:affiliates_trackingintegration_test_connection"
DELIVERIES = "admin:affiliates_delivery_changelist"
DELIVERY = "admin:affiliates_delivery_change"
REPLAY = "admin:affiliates_delivery_replay"
PASSWORD = "a-password-nobody-sees"


def posted(brand, **fields: str) -> dict[str, str]:
    return {
        "brand": str(brand.pk),
        "is_active": "on",
        "address": "https://tracker.example.com/affiliate/scripts/track.php",
        "parameters": "a_aid, aid",
        "ambiguous_sales": "look_up",
        "requests_per_second": "5",
        "click_max_age_days": "7",
        "sale_max_age_days": "30",
        "username": "merchant@example.com",
        "password": PASSWORD,
        **fields,
    }


def told(answer) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]


def test_provider_is_chosen_before_its_form(admin_client):
    page = admin_client.get(reverse(ADD)).content.decode()

    assert "?provider=pap" in page
    assert "?provider=postback" in page
    assert 'name="address"' not in page


def test_integration_is_saved_as_its_provider_wants_it(admin_client, brand):
    answer = admin_client.post(f"{reverse(ADD)}?provider=pap", posted(brand))

    assert answer.status_code == 302
    integration = TrackingIntegration.objects.get()
    assert integration.provider == "pap"
    assert integration.address == "https://tracker.example.com/affiliate"
    assert integration.parameters == "a_aid, aid"
    assert integration.config["username"] == "merchant@example.com"
    assert "password" not in integration.config
    assert PASSWORD not in integration.secrets
    assert CREDENTIALS.open(integration.secrets) == {"password": PASSWORD}


@pytest.mark.parametrize(
    ("address", "advice"),
    [
        ("http://tracker.example.com", "https"),
        ("https://127.0.0.1/pap", "not give an IP address"),
        ("https://localhost/pap", "inside one network"),
        ("https://user:pw@tracker.example.com", "user"),
        ("tracker", "Enter the full address"),
    ],
)
def test_unfit_address_is_refused_and_nothing_is_saved(
    address, advice, admin_client, brand
):
    form = posted(brand, address=address)

    answer = admin_client.post(f"{reverse(ADD)}?provider=pap", form)

    assert answer.status_code == 200
    [error] = answer.context["adminform"].form.errors["address"]
    assert advice in error
    assert PASSWORD not in answer.content.decode()
    assert TrackingIntegration.objects.count() == 0


def test_fault_found_by_the_provider_stands_at_its_field(admin_client, brand):
    form = posted(brand, account_id="too long an account")

    answer = admin_client.post(f"{reverse(ADD)}?provider=pap", form)

    assert list(answer.context["adminform"].form.errors) == ["account_id"]
    assert TrackingIntegration.objects.count() == 0


def test_stored_secret_is_never_shown_and_kept_when_left_empty(admin_client, brand):
    admin_client.post(f"{reverse(ADD)}?provider=pap", posted(brand))
    page = reverse(CHANGE, args=[TrackingIntegration.objects.get().pk])

    shown = admin_client.get(page).content.decode()
    answer = admin_client.post(page, posted(brand, password="", account_id="default1"))

    assert PASSWORD not in shown
    assert "Stored, and shown to nobody" in shown
    assert answer.status_code == 302
    integration = TrackingIntegration.objects.get()
    assert integration.config["account_id"] == "default1"
    assert CREDENTIALS.open(integration.secrets) == {"password": PASSWORD}


@pytest.mark.parametrize(
    "address", ["https://thief.example.net", "https://tracker.example.com:8443"]
)
def test_stored_secret_is_not_sent_to_another_host(address, admin_client, brand):
    admin_client.post(f"{reverse(ADD)}?provider=pap", posted(brand))
    page = reverse(CHANGE, args=[TrackingIntegration.objects.get().pk])

    with nothing_written():
        kept = admin_client.post(page, posted(brand, password="", address=address))
    anew = admin_client.post(page, posted(brand, password="new", address=address))

    assert kept.context["adminform"].form.errors == {
        "password": [
            "Enter it again: what is stored goes to the host it was entered for alone."
        ]
    }
    assert anew.status_code == 302
    integration = TrackingIntegration.objects.get()
    assert integration.address == address
    assert CREDENTIALS.open(integration.secrets) == {"password": "new"}


def test_stored_secret_is_kept_at_another_path_of_its_host(admin_client, brand):
    admin_client.post(f"{reverse(ADD)}?provider=pap", posted(brand))
    page = reverse(CHANGE, args=[TrackingIntegration.objects.get().pk])
    address = "https://tracker.example.com/moved"

    answer = admin_client.post(page, posted(brand, password="", address=address))

    assert answer.status_code == 302
    integration = TrackingIntegration.objects.get()
    assert integration.address == address
    assert CREDENTIALS.open(integration.secrets) == {"password": PASSWORD}


def test_saved_settings_resume_what_waits_for_them(admin_client, brand):
    admin_client.post(f"{reverse(ADD)}?provider=pap", posted(brand))
    integration = TrackingIntegration.objects.get()
    later = timezone.now() + timedelta(hours=6)
    DeliveryFactory(
        integration=integration, state="retry", outcome="config", next_at=later
    )

    answer = admin_client.post(
        reverse(CHANGE, args=[integration.pk]), posted(brand, password="")
    )

    assert "1 deliveries are tried again with these settings." in told(answer)
    assert Delivery.objects.get().next_at < later


def test_integration_of_an_app_that_is_gone_is_only_viewed(admin_client, brand):
    integration = TrackingIntegrationFactory(brand=brand, provider="gone")

    page = admin_client.get(reverse(CHANGE, args=[integration.pk])).text

    assert "gone (unknown here)" in page
    assert 'name="address"' not in page


def test_connection_is_tested_with_the_stored_settings(admin_client, brand, settings):
    with trusted_simulator(settings) as tracker:
        integration = TrackingIntegrationFactory(brand=brand, address=tracker.address)

        asked = admin_client.get(reverse(TEST, args=[integration.pk]))
        untouched = len(tracker.state.log)
        good = admin_client.post(reverse(TEST, args=[integration.pk]))
        tracker.fault(html_page=True)
        bad = admin_client.post(reverse(TEST, args=[integration.pk]))

        assert tracker.state.clicks == []
    assert "Nothing is tracked there." in asked.content.decode()
    assert untouched == 0
    assert good.status_code == bad.status_code == 302
    [verdict] = told(good)
    assert "works" in verdict.lower() or "accept" in verdict.lower()
    assert told(bad) != told(good)
    assert "<h1>" not in str(told(bad))


def test_brand_page_shows_backlog_and_health(admin_client, brand):
    integration = TrackingIntegrationFactory(brand=brand)
    DeliveryFactory.create_batch(
        3, integration=integration, created_at=timezone.now() - timedelta(hours=2)
    )

    page = admin_client.get(reverse("admin:affiliates_brand_change", args=[brand.pk]))

    shown = page.content.decode()
    assert "3, the oldest for 2\xa0hours" in shown
    assert "Not called yet." in shown


def test_delivery_page_shows_state_reason_and_attempts(admin_client, brand):
    integration = TrackingIntegrationFactory(brand=brand)
    delivery = DeliveryFactory(
        integration=integration, state="failed", detail="The provider said no."
    )
    delivery.attempts.create(
        number=1,
        operation="click",
        started_at=timezone.now(),
        duration_ms=1234,
        status_code=422,
        outcome="rejected",
        detail="Status 422 was answered.",
    )

    shown = admin_client.get(reverse(DELIVERY, args=[delivery.pk])).content.decode()

    assert "The provider said no." in shown
    assert "Refused" in shown
    assert "1,234 ms" in shown
    assert "Status 422 was answered." in shown


def test_selected_deliveries_are_sent_again_after_a_dry_run(admin_client, brand):
    integration = TrackingIntegrationFactory(brand=brand)
    failed = DeliveryFactory(integration=integration, state="failed", detail="No.")
    done = DeliveryFactory(integration=integration, state="sent")
    chosen = {"action": "retry", "_selected_action": [failed.pk, done.pk]}

    dry = admin_client.post(reverse(DELIVERIES), chosen)
    after_dry = set(Delivery.objects.values_list("pk", "state"))
    answer = admin_client.post(reverse(DELIVERIES), {**chosen, "confirmed": "yes"})

    assert "1 delivery would be sent again" in dry.content.decode()
    assert after_dry == {(failed.pk, "failed"), (done.pk, "sent")}
    assert "1 deliveries are sent again." in told(answer)
    failed.refresh_from_db()
    assert failed.next_at is not None
    done.refresh_from_db()
    assert (done.state, done.next_at) == ("sent", None)


def test_all_that_are_found_are_those_that_were_shown(admin_client, brand):
    integration = TrackingIntegrationFactory(brand=brand)
    shown = DeliveryFactory(integration=integration, state="failed")
    chosen = {"action": "retry", "_selected_action": [shown.pk]}
    dry = admin_client.post(reverse(DELIVERIES), {**chosen, "select_across": "1"})
    unseen = DeliveryFactory(integration=integration, state="failed")

    answer = {
        "action": "retry",
        "select_across": dry.context["select_across"],
        "_selected_action": dry.context["selected"],
        "confirmed": "yes",
    }
    admin_client.post(reverse(DELIVERIES), answer)

    assert dry.context["selected"] == [shown.pk]
    shown.refresh_from_db()
    unseen.refresh_from_db()
    assert shown.next_at is not None
    assert (unseen.state, unseen.next_at) == ("failed", None)


def test_time_range_is_replayed_after_a_dry_run(admin_client, brand):
    integration = TrackingIntegrationFactory(brand=brand)
    today = timezone.now()
    inside = DeliveryFactory(
        integration=integration, state="given_up", created_at=today
    )
    DeliveryFactory(
        integration=integration, state="given_up", created_at=today - timedelta(days=3)
    )
    day = timezone.localdate().isoformat()
    chosen = (
        f"{reverse(REPLAY)}?integration={integration.pk}&states=given_up"
        f"&first_day={day}&last_day={day}"
    )

    dry = admin_client.get(chosen).content.decode()
    untouched = Delivery.objects.filter(next_at__isnull=False).count()
    answer = admin_client.post(chosen)

    assert "1 delivery would be sent again" in dry
    assert untouched == 0
    assert "1 deliveries are sent again." in told(answer)
    assert Delivery.objects.get(next_at__isnull=False) == inside


def test_many_deliveries_are_not_counted_to_the_last(admin_client, brand, monkeypatch):
    monkeypatch.setattr(confirmation, "MAX_COUNTED_ROWS", 2)
    integration = TrackingIntegrationFactory(brand=brand)
    for _ in range(3):
        DeliveryFactory(integration=integration, state="given_up")

    page = admin_client.get(
        f"{reverse(REPLAY)}?integration={integration.pk}&states=given_up"
        "&first_day=2026-03-01&last_day=2026-03-01"
    ).content.decode()

    assert "More than 2 deliveries would be sent again" in page
    assert "Send all again" in page


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        ("2026-03-01", "9999-12-31", "Choose a day before the year 9000."),
        ("0001-01-01", "2026-03-01", "Choose a day after the year 1900."),
    ],
)
def test_day_beside_which_there_is_none_is_refused(
    first, last, message, admin_client, brand
):
    integration = TrackingIntegrationFactory(brand=brand)

    answer = admin_client.get(
        f"{reverse(REPLAY)}?integration={integration.pk}&states=given_up"
        f"&first_day={first}&last_day={last}"
    )

    assert message in answer.content.decode()


def test_wrong_time_range_says_so_and_sends_nothing(admin_client, brand):
    integration = TrackingIntegrationFactory(brand=brand)
    DeliveryFactory(integration=integration, state="given_up")

    answer = admin_client.post(
        f"{reverse(REPLAY)}?integration={integration.pk}&states=given_up"
        "&first_day=2026-03-02&last_day=2026-03-01"
    )

    assert "The last day is before the first." in answer.content.decode()
    assert Delivery.objects.filter(next_at__isnull=False).count() == 0


def test_person_resolves_an_unclear_sale(admin_client, brand):
    integration = TrackingIntegrationFactory(brand=brand)
    sale = DeliveryFactory(
        integration=integration, operation="sale", state="unclear", next_at=None
    )
    page = reverse("admin:affiliates_delivery_it_arrived", args=[sale.pk])

    asked = admin_client.get(page).content.decode()
    untouched = Delivery.objects.get().state
    first = admin_client.post(page)
    again = admin_client.post(page)

    assert "Yes, it arrived" in asked
    assert untouched == "unclear"
    assert told(first) == ["Marked as delivered."]
    assert told(again)[-1] == "Nothing was changed. Its state: Sent."
    sale.refresh_from_db()
    assert sale.state == "sent"


@pytest.mark.parametrize("name", [ADD, DELIVERIES, REPLAY])
def test_pages_are_for_staff_with_the_permission(name, client):
    answer = client.get(reverse(name))

    assert answer.status_code == 302
    assert "/admin/login/" in answer.url


@pytest.mark.parametrize(
    ("state", "offered"),
    [("sent", []), ("unclear", ["it-arrived", "again"]), ("failed", ["again"])],
)
def test_nobody_is_asked_of_what_is_known(admin_client, integration, state, offered):
    delivery = DeliveryFactory(
        integration=integration, state=state, operation="sale", next_at=None
    )
    page = reverse("admin:affiliates_delivery_change", args=[delivery.pk])

    text = admin_client.get(page).content.decode()

    buttons = [page.replace("change/", f"{name}/") for name in ("it-arrived", "again")]
    assert [one for one in buttons if one in text] == [
        page.replace("change/", f"{name}/") for name in offered
    ]
