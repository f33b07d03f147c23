"""E-mails to affiliates about their application."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from affiliates.emails.services import notify_affiliates, notify_staff
from affiliates.emails.types import EmailKind, News
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus

_DECISIONS = {
    AffiliateStatus.ACTIVE: EmailKind.APPROVED,
    AffiliateStatus.SUSPENDED: EmailKind.DECLINED,
}


def tell_of_application(affiliate: Affiliate, *, client: str, now: datetime) -> None:
    """``client`` is the applicant's address, for the brand's staff."""
    notify_affiliates([_news(EmailKind.APPLIED, affiliate)], now=now)
    notify_staff(
        EmailKind.STAFF_APPLICATION,
        brand_id=affiliate.brand_id,
        fact=str(affiliate.pk),
        values={
            "affiliate_id": affiliate.pk,
            "affiliate": affiliate.code,
            "client": client,
        },
        now=now,
    )


def tell_of_decision(
    affiliates: Iterable[Affiliate],
    status: AffiliateStatus,
    *,
    reason: str = "",
    now: datetime,
) -> None:
    """Notifies affiliates whose application was waiting, each once."""
    kind = _DECISIONS.get(status)
    if kind is not None:
        notify_affiliates(
            [_news(kind, affiliate, reason) for affiliate in affiliates], now=now
        )


def _news(kind: EmailKind, affiliate: Affiliate, reason: str = "") -> News:
    values = {"reason": reason}
    if kind is EmailKind.APPROVED:
        values = {"code": affiliate.code, "url": affiliate.url() or ""}
    return News(
        kind=kind,
        brand_id=affiliate.brand_id,
        affiliate_id=affiliate.pk,
        fact=str(affiliate.pk),
        values=values,
    )
