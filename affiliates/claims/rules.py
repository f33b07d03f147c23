"""How a missing-sale claim is answered. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any

from affiliates.core.enums import LabelledEnum
from affiliates.core.language import gettext_noop

# Everything an affiliate reads of a claim that is not answered at once, whatever is true.
WAITING = gettext_noop("A person looks into this claim. You read the answer here.")
GRANTED = gettext_noop("Granted: the order is credited to you.")


class ClaimStatus(LabelledEnum):
    OPEN = "open", "To be reviewed"
    ANSWERED = "answered", "Answered at once"
    GRANTED = "granted", "Granted"
    DECLINED = "declined", "Declined"

    @property
    def is_decided(self) -> bool:
        return self in (ClaimStatus.GRANTED, ClaimStatus.DECLINED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the affiliate knows of the sale; what is not known is empty or None."""

    order: str = ""
    client_email: str = ""
    ordered_on: date | None = None

    @property
    def key(self) -> str:
        """The same for the same claim. An order that is named says it all."""
        what: list[str] = ["order", self.order]
        if not self.order:
            day = "" if self.ordered_on is None else self.ordered_on.isoformat()
            what = ["client", self.client_email.casefold(), day]
        return sha256(json.dumps(what).encode()).hexdigest()


def takes_part(
    decision: Mapping[str, Any], *, credited_id: int | None, affiliate_id: int
) -> bool:
    """Whether the order's decision names the affiliate: only then may they read it."""
    if credited_id == affiliate_id:
        return True
    candidates = decision.get("candidates", ())
    return any(one.get("affiliate_id") == affiliate_id for one in candidates)
