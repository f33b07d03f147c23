"""A brand's configuration as plain values, and the words its fields may hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Self

from django.db.models import TextChoices

from affiliates.brands.links import LINK_PLACE
from affiliates.core.domains import DomainEntry
from affiliates.core.language import inside_sentence
from affiliates.core.versions import VersionedTerms


class AttributionPolicy(TextChoices):
    LAST_CLICK = "last_click", "Last click wins"
    FIRST_CLICK = "first_click", "First click wins"


class Landing(TextChoices):
    DEFAULT_URL = "default_url", "Send the visitor to the default redirect URL"
    STAY = "stay", "Keep the visitor on the page they opened"


class ClaimPolicy(TextChoices):
    """Who gets a sale that both the own program and the integration claim."""

    OWN = "own", "The brand's own affiliate"
    THIRD_PARTY = "third_party", "The tracking integration"
    LATEST = "latest", "The one that sent the client last"
    BOTH = "both", "Both"


class BindingPolicy(TextChoices):
    """Who may win the order of a client who registered with an affiliate's referral."""

    KEEP = "keep", "Stay with the affiliate who sent them to register"
    LATEST = "latest", "May be won by a later click"


class ConsentRule(TextChoices):
    """The consent that a brand needs before it recognises a returning visitor."""

    NOT_NEEDED = "not_needed", "Not needed"
    SESSION_ONLY = "session_only", "Not needed for one session"
    REQUIRED = "required", "Required"


class OldAddress(TextChoices):
    """The value that replaces a visitor's stored address after some days."""

    HASH = "hash", "A hash keyed by the day"
    NOTHING = "nothing", "Nothing"


class PrivacyControl(TextChoices):
    """A brand's treatment of a browser's Global Privacy Control."""

    NOT_CONSIDERED = "not_considered", "Not considered"
    REFUSAL = "refusal", "Counts as a refusal"


class Font(TextChoices):
    """A typeface that the reader's device has already."""

    SYSTEM = "system", "The device's own font"
    GROTESQUE = "grotesque", "Plain, as Helvetica or Roboto"
    HUMANIST = "humanist", "Open, as Calibri or Ubuntu"
    GEOMETRIC = "geometric", "Round letters, as Avenir or Montserrat"
    ROUNDED = "rounded", "Rounded ends, as Arial Rounded"
    SERIF = "serif", "With serifs, as Charter or Cambria"
    OLD_STYLE = "old_style", "Bookish, as Palatino"

    @property
    def stack(self) -> str:
        """The value of the style ``font-family``."""
        return _STACKS[self]


_STACKS = {
    Font.SYSTEM: "system-ui, sans-serif",
    Font.GROTESQUE: "Inter, Roboto, 'Helvetica Neue', 'Arial Nova', 'Nimbus Sans', "
    "Arial, sans-serif",
    Font.HUMANIST: "Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'DejaVu Sans', sans-serif",
    Font.GEOMETRIC: "Avenir, Montserrat, Corbel, 'URW Gothic', sans-serif",
    Font.ROUNDED: "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, "
    "'Arial Rounded MT Bold', Calibri, sans-serif",
    Font.SERIF: "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, serif",
    Font.OLD_STYLE: "'Iowan Old Style', 'Palatino Linotype', 'URW Palladio L', P052, serif",
}


class ChangeKind(StrEnum):
    """The changed part of the configuration."""

    BRAND = "brand"
    INTEGRATION = "integration"
    AFFILIATE = "affiliate"
    LINK = "link"
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionTerms(VersionedTerms):
    """A brand's attribution policy. A ``stand_down`` of zero turns that rule off."""

    policy: AttributionPolicy
    claim_policy: ClaimPolicy
    window: timedelta
    own_program: bool
    existing_clients_earn: bool
    bound_clients: BindingPolicy
    stand_down: timedelta
    coupon_over_link: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "policy": self.policy,
            "claim_policy": self.claim_policy,
            "window_days": self.window.days,
            "own_program": self.own_program,
            "existing_clients_earn": self.existing_clients_earn,
            "bound_clients": self.bound_clients,
            "stand_down_minutes": self.stand_down // timedelta(minutes=1),
            "coupon_over_link": self.coupon_over_link,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(
            policy=AttributionPolicy(stored["policy"]),
            claim_policy=ClaimPolicy(stored["claim_policy"]),
            window=timedelta(days=stored["window_days"]),
            own_program=stored["own_program"],
            existing_clients_earn=stored["existing_clients_earn"],
            bound_clients=BindingPolicy(stored["bound_clients"]),
            stand_down=timedelta(minutes=stored["stand_down_minutes"]),
            coupon_over_link=stored["coupon_over_link"],
        )

    def lines(self) -> tuple[str, ...]:
        """The rules in plain words, one per line."""
        minutes = self.stand_down // timedelta(minutes=1)
        return (
            f"{self.policy.label}, within {self.window.days} days",
            f"Registered clients {inside_sentence(self.bound_clients)}",
            f"Checkout stand-down: {f'{minutes} minutes' if minutes else 'off'}",
            "A coupon code wins over a click"
            if self.coupon_over_link
            else "A coupon code counts only without a click",
            f"Own program or integration: {inside_sentence(self.claim_policy)}",
            f"Existing clients earn: {'yes' if self.existing_clients_earn else 'no'}",
            f"Own affiliate program: {'on' if self.own_program else 'off'}",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersion:
    """Which version of its terms a brand has in force. It is never changed."""

    id: int
    number: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandContact:
    """A brand's own texts on pages and in e-mails; each may be empty."""

    legal_text: str = ""
    support: str = ""
    privacy_url: str = ""
    imprint_url: str = ""

    @property
    def support_url(self) -> str:
        is_page = "/" in self.support
        return self.support if is_page or not self.support else f"mailto:{self.support}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandConfig:
    """One brand as a request needs it: immutable, shared between requests.

    ``policy_version`` is the number of the version its terms are, where one is stored.
    """

    id: int
    name: str
    default_redirect_url: str
    landing: Landing
    link_parameter: str
    link_place: str = LINK_PLACE
    colour: str
    font: Font = Font.SYSTEM
    # Its picture's name in the storage, or empty.
    logo: str = ""
    contact: BrandContact = BrandContact()
    terms: AttributionTerms
    policy_version_id: int | None
    policy_version: int | None
    cookie_lifetime: timedelta
    consent: ConsentRule
    privacy_control: PrivacyControl
    require_https: bool
    domains: tuple[DomainEntry, ...]
    is_active: bool = True


def addresses_in(text: str) -> list[str]:
    """The comma-separated addresses, each once."""
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
