"""The interface of a provider that is called instead of given a file.

``send`` and ``look_up`` are generators that yield calls and read their answers: no
connection is opened here. Stateless and pure.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from django.db.models import TextChoices

from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.protocol import ConfigField, ProviderSettings
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.providers.protocol import Transfer


class ItemState(TextChoices):
    """What the provider says of one payout."""

    PENDING = "pending", "On its way"
    HELD = "held", "Waits for the recipient or the provider"
    PAID = "paid", "Paid"
    FAILED = "failed", "Failed"
    RETURNED = "returned", "Came back"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemAnswer:
    """``amount`` is what the provider states, in minor units; None if that is unreadable.

    ``received`` is what the recipient gets in another currency, as the provider states
    it; None if nothing was converted. ``fee`` is its own, as text: the brand bears it.
    """

    reference: str
    state: ItemState
    amount: int | None
    currency: str
    detail: str = ""
    remote_ref: str = ""
    fee: str = ""
    received: int | None = None
    received_currency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchAnswer:
    """What became of a batch.

    OK: the provider has it, under ``remote_id``. AMBIGUOUS: nobody can say. RETRY, BUSY,
    CONFIG: it has certainly not been taken yet. REJECTED: it was refused for good.
    """

    kind: OutcomeKind
    detail: str = ""
    remote_id: str = ""
    items: Sequence[ItemAnswer] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """``reference`` is ours and never used for another batch."""

    reference: str
    currency: str
    transfers: Sequence[Transfer]
    remote_id: str = ""


BatchRun = Generator[Call, Response, BatchAnswer]


class PayoutSender(ABC):
    """Sends the payouts of destinations of one ``kind``, and looks up their results.

    ``most`` is the largest batch. Within ``repeatable_for`` after its first try, a batch
    may be sent again: the provider pays it once, by its reference. After that it is left
    to a person. A conversation may break off between any two calls, and two processes
    may have the same one at once.
    """

    code: ClassVar[str]
    kind: ClassVar[str]
    name: ClassVar[str]
    about: ClassVar[str]
    default_address: ClassVar[str]
    address_help: ClassVar[str] = ""
    fields: ClassVar[Sequence[ConfigField]] = ()
    most: ClassVar[int]
    repeatable_for: ClassVar[timedelta]

    def clean(self, settings: ProviderSettings) -> ProviderSettings:
        """The settings as they are stored. Raises ConfigError. No network."""
        return settings

    def named_in(self, body: bytes) -> str:
        """The ``remote_id`` or ``remote_ref`` that a call of the provider names.

        "" for none. The call only wakes a look-up: nothing else of it is read, or need
        be proved.
        """
        return ""

    @abstractmethod
    def send(self, batch: Batch, settings: ProviderSettings) -> BatchRun:
        """Sends the batch, or finds the one that was sent under its reference.

        It may also open one in which nothing is paid yet, which ``look_up`` fills.
        """

    @abstractmethod
    def look_up(self, batch: Batch, settings: ProviderSettings) -> BatchRun:
        """Asks for the results of a batch whose ``remote_id`` is known.

        Of a batch that ``send`` has only opened, it first adds what is missing, each
        payout under a reference by which the provider takes it once. A payout is FAILED
        only if nothing can be added to the batch any more.
        """
