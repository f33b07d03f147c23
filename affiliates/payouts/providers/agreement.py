from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from affiliates.payouts.providers.checks import required
from affiliates.payouts.providers.protocol import (
    DetailField,
    Details,
    PayoutProvider,
    Way,
)


class Agreement(PayoutProvider):
    """Paid as affiliate and staff have agreed: only who may pay reads it."""

    code = "offline"
    label = _("By agreement")
    way = Way.AGREEMENT
    is_offered_at_first = False
    fields = (DetailField("agreement", _("What was agreed"), 255),)

    def check(self, values: Mapping[str, str]) -> Details:
        return {"agreement": required(values, self.fields[0])}
