"""E-mails in Django admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from affiliates.emails.models import Email
from affiliates.emails.rules import EmailState
from tests.affiliates.payouts.test_admin import told
from tests.database import nothing_written
from tests.factories.emails import EmailFactory

pytestmark = pytest.mark.django_db


def page(name: str, *args: object) -> str:
    return reverse(f"admin:affiliates_email_{name}", args=args)


def choose(client, *emails, **fields):
    selected = {"_selected_action": [email.pk for email in emails]}
    return client.post(
        page("changelist"), {"action": "send_again", **selected, **fields}
    )


def test_list_and_page_show_what_came_of_an_email(admin_client, brand):
    email = EmailFactory(brand=brand, state="unclear", detail="No answer.")

    listed = admin_client.get(page("changelist")).content.decode()
    shown = admin_client.get(page("change", email.pk)).content.decode()

    assert ("Unclear" in listed, "No answer." in listed) == (True, True)
    assert (email.message_id.strip("<>") in shown, "A text." in shown) == (True, True)


def test_text_is_shown_as_text(admin_client, brand):
    email = EmailFactory(brand=brand, text="<script>alert(1)</script>")

    shown = admin_client.get(page("change", email.pk)).content.decode()

    assert "<script>alert(1)" not in shown
    assert "&lt;script&gt;alert(1)" in shown


@pytest.mark.parametrize("term", ["partner@example.com", "<this@example.com>"])
def test_found_by_a_whole_address_or_message_id(admin_client, brand, term):
    EmailFactory(brand=brand, message_id="<this@example.com>", subject="This one")
    EmailFactory(brand=brand, recipient="other@example.com", subject="That one")

    found = admin_client.get(page("changelist"), {"q": f" {term} "}).content.decode()

    assert ("This one" in found, "That one" in found) == (True, False)


def test_sending_again_asks_first(admin_client, brand):
    emails = [EmailFactory(brand=brand, state=state) for state in EmailState]

    with nothing_written():
        asked = choose(admin_client, *emails)
    text = asked.content.decode()

    assert "2 e-mails would be sent again." in text
    assert "gets it twice" in text

    done = choose(admin_client, *emails, confirmed="1")

    assert told(done) == ["Queued to be sent again: 2."]
    assert Email.objects.filter(state="waiting").count() == 3


def test_one_is_sent_again_from_its_page(admin_client, brand):
    email = EmailFactory(brand=brand, state="failed")
    address = page("send_this_again", email.pk)

    assert "1 e-mail would be sent again." in admin_client.get(address).content.decode()
    assert Email.objects.get().state == "failed"

    assert told(admin_client.post(address)) == ["Queued to be sent again: 1."]
    assert Email.objects.get().state == "waiting"


@pytest.mark.parametrize(
    "fields",
    [{"state": "sent"}, {"state": "waiting"}, {"state": "failed", "recipient": ""}],
)
def test_what_cannot_be_sent_again_is_left_alone(admin_client, brand, fields):
    email = EmailFactory(brand=brand, **fields)
    address = page("send_this_again", email.pk)

    asked = admin_client.get(address).content.decode()
    done = admin_client.post(address)

    assert "Nothing here can be sent again" in asked
    assert told(done) == ["Queued to be sent again: 0."]
    assert Email.objects.get().state == fields["state"]


def test_who_may_only_look_sends_nothing(admin_client, admin_user, brand):
    email = EmailFactory(brand=brand, state="unclear")
    admin_user.is_superuser = False
    admin_user.save()
    admin_user.user_permissions.set(Permission.objects.filter(codename="view_email"))

    assert admin_client.get(page("change", email.pk)).status_code == 200
    with nothing_written():
        answer = admin_client.post(page("send_this_again", email.pk))

    assert answer.status_code == 403


def test_affiliates_page_leads_to_what_it_was_sent(admin_client, affiliate, brand):
    EmailFactory(brand=brand, affiliate=affiliate, subject="To this one")
    EmailFactory(brand=brand, subject="To another")
    path = reverse("admin:affiliates_affiliate_show_emails", args=[affiliate.pk])

    found = admin_client.get(path, follow=True).content.decode()

    assert ("To this one" in found, "To another" in found) == (True, False)
