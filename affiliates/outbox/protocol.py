"""The interface of a tracking provider's adapter, in plain data.

An adapter builds requests and reads answers; it never opens a connection. ``run`` is a
generator, so that a conversation of several calls stays as pure as a single one.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import timedelta
from typing import ClassVar

from django.db.models import TextChoices

from affiliates.core.urls import HttpUrl, first_parameter
from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.types import CallOutcome, Facts, Operation

MAX_AFFILIATE = 255
# Providers store these names in short columns; no name has a control character.
_AFFILIATE = re.compile(rf"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{{1,{MAX_AFFILIATE}}}")


class Identifier(TextChoices):
    """The origin of the visitor's identifier."""

    MINTED = "minted", "Made here, accepted by the provider"
    CAPTURED = "captured", "Read from the address the visitor came by"
    REMOTE = "remote", "Made by the provider when it is notified of the click"


class FieldKind(TextChoices):
    TEXT = "text", "Text"
    LONG_TEXT = "long_text", "Long text"
    CHOICE = "choice", "Choice"
    SWITCH = "switch", "On or off"


@dataclass(frozen=True, slots=True)
class ConfigField:
    """One setting of a provider, as the admin form shows it.

    A secret is stored encrypted and never shown again. ``default`` is a bool for an
    on/off setting, else text.
    """

    name: str
    label: str
    help: str
    _: KW_ONLY
    kind: FieldKind = FieldKind.TEXT
    default: str | bool = ""
    choices: tuple[tuple[str, str], ...] = ()
    is_required: bool = False
    is_secret: bool = False


class ConfigError(Exception):
    """A setting is wrong; ``faults`` maps each field's name to the correction.

    ``address`` and ``parameters`` are the fields that every provider has.
    """

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(
            "; ".join(f"{name}: {fault}" for name, fault in faults.items())
        )
        self.faults = dict(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """An integration as adapters need it. ``secrets`` is empty if none are needed."""

    address: str
    parameters: tuple[str, ...]
    values: Mapping[str, str | bool]
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    def text(self, name: str) -> str:
        return str(self.values.get(name) or "")

    def is_on(self, name: str) -> bool:
        return bool(self.values.get(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A visit by a link of this integration, with the affiliate's name in it."""

    affiliate: str


def split_names(text: str) -> tuple[str, ...]:
    """The names in a comma-separated list, in order."""
    return tuple(name for part in text.split(",") if (name := part.strip()))


def is_affiliate(text: str) -> bool:
    """Whether the text can be an affiliate's name."""
    return _AFFILIATE.fullmatch(text) is not None


Run = Generator[Call, Response, CallOutcome]


class Unsupported(Exception):  # noqa: N818 - says what happened
    """The provider has no such operation."""


class TrackingAdapter(ABC):
    """One provider's protocol. Stateless and pure: settings come in with every call."""

    code: ClassVar[str]
    name: ClassVar[str]
    about: ClassVar[str]
    identifier: ClassVar[Identifier]
    operations: ClassVar[frozenset[Operation]]
    # Whether a sale may include a click that has not arrived yet.
    carries_click: ClassVar[bool] = False
    fields: ClassVar[tuple[ConfigField, ...]] = ()
    address_help: ClassVar[str] = ""
    default_address: ClassVar[str] = ""
    default_parameters: ClassVar[tuple[str, ...]] = ()

    def clean(self, settings: ProviderSettings) -> ProviderSettings:
        """The settings as they are stored. Raises ConfigError. No network."""
        return settings

    def supports(self, operation: Operation, settings: ProviderSettings) -> bool:
        """Whether these settings allow the operation."""
        return operation in self.operations

    def counts_within(self, settings: ProviderSettings) -> timedelta:
        """How long the provider may take to find a sale that it has received.

        Until then, a sale that was not found is looked up again and not sent again.
        """
        return timedelta(0)

    def parameters_of(self, settings: ProviderSettings) -> tuple[str, ...]:
        """The parameter names in an address that belong to this integration.

        They are removed if a visitor stays on the visited page. A provider whose
        identifier comes with the address adds its name.
        """
        return settings.parameters

    def match(self, url: HttpUrl, settings: ProviderSettings) -> Match | None:
        """Returns a Match if the visit came by a link of this integration.

        Takes the first affiliate parameter with a usable value, in the query or, if the
        query has none, in the fragment.
        """
        for name in settings.parameters:
            value = first_parameter(url, name)
            if value and is_affiliate(value):
                return Match(affiliate=value)
        return None

    def identify(
        self,
        url: HttpUrl,
        settings: ProviderSettings,
        *,
        current: str,
        mint: Callable[[], str],
    ) -> str:
        """The visitor's identifier from now on, "" for none.

        ``current`` is the previous one, "" for none; ``mint`` makes 32 new lower-case
        hexadecimal characters at each call. An identifier made by the provider replaces
        a minted one as soon as it is known.
        """
        return current or mint()

    def run(self, facts: Facts, visitor_id: str, settings: ProviderSettings) -> Run:
        """Yields the calls, reads the answers and returns the outcome.

        Raises Unsupported for an operation the provider does not have.
        """
        if not self.supports(facts.operation, settings):
            label = facts.operation.label
            raise Unsupported(f"{self.name} is not notified of this: {label}.")
        return self.converse(facts, visitor_id, settings)

    @abstractmethod
    def converse(
        self, facts: Facts, visitor_id: str, settings: ProviderSettings
    ) -> Run:
        """Does ``run`` for an operation that the settings support."""
