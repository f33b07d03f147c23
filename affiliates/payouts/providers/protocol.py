"""The interface of a way to be paid, in plain data. Stateless and pure."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import date
from enum import Enum, auto
from typing import ClassVar

from django.utils.functional import Promise

Details = dict[str, str]


class Way(Enum):
    """Who moves the money of an approved payout."""

    # A person takes our file to the bank or to PayPal, or an account of the brand's sends.
    FILE = auto()
    # The host's adapter adds it to the client's account when staff confirm it.
    CREDIT = auto()
    # A person pays it as agreed.
    AGREEMENT = auto()


@dataclass(frozen=True, slots=True)
class DetailField:
    """One detail of a destination, as the forms ask for it. At most ``most`` letters.

    ``choices`` are values and their labels; without any, it is text. The provider's
    ``check`` requires what another detail makes necessary: forms do not, if it
    ``is_optional``.
    """

    name: str
    label: str | Promise
    most: int
    _: KW_ONLY
    choices: tuple[tuple[str, str | Promise], ...] = ()
    is_optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """The brand, and the owner of the account that it pays from."""

    brand: str
    name: str
    iban: str
    bic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """One payout: ``amount`` in minor units to the account in ``details``.

    ``reference`` is ours: the answers repeat it. ``text`` is for the recipient.
    """

    reference: str
    amount: int
    currency: str
    details: Mapping[str, str]
    text: str


class PayoutProvider(ABC):
    """One way to be paid: the details it needs, and the file that pays them.

    ``code`` is stored with each destination. ``most`` is the largest number of transfers
    in one file; ``ending`` and ``content_type`` are the file's. If it ``needs_account``,
    there is no file, and it is offered by brands with a payout account.
    """

    code: ClassVar[str]
    label: ClassVar[str | Promise]
    way: ClassVar[Way]
    is_offered_at_first: ClassVar[bool] = True
    needs_account: ClassVar[bool] = False
    fields: ClassVar[Sequence[DetailField]] = ()
    most: ClassVar[int] = 0
    ending: ClassVar[str] = ""
    content_type: ClassVar[str] = ""

    def takes(self, currency: str) -> bool:
        return True

    def check(self, values: Mapping[str, str]) -> Details:
        """The given details as they are stored. Raises InvalidInput with the field."""
        return {}

    def hint(self, details: Mapping[str, str]) -> str:
        """The part that people may see: "DE… 3000", "a…@example.com"."""
        return ""

    def account(self, details: Mapping[str, str]) -> str:
        """The same text for the same account of any affiliate; "" if there is none."""
        return ""

    def email(self, details: Mapping[str, str]) -> str:
        """The address of the account's owner, who is warned of a change; "" for none."""
        return ""

    def write(
        self,
        transfers: Sequence[Transfer],
        *,
        payer: Payer,
        day: date,
        reference: str,
    ) -> str:
        """The file that pays these transfers, identified by ``reference``.

        Only of providers by file. Raises StateConflict if it cannot be written.
        """
        raise NotImplementedError
