"""Which e-mails an affiliate gets that has left the program."""

from __future__ import annotations

import pytest

from affiliates.emails.rules import HAS_LEFT
from affiliates.emails.services import why_not
from affiliates.emails.types import EmailKind
from affiliates.program.rules import AffiliateStatus
from tests.factories.emails import EmailFactory

pytestmark = pytest.mark.django_db
NONE_AFTER_LEAVING = {
    EmailKind.ANNOUNCEMENT,
    EmailKind.SALE,
    EmailKind.COMMISSION_APPROVED,
    EmailKind.REVERSAL,
    EmailKind.RESTORATION,
    EmailKind.DIGEST,
}


@pytest.mark.parametrize("kind", EmailKind)
def test_none_about_sales_and_commissions_and_no_announcement(affiliate, kind):
    affiliate.status = AffiliateStatus.LEFT
    affiliate.save()
    email = EmailFactory(
        brand=affiliate.brand, affiliate=affiliate, kind=kind, values={"sale": {}}
    )

    assert why_not(email) == (HAS_LEFT if kind in NONE_AFTER_LEAVING else "")


def test_active_affiliate_gets_them(affiliate):
    email = EmailFactory(
        brand=affiliate.brand, affiliate=affiliate, kind=EmailKind.SALE, values={}
    )

    assert why_not(email) == ""
