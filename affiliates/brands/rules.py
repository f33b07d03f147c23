"""A brand's configuration as plain values, and the words its fields may hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from affiliates.core.domains import DomainEntry
from affiliates.core.enums import LabelledEnum


class AttributionPolicy(LabelledEnum):
    LAST_CLICK = "last_click", "Last click wins"
    FIRST_CLICK = "first_click", "First click wins"


class Landing(LabelledEnum):
    DEFAULT_URL = "default_url", "Send the visitor to the default redirect URL"
    STAY = "stay", "Keep the visitor on the page they opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandConfig:
    """One brand as a visit needs it: immutable, shared between requests."""

    id: int
    name: str
    default_redirect_url: str
    landing: Landing
    link_parameter: str
    attribution_policy: AttributionPolicy
    attribution_window: timedelta
    cookie_lifetime: timedelta
    own_program: bool
    existing_clients_earn: bool
    require_https: bool
    domains: tuple[DomainEntry, ...]
