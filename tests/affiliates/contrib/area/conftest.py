from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.commissions.models import Commission
from affiliates.contrib.area.sections import MORE_PAGES
from affiliates.contrib.claims.rules import Hints
from affiliates.contrib.claims.services import submit_claim
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.statements import issue_statement
from affiliates.program.creative_models import Creative
from affiliates.program.services import save_creative
from affiliates.uploads.files import checked_file
from tests.factories.affiliates import AffiliateNoteFactory, CreativeFactory
from tests.factories.area import AffiliateKeyFactory
from tests.factories.books import PayoutFactory
from tests.factories.emails import EmailFactory
from tests.factories.files import pdf
from tests.factories.integrations import WebhookFactory
from tests.factories.payouts import DestinationFactory, earn


@pytest.fixture(autouse=True)
def _any_login(settings):
    """Whichever host it is: its own way to sign in is not what is tested here."""
    settings.ALLOWED_HOSTS = ["*"]
    settings.TIME_ZONE = "UTC"
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]


@pytest.fixture
def _nobody_is_asked(monkeypatch):
    """Whether the host asks for a password again is tested in test_identity.py."""
    never = HostAdapter.check_identity
    monkeypatch.setattr(type(get_adapter()), "check_identity", never)


@pytest.fixture
def leaflet(brand, settings) -> Creative:
    """A creative with a PDF, which is kept in memory."""
    memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    settings.STORAGES = {**settings.STORAGES, "default": memory}
    creative = CreativeFactory.build(
        brand=brand, name="Blog", text="To print", translations={"de": "Zum Drucken"}
    )
    save_creative(creative, upload=checked_file(pdf(), name="Leaflet.pdf"))
    return creative


@pytest.fixture
def browser(affiliate) -> Client:
    """The affiliate's own, signed in on the brand's client area."""
    browser = Client(headers={"host": "shop.example.com"})
    browser.force_login(affiliate.user)
    # The portal keeps in which language its client reads: that is written once.
    browser.get("/affiliate/program")
    return browser


@pytest.fixture
def objects(affiliate, link, leaflet, order, plan, till, terms, now) -> dict[str, Any]:
    """One of each thing of the affiliate's; 100.00 EUR of it are payable."""
    till.pay("50.00")
    earn(affiliate)
    DestinationFactory(affiliate=affiliate)
    WebhookFactory(brand=affiliate.brand, affiliate=affiliate)
    AffiliateNoteFactory(affiliate=affiliate)
    paid = PayoutFactory(affiliate=affiliate, status=PayoutStatus.PAID)
    issue_statement(paid, now=now)
    return {
        "link_id": link.pk,
        "creative_id": leaflet.pk,
        "order_id": order.pk,
        "commission_id": Commission.objects.filter(affiliate=affiliate).first().pk,
        "payout_id": paid.pk,
        "kind": "paid",
        "stem": "0" * 32,
        "ending": "png",
        "currency": "EUR",
        "to": "wallet",
        "claim_id": submit_claim(
            affiliate=affiliate, hints=Hints(order="order-1"), now=now
        )[0].pk,
        "email_id": EmailFactory(
            brand=affiliate.brand, affiliate=affiliate, state="sent"
        ).pk,
        "key_id": AffiliateKeyFactory(affiliate=affiliate).pk,
        "token": "unknown",
        **({"invoice_id": _invoice_of(paid)} if MORE_PAGES else {}),
        **(_offered_to(affiliate) if MORE_PAGES else {}),
    }


def _invoice_of(payout: Any) -> int:
    """Of an app that a host may leave out."""
    from tests.factories.invoices import PayoutInvoiceFactory

    return PayoutInvoiceFactory(payout=payout).pk


def _offered_to(affiliate: Any) -> dict[str, int]:
    from tests.factories.offers import OfferCodeFactory, OfferFactory

    german = {"de": "10 % Rabatt"}
    offer = OfferFactory(brand=affiliate.brand, max_codes=2, translations=german)
    code = OfferCodeFactory(offer=offer, affiliate=affiliate)
    return {"offer_id": offer.pk, "coupon_id": code.coupon_id}
