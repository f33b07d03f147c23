"""All ways to be paid, by their codes, in the order in which they are offered."""

from __future__ import annotations

from typing import TypeVar

from django.utils.functional import Promise

from affiliates.payouts.providers.account_credit import AccountCredit
from affiliates.payouts.providers.agreement import Agreement
from affiliates.payouts.providers.bank import BankTransfer
from affiliates.payouts.providers.paypal import PayPalFile
from affiliates.payouts.providers.protocol import PayoutProvider, Way
from affiliates.payouts.providers.sender import PayoutSender

P = TypeVar("P", bound=PayoutProvider)
S = TypeVar("S", bound=PayoutSender)

PROVIDERS: dict[str, PayoutProvider] = {
    provider.code: provider
    for provider in (AccountCredit(), PayPalFile(), BankTransfer(), Agreement())
}


SENDERS: dict[str, PayoutSender] = {}


def register(provider: type[P]) -> type[P]:
    """Decorates a provider's class, of which there is one object."""
    PROVIDERS[provider.code] = provider()
    return provider


def register_sender(sender: type[S]) -> type[S]:
    """Decorates a sender's class, of which there is one object."""
    SENDERS[sender.code] = sender()
    return sender


def codes_of(*ways: Way) -> list[str]:
    return [code for code, provider in PROVIDERS.items() if provider.way in ways]


def label_of(kind: str) -> str | Promise:
    """The code itself for a way to be paid that is not installed any more."""
    return PROVIDERS[kind].label if kind in PROVIDERS else kind


def choices() -> list[tuple[str, str | Promise]]:
    return [(code, provider.label) for code, provider in PROVIDERS.items()]


def offered_at_first() -> list[str]:
    """What a brand pays by before somebody has saved its terms."""
    return [
        code for code, provider in PROVIDERS.items() if provider.is_offered_at_first
    ]
