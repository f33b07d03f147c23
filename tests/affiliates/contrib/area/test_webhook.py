"""The webhook's page: set, tested, mended and removed; the secret shown once."""

from __future__ import annotations

import pytest
import time_machine

from affiliates.outbox.sending.deliver import deliver_due
from affiliates.webhooks.models import Webhook
from tests.affiliates.webhooks.receiver import Receiver, answer
from tests.database import nothing_written
from tests.factories.integrations import WebhookFactory
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
PAGE = "/affiliate/webhook"
FORM = {
    "address": f"https://hooks.example.com/{marker('affiliate', 'hook')}",
    "is_active": "on",
}


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def webhook(affiliate) -> Webhook:
    return WebhookFactory(brand=affiliate.brand, affiliate=affiliate)


def test_the_secret_is_on_one_answer_alone(browser):
    empty = browser.get(PAGE)
    made = browser.post(PAGE, {**FORM, "events": ["payout.changed"]})
    again = browser.get(PAGE)
    saved = browser.post(PAGE, FORM, follow=True)

    webhook = Webhook.objects.get()
    assert "Last deliveries" not in empty.text
    assert made.text.count("whsec_") == 1
    assert made.headers["Cache-Control"] == "private, no-store"
    assert "whsec_" not in again.text + saved.text
    assert "Nothing was sent yet." in again.text
    assert saved.redirect_chain == [(PAGE, 302)]
    assert (webhook.address, webhook.config["kinds"]) == (FORM["address"], [])


def test_the_events_are_a_group_with_a_name_and_its_hint(browser):
    page = " ".join(browser.get(PAGE).text.split())

    assert (
        '<fieldset class="field" aria-describedby="id_events_helptext"> '
        "<legend>Events:</legend>" in page
    )
    group = page[page.index("<fieldset") : page.index("</fieldset>")]
    assert '<p class="hint" id="id_events_helptext">If you choose none' in group
    # Each with a box, and none for all of them.
    assert group.count("<label for=") == group.count('type="checkbox"')
    assert "<label>" not in page


def test_what_the_guard_refuses_is_said_beside_the_field_in_german(browser):
    browser.post("/affiliate/language", {"language": "de"})
    browser.get(PAGE)
    with nothing_written():
        refused = browser.post(PAGE, {**FORM, "address": "https://intranet/"})

    assert refused.status_code == 400
    assert refused.text.count('class="field at-fault"') == 1
    assert "innerhalb eines Netzes" in refused.text


def test_a_test_is_listed_with_what_was_answered(browser, webhook, now):
    asked = browser.get(f"{PAGE}/test")
    browser.post(f"{PAGE}/test")
    with nothing_written():
        twice = browser.post(f"{PAGE}/test")
    deliver_due(transport=Receiver(answer(503)), now=lambda: now)

    listed = browser.get(PAGE).text
    assert webhook.address in asked.text
    assert twice.status_code == 409
    assert "An earlier test is still on its way." in twice.text
    assert "<td>Test</td><td>Will be sent again</td><td>503</td><td>1</td>" in listed


def test_new_secret_and_removal_ask_first(browser, webhook):
    with nothing_written():
        asked = [browser.get(f"{PAGE}/{act}") for act in ("secret", "remove")]
    made = browser.post(f"{PAGE}/secret")
    removed = browser.post(f"{PAGE}/remove", follow=True)

    assert [one.status_code for one in asked] == [200, 200]
    assert made.text.count("whsec_") == 1
    assert "The webhook was removed." in removed.text
    assert browser.get(f"{PAGE}/secret").status_code == 404


def test_why_it_is_off_is_said(browser, webhook):
    Webhook.objects.update(is_active=False, end="failing")

    page = browser.get(PAGE).text

    assert (
        "Nothing was accepted for three days. Nothing is sent until you switch" in page
    )
    assert f"{PAGE}/test" not in page
