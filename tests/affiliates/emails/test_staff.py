"""What a brand's staff are told of."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from django.core.exceptions import ValidationError

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.contrib.claims.rules import Hints
from affiliates.contrib.claims.services import submit_claim
from affiliates.emails.alerts import notify_of_integrations
from affiliates.emails.models import Email
from affiliates.emails.sending import send_due
from affiliates.emails.services import notify_staff
from affiliates.emails.types import EmailKind
from affiliates.outbox.models.integration import IntegrationHealth, TrackingIntegration
from affiliates.payouts.services.requests import request_payout
from affiliates.program.services import apply
from affiliates.webhooks.announce import unannounced
from tests.factories.decisions import make_touch
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.ledger import OrderReferralFactory, decision_of
from tests.factories.payouts import DestinationFactory, earn
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
OPS = f"{marker('staff', 'mailbox')}@example.com"


@pytest.fixture(autouse=True)
def staff_of_brand(brand):
    brand.staff_emails = f"{OPS}, boss@example.com,{OPS}"
    brand.save(update_fields=["staff_emails"])


def told() -> list[tuple[str, str]]:
    found = Email.objects.filter(kind__startswith="staff").order_by("pk")
    return list(found.values_list("kind", "recipient"))


def to_both(kind: str) -> list[tuple[str, str]]:
    return [(kind, OPS), (kind, "boss@example.com")]


def test_application_is_told_at_each_address_once(brand, host, mailoutbox, now):
    client = host.client(brand, email="ada@example.com")
    apply(get_adapter().get_client(str(client.pk)), code="ada")

    assert told() == to_both("staff_application")
    send_due(now=lambda: now + timedelta(days=300))
    staff = [one for one in mailoutbox if one.to != ["ada@example.com"]]
    assert {one.subject for one in staff} == {f"{brand}: ada has applied"}
    assert "ada@example.com has applied to" in staff[0].body


def test_staff_read_their_own_language_and_no_names_of_menus(
    brand, host, mailoutbox, now, monkeypatch
):
    languages = {OPS: "de"}
    monkeypatch.setattr(
        type(get_adapter()), "staff_language", lambda _, email: languages.get(email, "")
    )
    client = host.client(brand, email="ada@example.com")
    affiliate = apply(get_adapter().get_client(str(client.pk)), code="ada")

    send_due(now=lambda: now + timedelta(days=300))

    path = f"/admin/affiliates/affiliate/{affiliate.pk}/change/"
    url = f"https://shop.example.com{path}"
    texts = {one.to[0]: one.body for one in mailoutbox}
    assert f"Bewerbung prüfen:\n{url}\n" in texts[OPS]
    assert f"Decide on the application:\n{url}\n" in texts["boss@example.com"]
    assert "Affiliates" not in texts[OPS]


def test_payout_that_an_affiliate_asks_for_is_told(affiliate, terms, now):
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate)

    request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)

    assert told() == to_both("staff_payout")


def test_missing_sale_that_waits_for_an_answer_is_told_once(affiliate, now):
    for _ in range(2):
        submit_claim(affiliate=affiliate, hints=Hints(order="gone"), now=now)

    assert told() == to_both("staff_claim")


def test_missing_sale_that_is_answered_at_once_is_not(affiliate, order, now):
    submit_claim(affiliate=affiliate, hints=Hints(order="order-1"), note="?", now=now)

    assert told() == []


def test_lost_order_is_told_with_what_the_affiliate_knows_of_it(
    affiliate, rival, buyer, now
):
    touches = [
        make_touch(timedelta(days=1), one.pk, now=now) for one in (affiliate, rival)
    ]
    for ref in ("order-1", "order-2"):
        made = decision_of(*touches)
        OrderReferralFactory(brand=rival.brand, client=buyer, made=made, order_ref=ref)
    submit_claim(affiliate=affiliate, hints=Hints(order="order-1"), now=now)
    assert told() == []

    hints = Hints(order="order-2")
    claim, _ = submit_claim(
        affiliate=affiliate, hints=hints, note=marker("affiliate", "note"), now=now
    )

    assert claim.status == "open"
    assert told() == to_both("staff_claim")


def test_note_that_is_added_to_a_claim_is_told_once(affiliate, now):
    claim = partial(submit_claim, affiliate=affiliate, hints=Hints(order="gone"))
    claim(now=now)

    for _ in range(2):
        claim(note=marker("affiliate", "note"), now=now)

    assert told() == to_both("staff_claim") * 2
    assert Email.objects.order_by("pk").last().values["note"] == marker(
        "affiliate", "note"
    )


def test_note_that_is_added_to_a_lost_order_is_told(affiliate, rival, buyer, now):
    touches = [
        make_touch(timedelta(days=1), one.pk, now=now) for one in (affiliate, rival)
    ]
    OrderReferralFactory(
        brand=rival.brand,
        client=buyer,
        made=decision_of(*touches),
        order_ref="order-1",
    )
    claim = partial(submit_claim, affiliate=affiliate, hints=Hints(order="order-1"))
    claim(now=now)
    assert told() == []

    claim(note=marker("affiliate", "note"), now=now)

    assert told() == to_both("staff_claim")


def test_nobody_is_told_where_the_brand_names_nobody(brand, affiliate, now):
    Brand.objects.update(staff_emails="")
    submit_claim(affiliate=affiliate, hints=Hints(order="gone"), now=now)
    Brand.objects.update(staff_emails=OPS)
    with unannounced():
        notify_staff(
            EmailKind.STAFF_CLAIM, brand_id=brand.pk, fact="1", values={}, now=now
        )

    assert told() == []


@pytest.fixture
def health(brand, now):
    integration = TrackingIntegrationFactory(brand=brand)
    TrackingIntegration.objects.update(created_at=now - timedelta(days=9))
    return IntegrationHealth.objects.create(
        integration=integration,
        failures=42,
        paused_until=now,
        last_ok_at=now - timedelta(minutes=31),
        last_failure="HTTP 503.",
    )


def test_integration_that_is_down_is_told_once_until_it_answers(health, now):
    for minutes in (0, 5, 600):
        notify_of_integrations(now=now + timedelta(minutes=minutes))
    assert told() == to_both("staff_integration")

    health.last_ok_at = now + timedelta(hours=11)
    health.save()
    notify_of_integrations(now=now + timedelta(hours=12))

    assert told() == to_both("staff_integration") * 2


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("away for minutes", {"last_ok_at": timedelta(minutes=-29)}),
        ("answers", {"failures": 0, "paused_until": None}),
        ("fails now and then", {"failures": 2, "paused_until": None}),
    ],
)
def test_integration_that_is_not_down_is_not_told(health, now, _case, change):
    for name, value in change.items():
        at = now + value if isinstance(value, timedelta) else value
        setattr(health, name, at)
    health.save()

    assert notify_of_integrations(now=now) == 0
    assert told() == []


def test_integration_that_is_switched_off_is_not_told(health, now):
    TrackingIntegration.objects.update(is_active=False)

    assert notify_of_integrations(now=now) == 0


def test_what_is_no_address_is_refused(brand):
    brand.staff_emails = f"{OPS}; boss@example.com"

    with pytest.raises(ValidationError, match="divide several by commas"):
        brand.full_clean()
