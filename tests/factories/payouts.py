"""Terms, destinations and earned money, as services leave them behind."""

from __future__ import annotations

from typing import Any

import factory
from factory.django import DjangoModelFactory

from affiliates.commissions.rules import CommissionStatus
from affiliates.ledger.rules import Account, PostingKind
from affiliates.ledger.services import post
from affiliates.payouts import details
from affiliates.payouts.models import PayoutDestination, PayoutTerms
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.sending.secrets import CREDENTIALS
from affiliates.payouts.sending_models import PayoutAccount
from tests.factories.books import CommissionFactory, MovementFactory
from tests.factories.ledger import NOW
from tests.guard.markers import marker

IBAN = "DE89370400440532013000"
OTHER_IBAN = "NL91ABNA0417164300"
OWN_ACCOUNT = {
    "debtor_name": "Demo Hosting GmbH",
    "debtor_iban": "DE02120300000000202051",
    "debtor_bic": "BYLADEM1001",
}
GIVEN = {
    "wallet": {},
    "paypal": {"email": "partner@example.org"},
    "bank": {"account_holder": "Jürgen Müller & Söhne", "iban": IBAN},
    "offline": {
        "agreement": f"A cheque each quarter {marker('affiliate', 'agreement')}"
    },
}


class PayoutTermsFactory(DjangoModelFactory):
    """Everything is offered. ``brand`` must be given."""

    class Meta:
        model = PayoutTerms

    kinds = ("wallet", "paypal", "bank", "offline")


class PayoutAccountFactory(DjangoModelFactory):
    """A switched-on account at PayPal. ``brand`` must be given."""

    class Meta:
        model = PayoutAccount

    provider = "paypal_payouts"
    kind = "paypal"
    address = "https://api-m.paypal.com"
    config = factory.LazyFunction(lambda: {"client_id": "AeA1"})
    secrets = factory.LazyFunction(
        lambda: CREDENTIALS.seal({"client_secret": "s3cret"})
    )


class DestinationFactory(DjangoModelFactory):
    """A usable destination of the ``to`` kind. ``affiliate`` must be given."""

    class Meta:
        model = PayoutDestination

    class Params:
        to = "paypal"
        given = factory.LazyAttribute(lambda row: GIVEN[row.to])

    kind = factory.LazyAttribute(lambda row: row.to)
    details = factory.LazyAttribute(lambda row: details.ACCOUNTS.seal(row.given))
    hint = factory.LazyAttribute(lambda row: PROVIDERS[row.to].hint(row.given))
    fingerprint = factory.LazyAttribute(
        lambda row: details.fingerprint_of(row.to, row.given)
    )
    usable_from = NOW
    created_at = NOW


def earn(
    affiliate: Any, amount: int = 10_000, currency: str = "EUR", **fields: Any
) -> Any:
    """An approved commission whose money is payable."""
    commission = CommissionFactory(
        affiliate=affiliate,
        currency=currency,
        amount=amount,
        status=CommissionStatus.APPROVED,
        **fields,
    )
    earned = MovementFactory.build(
        affiliate=affiliate,
        commission_id=commission.pk,
        currency=currency,
        amount=amount,
    )
    approved = MovementFactory.build(
        affiliate=affiliate,
        kind=PostingKind.APPROVED,
        key=f"approved:{commission.pk}",
        source=Account.PENDING,
        target=Account.PAYABLE,
        commission_id=commission.pk,
        currency=currency,
        amount=amount,
    )
    post([earned, approved], now=NOW)
    return commission


def earn_share(recruiter: Any, of: Any, amount: int) -> Any:
    """The recruiter's approved share of a commission."""
    return earn(recruiter, amount, of.currency, sale=of.sale, share_of=of)


def take_back(affiliate: Any, amount: int, currency: str = "EUR") -> None:
    """A refund after the payout: the payable balance sinks, also below zero."""
    movement = MovementFactory.build(
        affiliate=affiliate,
        kind=PostingKind.REVERSED,
        source=Account.PAYABLE,
        target=Account.EXPENSE,
        currency=currency,
        amount=amount,
    )
    post([movement], now=NOW)
