"""E-mails in Django admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from affiliates.brands.models.brand import Brand
from affiliates.emails.models import Email
from affiliates.emails.preview import sample
from affiliates.emails.preview.sample import write_sample
from affiliates.emails.types import EmailKind
from affiliates.errors import StateConflict
from affiliates.outbox.queue.rules import QueueState
from tests.affiliates.payouts.test_admin import told
from tests.cases import each
from tests.database import nothing_written
from tests.factories.emails import EmailFactory
from tests.races import at_once, needs_postgresql

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

    assert (
        "Sent; whether it arrived is not known" in listed,
        "No answer." in listed,
    ) == (True, True)
    assert (email.message_id.strip("<>") in shown, "A text." in shown) == (True, True)


def test_text_is_shown_as_text(admin_client, brand):
    email = EmailFactory(brand=brand, text="<script>alert(1)</script>")

    shown = admin_client.get(page("change", email.pk)).content.decode()

    assert "<script>alert(1)" not in shown
    assert "&lt;script&gt;alert(1)" in shown


def test_every_kind_is_shown_as_it_is_sent(admin_client, brand):
    @each(
        ("kind", "language"),
        [(kind, language) for kind in EmailKind for language in ("en", "de")],
    )
    def check(kind, language):
        asked = {"brand": brand.pk, "kind": kind, "language": language}
        shown = admin_client.get(page("texts"), asked).text

        written = write_sample(kind, brand=brand, language=language)
        assert escape(written.subject) in shown
        assert escape(written.text) in shown
        assert f'sandbox title="{escape(written.subject)}"' in shown
        assert f'srcdoc="{escape(written.html)}"' in shown
        assert f'lang="{language}"' in written.html

    with nothing_written():
        check()


def test_address_of_an_approved_affiliate_can_be_clicked_at(brand):
    written = sample.write_sample(EmailKind.APPROVED, brand=brand, language="en")

    assert '<a href="https://shop.example.com/?ref=ada"' in written.html
    assert "<a" not in written.text


@each(
    ("kind", "greeting"),
    [(EmailKind.STAFF_CLAIM, "Hello,"), (EmailKind.PAID, "Hello Ada Lovelace,")],
)
def test_staff_are_greeted_without_a_name_as_when_it_is_sent(brand, kind, greeting):
    written = sample.write_sample(kind, brand=brand, language="en")

    assert written.text.splitlines()[0] == greeting


def test_a_test_goes_to_the_persons_own_address_by_the_outbox(
    admin_client, admin_user, brand, settings
):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    path = f"{page('texts')}?brand={brand.pk}&kind=paid&language=de"

    said = admin_client.post(path, {"recipient": "x@example.com"}, follow=True).text

    written = write_sample(EmailKind.PAID, brand=brand, language="de")
    [email] = Email.objects.all()
    assert f"A test is queued to {admin_user.email}." in said
    assert (email.recipient, email.state) == (admin_user.email, "waiting")
    assert email.subject == " ".join(f"[Test] {written.subject}".split())
    assert (email.text, email.html) == (written.text, written.html)
    assert (email.kind, email.affiliate_id) == ("", None)


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("address", "Your own account has no e-mail address."),
        (
            "server",
            "No mail server is set up: e-mails go to django.core.mail.backends.",
        ),
        ("often", "You had 20 tests within an hour: wait a while."),
        ("right", ""),
    ],
)
def test_why_no_test_is_sent_is_said(
    admin_client, admin_user, brand, settings, monkeypatch, reason, sentence
):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    if reason == "server":
        settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    elif reason == "address":
        # The portal's own staff cannot be without.
        named = classmethod(lambda cls: "no_such_field")
        monkeypatch.setattr(type(admin_user), "get_email_field_name", named)
    elif reason == "right":
        type(admin_user).objects.update(is_superuser=False)
        views = Permission.objects.filter(codename="view_email")
        admin_user.user_permissions.set(views)
    else:
        for number in range(20):
            EmailFactory(
                brand=brand,
                key=f"test:{admin_user.pk}:{number}",
                recipient=admin_user.email,
                created_at=timezone.now(),
            )
    count = Email.objects.count()

    said = admin_client.post(f"{page('texts')}?brand={brand.pk}", follow=True).text

    assert sentence in said
    assert ("Send to me" in said) is (reason != "right")
    assert Email.objects.count() == count


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_tests_asked_for_at_once_do_not_pass_the_limit(
    admin_user, brand, settings, monkeypatch
):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    monkeypatch.setattr(sample, "MAX_TESTS", 3)
    now = timezone.now()

    def ask(_number: int) -> bool:
        try:
            sample.send_test(
                EmailKind.PAID, brand=brand, language="en", person=admin_user, now=now
            )
        except StateConflict:
            return False
        return True

    assert sorted(at_once(8, ask)) == [False] * 5 + [True] * 3
    assert Email.objects.count() == 3


def test_what_cannot_be_written_or_read_is_said(
    admin_client, brand, settings, tmp_path
):
    folder = tmp_path / "affiliates" / "emails"
    folder.mkdir(parents=True)
    (folder / "sale.txt").write_text("{% if %}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]

    broken = admin_client.get(page("texts"), {"kind": "sale"}).text
    unknown = admin_client.get(page("texts"), {"kind": "none"})

    assert "It cannot be written" in broken
    assert "TemplateSyntaxError" in broken
    assert (unknown.status_code, "srcdoc" in unknown.text) == (200, False)


@pytest.mark.parametrize("term", ["partner@example.com", "<this@example.com>"])
def test_found_by_a_whole_address_or_message_id(admin_client, brand, term):
    EmailFactory(brand=brand, message_id="<this@example.com>", subject="This one")
    EmailFactory(brand=brand, recipient="other@example.com", subject="That one")

    found = admin_client.get(page("changelist"), {"q": f" {term} "}).content.decode()

    assert ("This one" in found, "That one" in found) == (True, False)


def test_sending_again_asks_first(admin_client, brand):
    emails = [EmailFactory(brand=brand, state=state) for state in QueueState]

    with nothing_written():
        asked = choose(admin_client, *emails)
    text = asked.content.decode()

    assert "3 e-mails would be sent again." in text
    assert "gets it twice" in text

    done = choose(admin_client, *emails, confirmed="1")

    assert told(done) == ["Queued to be sent again: 3."]
    assert Email.objects.filter(state="retry").count() == 1 + 3


def test_one_is_sent_again_from_its_page(admin_client, brand):
    email = EmailFactory(brand=brand, state="failed")
    address = page("send_this_again", email.pk)

    assert "1 e-mail would be sent again." in admin_client.get(address).content.decode()
    assert Email.objects.get().state == "failed"

    assert told(admin_client.post(address)) == ["Queued to be sent again: 1."]
    assert Email.objects.get().state == "retry"


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


def test_what_emails_say_may_load_the_logo(admin_client, brand):
    Brand.objects.filter(pk=brand.pk).update(logo="affiliates/images/logo.png")

    shown = admin_client.get(page("texts"))

    assert shown.csp_sources == {"img-src": ["https://shop.example.com"]}
    assert "https://shop.example.com/affiliate/images/logo.png" in shown.text
