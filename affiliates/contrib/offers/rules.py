"""The terms of an offer, and the codes that may be made within it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count
from typing import Any, Self

from django.utils.translation import gettext_noop

from affiliates.core.versions import VersionedTerms
from affiliates.plans.rules.matching import normal_coupon_code
from affiliates.plans.rules.terms import percent_text

MAX_CODES = 100
CODE_TAKEN = (
    "code_taken",
    gettext_noop("This code is taken, or was before: choose another one."),
)
TOO_MANY = (
    "too_many_codes",
    gettext_noop("You have all codes that this offer gives: end one first."),
)
NOT_VALID = (
    "offer_not_valid",
    gettext_noop("This offer is not valid now: no codes can be made."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferTerms(VersionedTerms):
    """The terms that every code keeps under which it was made.

    ``plan_id`` None: for every affiliate of the brand. ``percent`` None: the plan's own
    rate. ``host_terms`` are the host's own, passed on unread.
    """

    plan_id: int | None
    prefix: str
    max_codes: int
    text: str
    translations: Mapping[str, str]
    grants: str
    grants_translations: Mapping[str, str]
    host_terms: Mapping[str, Any]
    percent: Decimal | None
    affiliate_funds_percent: Decimal
    for_new_clients: bool
    valid_from: datetime | None
    valid_until: datetime | None

    def to_json(self) -> dict[str, Any]:
        percent, start, end = self.percent, self.valid_from, self.valid_until
        return {
            **asdict(self),
            "percent": None if percent is None else percent_text(percent),
            "affiliate_funds_percent": percent_text(self.affiliate_funds_percent),
            "valid_from": start and start.astimezone(UTC).isoformat(),
            "valid_until": end and end.astimezone(UTC).isoformat(),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        percent, start, end = (
            stored[name] for name in ("percent", "valid_from", "valid_until")
        )
        return cls(
            **{
                **stored,
                "percent": None if percent is None else Decimal(percent),
                "affiliate_funds_percent": Decimal(stored["affiliate_funds_percent"]),
                "valid_from": start and datetime.fromisoformat(start),
                "valid_until": end and datetime.fromisoformat(end),
            }
        )

    def is_valid(self, at: datetime) -> bool:
        """Whether ``at`` is within the validity, whose last moment is not included."""
        has_begun = self.valid_from is None or self.valid_from <= at
        return has_begun and (self.valid_until is None or at < self.valid_until)


def proposed_codes(prefix: str, affiliate_code: str) -> Iterator[str]:
    """The prefix with the affiliate's code, first alone, then with numbers from 2.

    Shops rarely permit the dots that an affiliate's code may have.
    """
    first = normal_coupon_code(prefix + affiliate_code.replace(".", "-"))
    yield first
    yield from (f"{first}{number}" for number in count(2))
