"""Of which facts affiliates are told, that each is told once, and what is not sent."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from affiliates.adapter import get_adapter
from affiliates.commissions.models import Commission
from affiliates.commissions.services.maturing import mature_all
from affiliates.commissions.services.staff import reject
from affiliates.contracts import ClientDetails, RefundKind
from affiliates.contrib.claims.services import decline_claim
from affiliates.emails import services
from affiliates.emails.models import Email
from affiliates.emails.rules import HIDDEN_LINK
from affiliates.emails.sending import send_due
from affiliates.emails.types import EmailKind, News, money
from affiliates.payouts.services.decisions import reject_payout
from affiliates.payouts.services.requests import request_payout
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import apply, change_status, merge_into
from affiliates.referrals.models import ClientReferral
from affiliates.webhooks.announce import unannounced
from tests.affiliates.emails.taking import take_next
from tests.affiliates.referrals.test_services import click, cookie_of, register
from tests.affiliates.till import AFTER_HOLD
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.emails import EmailChoiceFactory
from tests.factories.payouts import DestinationFactory, earn
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db


def queued() -> list[tuple[str, dict]]:
    return list(Email.objects.order_by("pk").values_list("kind", "values"))


def send(now) -> None:
    send_due(now=lambda: now + timedelta(days=60))


def notify(affiliate, now, kind=EmailKind.PAID, fact="1", **values):
    payout = {"payout": 1, "amount": money(1, "EUR"), "destination": "PayPal"}
    news = News(
        kind=kind,
        brand_id=affiliate.brand_id,
        affiliate_id=affiliate.pk,
        fact=fact,
        values={**payout, **values},
    )
    services.notify_affiliates([news], now=now)


def test_applicant_is_told_of_the_application_and_its_approval_once(brand, host):
    client = host.client(brand, email="ada@example.com")
    affiliate = apply(get_adapter().get_client(str(client.pk)), code="ada")
    mine = Affiliate.objects.filter(pk=affiliate.pk)

    for status in ("active", "suspended", "pending", "active"):
        change_status(mine, status=AffiliateStatus(status))

    url = "https://shop.example.com/?ref=ada"
    assert queued() == [
        ("applied", {"reason": ""}),
        ("approved", {"code": "ada", "url": url}),
    ]
    assert set(Email.objects.values_list("affiliate", "brand")) == {
        (affiliate.pk, brand.pk)
    }


def test_who_is_suspended_while_waiting_is_declined_for_the_reason(affiliate):
    mine = Affiliate.objects.filter(pk=affiliate.pk)
    mine.update(status="pending")

    change_status(mine, status=AffiliateStatus.SUSPENDED, reason="No site.")

    assert queued() == [("declined", {"reason": "No site."})]


def test_who_is_merged_into_another_is_not_declined(affiliate, rival):
    Affiliate.objects.filter(pk=rival.pk).update(status="pending")

    merge_into(source_id=rival.pk, target_id=affiliate.pk)

    assert queued() == []


def test_sale_is_told_with_its_commission_and_its_end(plan, order, till):
    till.pay("90.00", "10.00")
    till.pay("90.00", "10.00")
    mature_all(now=lambda: AFTER_HOLD, should_stop=lambda: False)

    euros = {"currency": "EUR"}
    assert queued() == [
        (
            "sale",
            {
                "order": "order-1",
                "invoice": "invoice-1",
                "order_id": order.pk,
                "net": {"amount": 10_000, **euros},
                "commission": {"amount": 1_000, **euros},
            },
        ),
        (
            "commission_approved",
            {
                "order": "order-1",
                "invoice": "invoice-1",
                "commission_id": Commission.objects.get().pk,
                "reason": "",
                "said": "",
                "left": {"amount": 1_000, **euros},
            },
        ),
    ]


@pytest.mark.parametrize("kind", RefundKind)
def test_reversal_says_what_is_left_and_why(commission, till, kind):
    Email.objects.all().delete()

    till.refund("25.00", kind=kind)
    till.refund("25.00", kind=kind)

    assert queued() == [
        (
            "reversal",
            {
                "order": "order-1",
                "invoice": "invoice-1",
                "commission_id": commission.pk,
                "reason": kind.value,
                "said": "",
                "taken": {"amount": 250, "currency": "EUR"},
                "left": {"amount": 750, "currency": "EUR"},
            },
        )
    ]


def test_cancelled_refund_says_what_was_given_back(commission, till):
    till.refund("40.00")

    till.cancel("10.00")
    till.cancel("10.00")

    assert queued()[-1] == (
        "restoration",
        {
            "order": "order-1",
            "invoice": "invoice-1",
            "commission_id": commission.pk,
            "reason": "",
            "said": "",
            "given_back": {"amount": 100, "currency": "EUR"},
            "left": {"amount": 700, "currency": "EUR"},
        },
    )
    assert Email.objects.filter(kind="restoration").count() == 1


def test_commission_that_staff_reject_is_a_reversal(commission, staff, now):
    Email.objects.all().delete()

    for _ in range(2):
        reject(
            commission_ids=[commission.pk],
            actor_id=staff.pk,
            reason=marker("staff", "decision"),
            now=now,
        )

    [(kind, values)] = queued()
    assert (kind, values["reason"]) == ("reversal", "staff")
    assert (values["taken"]["amount"], values["left"]["amount"]) == (1_000, 0)
    assert marker("staff", "decision") not in str(values)


def test_payout_that_is_asked_for_and_rejected_is_told(affiliate, terms, staff, now):
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    reject_payout(
        payout_id=payout.pk,
        reason=marker("affiliate", "payout"),
        actor_id=staff.pk,
        now=now,
    )

    about = {
        "payout": payout.pk,
        "amount": {"amount": 10_000, "currency": "EUR"},
        "destination": {"word": "PayPal", "hint": "p…@example.org"},
    }
    assert queued() == [
        ("payout_requested", {**about, "reason": ""}),
        ("payout_rejected", {**about, "reason": marker("affiliate", "payout")}),
    ]


def test_payout_of_a_schedule_is_asked_for_by_nobody(affiliate, terms, now):
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate)

    request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now, is_by_run=True)

    assert queued() == []


def test_answer_to_a_claim_is_told(affiliate, staff, now):
    claim = MissingSaleClaimFactory(affiliate=affiliate, order_hint="order-9")

    decline_claim(claim_id=claim.pk, answer="Not yours.", actor_id=staff.pk, now=now)

    assert queued() == [
        (
            "claim_answered",
            {
                "claim_id": str(claim.pk),
                "claim": "order-9",
                "is_granted": False,
                "answer": "Not yours.",
            },
        )
    ]


def test_fact_is_queued_once_and_not_when_its_transaction_is_undone(affiliate, now):
    notify(affiliate, now)
    notify(affiliate, now)
    with transaction.atomic():
        notify(affiliate, now, fact="2")
        transaction.set_rollback(True)

    assert [one.key for one in Email.objects.all()] == ["paid:1"]


def test_nobody_is_told_of_what_is_imported(affiliate, now):
    with unannounced():
        notify(affiliate, now)

    assert queued() == []


def test_email_is_written_in_the_clients_language_when_it_is_sent(
    affiliate, now, mailoutbox, monkeypatch
):
    details = ClientDetails(email="ada@example.org", name="Ada", language="de")
    monkeypatch.setattr(
        type(get_adapter()),
        "client_details",
        lambda _, ids: dict.fromkeys(ids, details),
    )
    notify(affiliate, now)

    send(now)

    [message] = mailoutbox
    [email] = Email.objects.all()
    assert message.to == ["ada@example.org"]
    assert message.extra_headers["Message-ID"] == email.message_id
    assert "0,01\xa0€" in message.body
    assert [kind for _, kind in message.alternatives] == ["text/html"]
    assert (email.state, email.recipient, email.values) == ("sent", details.email, None)
    link = message.extra_headers["List-Unsubscribe"].strip("<>")
    assert (email.subject, email.text.replace(HIDDEN_LINK, link)) == (
        message.subject,
        message.body,
    )


@pytest.mark.parametrize(
    ("_case", "prepare", "reason"),
    [
        ("switched off", "choice", "The affiliate has switched this kind off."),
        ("no address", "address", "The affiliate has no e-mail address."),
        ("test brand", "test", "It is of a test brand."),
    ],
)
def test_what_is_not_to_be_sent_is_not(
    affiliate, brand, now, mailoutbox, monkeypatch, _case, prepare, reason
):
    notify(affiliate, now)
    if prepare == "choice":
        EmailChoiceFactory(affiliate=affiliate, kind="paid", delivery="never")
    elif prepare == "test":
        type(brand).objects.update(is_test=True)
    else:
        monkeypatch.setattr(type(get_adapter()), "client_details", lambda _, ids: {})

    send(now)

    assert mailoutbox == []
    [email] = Email.objects.all()
    assert (email.state, email.detail, email.next_at) == ("not_sent", reason, None)
    assert (email.recipient, email.subject, email.values) == ("", "", None)


def test_kind_that_is_never_optional_is_sent_whatever_is_chosen(
    affiliate, now, mailoutbox
):
    EmailChoiceFactory(affiliate=affiliate, kind="approved", delivery="never")
    notify(affiliate, now, EmailKind.APPROVED)

    send(now)

    assert len(mailoutbox) == 1


def test_what_is_switched_off_between_two_tries_is_not_sent(affiliate, now, mailoutbox):
    notify(affiliate, now)
    email = take_next(now=now)
    assert services.prepare(email) == ""
    EmailChoiceFactory(affiliate=affiliate, kind="paid", delivery="never")

    send(now)

    assert (mailoutbox, Email.objects.get().state) == ([], "not_sent")


def test_broken_template_waits_to_be_mended_and_stops_no_other(
    affiliate, now, mailoutbox, settings, tmp_path
):
    folder = tmp_path / "affiliates" / "emails"
    folder.mkdir(parents=True)
    (folder / "paid.txt").write_text("{% if %}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    notify(affiliate, now)
    notify(affiliate, now, EmailKind.APPLIED)

    send_due(now=lambda: now)

    assert len(mailoutbox) == 1
    email = Email.objects.get(kind="paid")
    assert (email.state, email.next_at) == ("retry", now + timedelta(minutes=1))
    assert email.detail == "It cannot be written (TemplateSyntaxError)."


def test_first_client_who_registers_is_told_and_no_later_one(brand, affiliate, now):
    cookie = cookie_of(click(affiliate, now))

    register(brand, cookie, now)
    register(brand, cookie, now, email="second@example.com")
    register(brand, None, now, email="third@example.com")

    assert queued() == [("first_referral", {})]
    first = ClientReferral.objects.earliest("pk")
    key = f"first_referral:{affiliate.pk}:{first.client_id}"
    assert Email.objects.get().key == key


def test_of_two_first_clients_at_the_same_moment_one_is_told(
    affiliate, now, mailoutbox
):
    for client in ("1", "2"):
        fact = f"{affiliate.pk}:{client}"
        notify(affiliate, now, EmailKind.FIRST_REFERRAL, fact=fact)

    send(now)

    first, second = Email.objects.order_by("pk")
    assert len(mailoutbox) == 1
    assert (first.state, first.key) == ("sent", f"first_referral:{affiliate.pk}")
    assert (second.state, second.detail) == (
        "not_sent",
        "Another e-mail tells of that.",
    )


def test_second_client_is_not_the_first_though_nobody_was_told(brand, affiliate, now):
    cookie = cookie_of(click(affiliate, now))
    register(brand, cookie, now)
    Email.objects.all().delete()

    register(brand, cookie, now, email="second@example.com")

    assert queued() == []
