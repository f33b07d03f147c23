"""Decides how a missing-sale claim is answered. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

# The only text for a claim that is not answered at once, in every case.
WAITING = gettext_noop("A person looks into this claim. You read the answer here.")
GRANTED = gettext_noop("Granted: the order is credited to you.")
INACTIVE = gettext_noop(
    "Only an active affiliate can claim a missing sale. Ask the support of your brand "
    "about your account."
)


class ClaimStatus(TextChoices):
    OPEN = "open", _("To be reviewed")
    ANSWERED = "answered", _("Answered at once")
    GRANTED = "granted", _("Granted")
    DECLINED = "declined", _("Declined")

    @property
    def is_decided(self) -> bool:
        return self in (ClaimStatus.GRANTED, ClaimStatus.DECLINED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """The affiliate's facts about the sale; unknown ones are empty or None."""

    order: str = ""
    client_email: str = ""
    ordered_on: date | None = None

    @property
    def key(self) -> str:
        """The same for the same claim. If an order is named, nothing else counts."""
        what: list[str] = ["order", self.order]
        if not self.order:
            day = "" if self.ordered_on is None else self.ordered_on.isoformat()
            what = ["client", self.client_email.casefold(), day]
        return sha256(json.dumps(what).encode()).hexdigest()


def takes_part(
    decision: Mapping[str, Any], *, credited_id: int | None, affiliate_id: int
) -> bool:
    """Whether the order's decision names the affiliate, who may then read it."""
    if credited_id == affiliate_id:
        return True
    candidates = decision.get("candidates", ())
    return any(
        candidate.get("affiliate_id") == affiliate_id for candidate in candidates
    )
