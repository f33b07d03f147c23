"""An order's story where a tracking integration claims it, as admin tells it."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.brands.rules import ClaimPolicy
from affiliates.order_story.selectors import order_story
from affiliates.order_story.types import EventKind
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.rules.choices import Carrier
from affiliates.referrals.rules.types import Decision, ExternalTouch
from affiliates.settlement.services import override_attribution
from affiliates.visits.consent.rules import Consent
from affiliates.visits.rules import TouchSource
from tests.factories.affiliates import ClickFactory
from tests.factories.integrations import (
    DeliveryFactory,
    TrackingIntegrationFactory,
    external_fields,
)
from tests.factories.ledger import (
    NOW,
    ClientReferralFactory,
    InvoicePaymentFactory,
    InvoiceRefundFactory,
    OrderReferralFactory,
    SaleFactory,
    decision_of,
    touch_of,
)

IP = "203.0.113.0"
USER_AGENT = "Mozilla/5.0 (X11)"
VISITOR_REF = "0f3c9a7be2d14c55a1b2c3d4e5f60718"


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(
        brand=brand, config={"username": "merchant@example.com"}
    )


@pytest.fixture
def client_of_shop(brand, host):
    return host.client(brand, email="ada@example.com")


@pytest.fixture
def own_click(affiliate):
    return ClickFactory(
        affiliate=affiliate,
        visitor_id=UUID(int=7),
        created_at=NOW - timedelta(days=3),
        visit_url="https://shop.example.com/?ref=partner",
    )


@pytest.fixture
def external_click(integration):
    return ClickFactory(
        brand=integration.brand,
        affiliate=None,
        affiliate_status="",
        integration=integration,
        external_affiliate="testaff",
        source=TouchSource.INTEGRATION,
        visitor_id=UUID(int=7),
        created_at=NOW - timedelta(days=2),
        visit_url="https://shop.example.com/?a_aid=testaff",
        ip_prefix="203.0.113.0/24",
        user_agent=USER_AGENT,
    )


def claim_of(click) -> ExternalTouch:
    return ExternalTouch(
        carrier=Carrier.COOKIE,
        integration_id=click.integration_id,
        visitor_id=VISITOR_REF,
        click_id=click.pk,
        touched_at=click.created_at,
        affiliate=click.external_affiliate,
        is_bot=False,
        ip=IP,
        user_agent=USER_AGENT,
    )


def decided(own_clicks, click, policy: ClaimPolicy) -> Decision:
    return decision_of(
        *map(touch_of, own_clicks), external=[claim_of(click)], claim_policy=policy
    )


@pytest.fixture
def order_of(brand, integration, client_of_shop, external_click):
    """An order on which the integration has a claim, decided by the policy."""

    def order_of(policy: ClaimPolicy, *own_clicks) -> OrderReferral:
        made = decided(own_clicks, external_click, policy)
        fields = external_fields(integration, NOW) if made.notified else {}
        return OrderReferralFactory(
            brand=brand,
            client=client_of_shop,
            order_ref="order-a",
            invoice_ref="invoice-a",
            made=made,
            **fields,
        )

    return order_of


def deliver(integration, operation: str, amount: str | None, number: int, **state):
    return DeliveryFactory(
        integration=integration,
        operation=operation,
        key=f"{operation}:{number}",
        order_ref="invoice-a",
        payload={"amount": amount, "currency": "EUR", "ip": IP, "affiliate": "testaff"},
        created_at=NOW + timedelta(hours=number),
        **state,
    )


def timeline(referral: OrderReferral) -> list[tuple[str, str]]:
    return [(event.title, event.text) for event in order_story(referral).events]


def page_of(admin_client, referral: OrderReferral) -> str:
    url = reverse("admin:affiliates_orderreferral_change", args=[referral.pk])
    return admin_client.get(url).content.decode()


def test_story_of_an_order_of_the_integration_alone(order_of, integration):
    referral = order_of(ClaimPolicy.LATEST)
    InvoicePaymentFactory(
        brand=referral.brand, invoice_ref="invoice-a", payment_ref="payment-a"
    )
    InvoiceRefundFactory(
        brand=referral.brand, invoice_ref="invoice-a", refund_ref="refund-a"
    )
    deliver(integration, "sale", "100.00", 1, state="sent")
    deliver(
        integration,
        "reversal",
        "20.00",
        72,
        state="failed",
        detail="The provider answered with status 400.",
    )

    assert timeline(referral) == [
        (
            "Visit",
            "Click of the tracking integration's affiliate testaff on "
            "https://shop.example.com/?a_aid=testaff. Credited.",
        ),
        (
            "Conversion",
            "Order converted to invoice invoice-a. Credited through the tracking "
            "integration: testaff. The tracking integration's affiliate sent this "
            "client, and no affiliate of the brand's own may be credited. Tracking "
            "integration: Credited. When both claim the client: The one that sent the "
            "client last. No referral cookie was sent. Policy: Last click wins, "
            "within 90 days.",
        ),
        ("Payment", "€119.00 paid, reference payment-a."),
        (
            "No sale",
            "No affiliate of the brand's own is credited for this order, so its "
            "payment makes no sale.",
        ),
        (
            "Tracking integration",
            "Sale of €100.00 for the integration: Sent.",
        ),
        ("Refund", "€23.80 returned, reference refund-a."),
        (
            "Tracking integration",
            "Reversal of €20.00 for the integration: Failed. The "
            "provider answered with status 400.",
        ),
    ]


@pytest.mark.parametrize(
    ("consent", "told"),
    [
        (Consent.NOT_ASKED, ""),
        (Consent.UNKNOWN, ", consent not known"),
        (Consent.GRANTED, ", consent given"),
    ],
)
def test_story_says_what_was_known_of_the_consent(
    order_of, external_click, consent, told
):
    external_click.change(consent=consent)

    story = timeline(order_of(ClaimPolicy.LATEST))

    assert story[0] == (
        "Visit",
        "Click of the tracking integration's affiliate testaff on "
        f"https://shop.example.com/?a_aid=testaff{told}. Credited.",
    )


@pytest.mark.parametrize(
    ("policy", "own", "external"),
    [
        (
            ClaimPolicy.LATEST,
            "The tracking integration was credited instead.",
            "Credited.",
        ),
        (
            ClaimPolicy.THIRD_PARTY,
            "The tracking integration was credited instead.",
            "Credited.",
        ),
        (
            ClaimPolicy.OWN,
            "Credited.",
            "The brand's policy prefers its own affiliate.",
        ),
        (
            ClaimPolicy.BOTH,
            "Credited.",
            "Credited as well: the brand's policy credits both.",
        ),
    ],
)
def test_policys_answer_is_readable_where_both_sent_the_client(
    order_of, own_click, policy, own, external
):
    referral = order_of(policy, own_click)

    first, second, conversion = timeline(referral)
    assert first[1] == (
        f"Click of affiliate partner on https://shop.example.com/?ref=partner. {own}"
    )
    assert second[1] == (
        "Click of the tracking integration's affiliate testaff on "
        f"https://shop.example.com/?a_aid=testaff. {external}"
    )
    assert f"When both claim the client: {policy.label}. " in conversion[1]


def test_click_that_is_gone_is_told_from_the_decision(order_of, external_click):
    referral = order_of(ClaimPolicy.LATEST)
    external_click.delete()

    assert timeline(referral)[0][1] == (
        "Click of the tracking integration's affiliate testaff. Credited."
    )


def test_what_was_sent_before_staff_took_the_order_is_still_told(
    order_of, integration, rival
):
    referral = order_of(ClaimPolicy.LATEST)
    deliver(integration, "sale", "100.00", 1, state="sent")

    override_attribution(
        referral_id=referral.pk,
        affiliate_id=rival.pk,
        reason="A friend's word",
        actor_id=rival.user_id,
        now=NOW + timedelta(hours=2),
    )

    events = order_story(OrderReferral.objects.get()).events
    assert [event.text for event in events if event.kind == EventKind.SENT] == [
        "Sale of €100.00 for the integration: Sent."
    ]


@pytest.mark.parametrize(
    ("state", "kind", "label"),
    [
        ("waiting", EventKind.SENT, "Waiting to be sent."),
        ("retry", EventKind.SENT, "Will be sent again."),
        ("sent", EventKind.SENT, "Sent."),
        ("failed", EventKind.NOT_SENT, "Failed."),
        ("given_up", EventKind.NOT_SENT, "Given up."),
    ],
)
def test_whole_reversal_is_told_in_its_state(order_of, integration, state, kind, label):
    referral = order_of(ClaimPolicy.LATEST)
    deliver(integration, "reversal", None, 1, state=state)

    event = order_story(referral).events[-1]

    assert event.kind == kind
    assert event.text == f"Reversal of the whole sale for the integration: {label}"


@pytest.mark.parametrize(
    ("policy", "outlook"),
    [
        (
            ClaimPolicy.LATEST,
            "Not paid yet. The tracking integration is notified when the invoice is paid.",
        ),
        (
            ClaimPolicy.BOTH,
            "Not paid yet. When the invoice is paid, the sale is recorded and the "
            "tracking integration is notified.",
        ),
        (
            ClaimPolicy.OWN,
            "Not paid yet. The sale is recorded when the invoice is paid.",
        ),
    ],
)
def test_story_says_what_the_payment_will_do(order_of, own_click, policy, outlook):
    assert order_story(order_of(policy, own_click)).outlook == outlook


@pytest.mark.parametrize(
    ("with_own", "words"),
    [
        (False, "the tracking integration's affiliate testaff"),
        (
            True,
            "affiliate partner and the tracking integration's affiliate testaff",
        ),
    ],
)
def test_signup_names_whom_the_client_was_bound_to(
    order_of, integration, affiliate, client_of_shop, with_own, words
):
    own = {"affiliate": affiliate}
    if not with_own:
        own = {"affiliate": None, "click_id": None, "touched_at": None}
    ClientReferralFactory(
        brand=integration.brand,
        client=client_of_shop,
        bound_at=NOW - timedelta(days=1),
        **own,
        **external_fields(integration, NOW),
    )

    signup = timeline(order_of(ClaimPolicy.LATEST))[1]

    assert signup == ("Signup", f"Registration: the client was bound to {words}.")


def test_page_shows_the_claim_and_nothing_that_identifies_the_visitor(
    admin_client, order_of, own_click, integration
):
    referral = order_of(ClaimPolicy.BOTH, own_click)
    SaleFactory(order_referral=referral)
    deliver(integration, "sale", "100.00", 1)

    text = page_of(admin_client, referral)

    assert "testaff (tracking integration)" in text
    assert "Credited as well: the brand&#x27;s policy credits both" in text
    assert "Sale of €100.00 for the integration: Waiting to be sent." in text
    for secret in (IP, USER_AGENT, VISITOR_REF):
        assert secret not in text


@pytest.mark.parametrize("query", ["order-a", "testaff", "ada@example.com"])
def test_order_is_listed_and_found_by_the_integrations_affiliate(
    admin_client, order_of, query
):
    referral = order_of(ClaimPolicy.LATEST)

    page = admin_client.get(
        reverse("admin:affiliates_orderreferral_changelist"), {"q": query}
    )

    assert list(page.context["cl"].result_list) == [referral]
    assert "pap testaff" in page.content.decode()


@pytest.mark.parametrize("page", ["orderreferral", "clientreferral"])
def test_list_takes_as_many_queries_for_many_rows_as_for_few(
    admin_client, brand, host, integration, external_click, page
):
    def add(number: int) -> None:
        client = host.client(brand, email=f"client{number}@example.com")
        fields = external_fields(integration, NOW)
        ClientReferralFactory(
            brand=brand, client=client, affiliate=None, click_id=None, touched_at=None,
            **fields,
        )  # fmt: skip
        OrderReferralFactory(
            brand=brand,
            client=client,
            made=decided([], external_click, ClaimPolicy.LATEST),
            **fields,
        )

    url = reverse(f"admin:affiliates_{page}_changelist")
    add(1)
    with CaptureQueriesContext(connection) as few:
        admin_client.get(url)
    for number in range(2, 6):
        add(number)

    with CaptureQueriesContext(connection) as many:
        answer = admin_client.get(url)

    assert len(answer.context["cl"].result_list) == 5
    assert "pap testaff" in answer.content.decode()
    assert len(many) == len(few)


def test_bound_client_is_shown_with_the_integrations_click(
    admin_client, brand, client_of_shop, integration, settings
):
    settings.TIME_ZONE = "UTC"
    binding = ClientReferralFactory(
        brand=brand, client=client_of_shop, affiliate=None, click_id=None,
        touched_at=None, **external_fields(integration, NOW),
    )  # fmt: skip

    text = admin_client.get(
        reverse("admin:affiliates_clientreferral_change", args=[binding.pk])
    ).content.decode()

    assert ClientReferral.objects.count() == 1
    assert "pap testaff" in text
    assert "28 Feb 2026, 12:00 UTC" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert str(UUID(int=2)) in text
