"""A tracking provider for the tests of visits: made up, pure, told what to do."""

from __future__ import annotations

import re
from collections.abc import Callable

from affiliates.core.urls import HttpUrl, first_parameter
from affiliates.outbox.protocol import (
    Identifier,
    Match,
    ProviderSettings,
    Run,
    TrackingAdapter,
    Unsupported,
)
from affiliates.outbox.types import Facts, Operation

HEX_32 = re.compile("[0-9a-f]{32}")


class Minting(TrackingAdapter):
    """Makes the visitor's identifier here, as Post Affiliate Pro lets us do."""

    code = "minting"
    name = "Minting tracker"
    about = "For tests."
    identifier = Identifier.MINTED
    operations = frozenset({Operation.CLICK, Operation.SALE})

    def identify(
        self,
        url: HttpUrl,
        settings: ProviderSettings,
        *,
        current: str,
        mint: Callable[[], str],
    ) -> str:
        return current if HEX_32.fullmatch(current) else mint()

    def converse(
        self, facts: Facts, visitor_id: str, settings: ProviderSettings
    ) -> Run:
        raise Unsupported


class Capturing(Minting):
    """Reads the identifier from the address and is told of no click."""

    code = "capturing"
    name = "Capturing tracker"
    identifier = Identifier.CAPTURED
    operations = frozenset({Operation.SALE})

    def parameters_of(self, settings: ProviderSettings) -> tuple[str, ...]:
        return (*settings.parameters, "clickid")

    def identify(
        self,
        url: HttpUrl,
        settings: ProviderSettings,
        *,
        current: str,
        mint: Callable[[], str],
    ) -> str:
        return first_parameter(url, "clickid") or current


class FailingToMatch(Minting):
    code = "failing_to_match"

    def match(self, url: HttpUrl, settings: ProviderSettings) -> Match | None:
        raise KeyError("a setting that is gone")


class FailingToIdentify(Minting):
    code = "failing_to_identify"

    def identify(
        self,
        url: HttpUrl,
        settings: ProviderSettings,
        *,
        current: str,
        mint: Callable[[], str],
    ) -> str:
        raise ValueError("a setting of the wrong kind")


class FailingToName(Minting):
    code = "failing_to_name"

    def parameters_of(self, settings: ProviderSettings) -> tuple[str, ...]:
        raise TypeError("not a list")


PROVIDERS = {
    adapter.code: adapter
    for adapter in (
        Minting(),
        Capturing(),
        FailingToMatch(),
        FailingToIdentify(),
        FailingToName(),
    )
}
