"""Every e-mail's button opens the page that it names, for the reader of the e-mail."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.commissions.services.maturing import mature_all
from affiliates.contracts import CredentialsChange, CredentialsChanged
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import Hints
from affiliates.contrib.claims.services import decline_claim, submit_claim
from affiliates.contrib.statistics.services import count_changes
from affiliates.contrib.statistics.summaries import send_summaries
from affiliates.emails.alerts import notify_of_integrations
from affiliates.emails.choices.services import set_choices
from affiliates.emails.kinds import KINDS
from affiliates.emails.models import Email
from affiliates.emails.preview.values import SAMPLES
from affiliates.emails.sending import send_due
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News, money
from affiliates.host_events import credentials_changed
from affiliates.membership.departures import leave
from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.outbox.models.integration import IntegrationHealth, TrackingIntegration
from affiliates.payouts.emails import enqueue_destination_changed
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts, reject_payout
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.services.returns import return_payout
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import apply, change_status
from tests.affiliates.referrals.test_services import click, cookie_of, register
from tests.affiliates.till import AFTER_HOLD
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.payouts import DestinationFactory, earn
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db

BUTTON = re.compile(r'<a class="button" href="https://[\w.]+(/[^"]*)"')
SINGLE = ("sale", "commission_approved", "reversal", "restoration")
# Some facts are of the clock's own time.
LATER = datetime(2126, 3, 1, 12, tzinfo=UTC)
APRIL = datetime(2026, 4, 1, 6, tzinfo=UTC)


@pytest.fixture
def happen(  # noqa: C901, PLR0915 - one step for each kind
    brand, affiliate, rival, order, plan, till, terms, staff, now, buyer
) -> Callable[[EmailKind], str]:
    """Lets happen what an e-mail of this kind tells of. Returns what its page shows."""

    def asked_for() -> str:
        DestinationFactory(affiliate=affiliate, usable_from=now)
        earn(affiliate)
        request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
        return "€100.00"

    def payout_id() -> int:
        return affiliate.payouts.get().pk

    def applied() -> str:
        Affiliate.objects.filter(pk=rival.pk).delete()
        apply(get_adapter().get_client(str(rival.user_id)), code="newcomer")
        return "newcomer"

    def decided(status: AffiliateStatus) -> str:
        mine = Affiliate.objects.filter(pk=affiliate.pk)
        mine.update(status="pending")
        change_status(mine, status=status, reason="No site.")
        return affiliate.code

    def left() -> str:
        earn(affiliate)
        leave(affiliate_id=affiliate.pk, gives_up=False, now=now)
        return "€100.00"

    def sold() -> str:
        till.pay("90.00", "10.00")
        return "order-1"

    def collected() -> str:
        sold()
        return "€10.00"

    def approved() -> str:
        sold()
        mature_all(now=lambda: AFTER_HOLD, should_stop=lambda: False)
        return "order-1"

    def refunded() -> str:
        sold()
        till.refund("40.00")
        return "order-1"

    def cancelled() -> str:
        refunded()
        till.cancel("10.00")
        return "order-1"

    def paid() -> str:
        asked_for()
        payout = {"actor_id": staff.pk, "now": now}
        approve_payouts(payout_ids=[payout_id()], **payout)
        confirm_payout(payout_id=payout_id(), reference="REF-1", **payout)
        return "REF-1"

    def rejected() -> str:
        asked_for()
        reject_payout(
            payout_id=payout_id(),
            reason=marker("affiliate", "payout"),
            actor_id=staff.pk,
            now=now,
        )
        return marker("affiliate", "payout")

    def came_back() -> str:
        paid()
        return_payout(
            payout_id=affiliate.payouts.get().pk,
            reason=marker("affiliate", "payout"),
            actor_id=staff.pk,
            now=now,
        )
        return marker("affiliate", "payout")

    def entered() -> str:
        first = DestinationFactory(affiliate=affiliate, usable_from=now)
        enqueue_destination_changed(first, now=now)
        return first.hint

    def redirected() -> str:
        DestinationFactory(affiliate=affiliate)
        changed = DestinationFactory(affiliate=affiliate, usable_from=now)
        enqueue_destination_changed(changed, now=now)
        return changed.hint

    def credentials() -> str:
        DestinationFactory(affiliate=affiliate, usable_from=now)
        event = CredentialsChanged(
            client_id=str(affiliate.user_id), change=CredentialsChange.PASSWORD
        )
        credentials_changed(event, now=now)
        return "Time zone"

    def transferred() -> str:
        earn(affiliate)
        wanted = Transfer(
            key=uuid4(),
            source_id=affiliate.pk,
            target_id=rival.pk,
            parts=[TransferPart.BALANCE],
            merges=False,
            reason="Sold.",
        )
        transfer(wanted, actor_id=staff.pk, now=now)
        return "Balances"

    def claimed() -> str:
        submit_claim(
            affiliate=affiliate, hints=Hints(order="gone-9"), note="?", now=now
        )
        return "gone-9"

    def answered() -> str:
        claimed()
        claim = MissingSaleClaim.objects.get()
        decline_claim(
            claim_id=claim.pk, answer="Not yours.", actor_id=staff.pk, now=now
        )
        return "Not yours."

    def summarised() -> str:
        sold()
        count_changes(now=lambda: APRIL)
        send_summaries(now=APRIL)
        return 'value="2026-03-31"'

    def first_referral() -> str:
        register(brand, cookie_of(click(affiliate, now)), now)
        return "Clients you sent"

    def broken() -> str:
        integration = TrackingIntegrationFactory(brand=brand)
        TrackingIntegration.objects.update(created_at=now - timedelta(days=9))
        IntegrationHealth.objects.create(
            integration=integration,
            failures=42,
            paused_until=now,
            last_failure="HTTP 503.",
        )
        notify_of_integrations(now=now)
        return integration.address

    def waiting() -> str:
        """As the app of invoices says it, which a host may leave out."""
        asked_for()
        payout = affiliate.payouts.get()
        news = News(
            kind=EmailKind.INVOICE_NEEDED,
            brand_id=brand.pk,
            affiliate_id=affiliate.pk,
            fact=str(payout.pk),
            values={
                "payout": payout.pk,
                "amount": money(payout.amount, payout.currency),
                "reason": "",
            },
        )
        notify_affiliates([news], now=now)
        return f"Payout {payout.pk}"

    def announced() -> str:
        """As the app of announcements says it, which a host may leave out."""
        news = News(
            kind=EmailKind.ANNOUNCEMENT,
            brand_id=brand.pk,
            affiliate_id=affiliate.pk,
            fact="1",
            values=SAMPLES[EmailKind.ANNOUNCEMENT],
        )
        notify_affiliates([news], now=now)
        return affiliate.code

    steps: dict[EmailKind, Callable[[], str]] = {
        EmailKind.APPLIED: applied,
        EmailKind.APPROVED: lambda: decided(AffiliateStatus.ACTIVE),
        EmailKind.DECLINED: lambda: decided(AffiliateStatus.SUSPENDED),
        EmailKind.LEFT: left,
        EmailKind.FIRST_REFERRAL: first_referral,
        EmailKind.SALE: sold,
        EmailKind.COMMISSION_APPROVED: approved,
        EmailKind.REVERSAL: refunded,
        EmailKind.RESTORATION: cancelled,
        EmailKind.DIGEST: collected,
        EmailKind.PAYOUT_REQUESTED: asked_for,
        EmailKind.PAID: paid,
        EmailKind.PAYOUT_REJECTED: rejected,
        EmailKind.PAYOUT_RETURNED: came_back,
        EmailKind.INVOICE_NEEDED: waiting,
        EmailKind.DESTINATION_SET: entered,
        EmailKind.DESTINATION_CHANGED: redirected,
        EmailKind.CREDENTIALS_CHANGED: credentials,
        EmailKind.TRANSFERRED: transferred,
        EmailKind.CLAIM_ANSWERED: answered,
        EmailKind.MONTHLY_SUMMARY: summarised,
        EmailKind.ANNOUNCEMENT: announced,
        EmailKind.STAFF_APPLICATION: applied,
        EmailKind.STAFF_PAYOUT: asked_for,
        EmailKind.STAFF_CLAIM: claimed,
        EmailKind.STAFF_INTEGRATION: broken,
    }
    return lambda kind: steps[kind]()


def sent_as(kind: EmailKind, mailoutbox: list[EmailMultiAlternatives]) -> Email:
    for days in (0, 2):
        send_due(now=lambda days=days: LATER + timedelta(days=days))
    return Email.objects.filter(kind=kind, state="sent").latest("pk")


@pytest.mark.parametrize("kind", EmailKind)
def test_button_opens_the_page_that_shows_the_row(
    kind, happen, affiliate, mailoutbox, client, admin_user, now
):
    Brand.objects.update(staff_emails="ops@example.com")
    if kind in SINGLE:
        set_choices(affiliate.pk, dict.fromkeys(SINGLE, "at_once"), now=now)
    shown = happen(kind)

    email = sent_as(kind, mailoutbox)
    [message] = [
        one for one in mailoutbox if one.extra_headers["Message-ID"] == email.message_id
    ]
    html, _ = message.alternatives[0]
    path = BUTTON.search(html)[1].replace("&amp;", "&")
    is_for_staff = KINDS[kind].is_for_staff
    reader = Client(headers={"host": "shop.example.com"})
    reader.force_login(admin_user if is_for_staff else email.affiliate.user)
    page = reader.get(path)

    assert f"https://shop.example.com{path}" in message.body.replace("&amp;", "&")
    assert path.startswith("/admin/" if is_for_staff else "/affiliate/")
    assert page.status_code == 200
    assert shown in page.text
    has_headers = "List-Unsubscribe-Post" in message.extra_headers
    assert has_headers is KINDS[kind].is_optional
